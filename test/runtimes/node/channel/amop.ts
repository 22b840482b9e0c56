/** Cases of messages between clients. Source: channel-protocol 8 */
import assert from "node:assert/strict";
import type { ChannelClient } from "../../../support/channel/channel-client.ts";
import {
  newSeq,
  topicData,
  TYPE,
  type WireFrame,
} from "../../../support/channel/channel-frames.ts";
import type { Visit } from "../../../support/channel/channel-place.ts";
import { type RowCase, rowsOf } from "./row-case.ts";
import { topicsOf, untilShown } from "./topics.ts";

/** So long a subscriber may take. */
const DELIVERY_LIMIT_MS = 5_000;
/** Enough that none of two has an equal chance and is never chosen. */
const MANY = 24;
const VERIFIED_PREFIX = "#!$TopicNeedVerify_";

/** A session with a node that subscribes topics; resolves when another node knows of them. */
async function subscriber(
  visit: Visit,
  [node, witness]: readonly [node: number, witness: ChannelClient | undefined],
  ...topics: readonly string[]
): Promise<ChannelClient> {
  const client = await visit.open(node);
  client.send(TYPE.topics, JSON.stringify(topics));
  const [first = ""] = topics;
  if (witness) await untilShown(witness, [visit.node(node).nodeId, first]);
  else await client.servesWhileAbstaining();
  return client;
}

/** Answers every unicast until it is told to stop; counts them. */
function answering(client: ChannelClient, said: string) {
  const counted = { count: 0, seqs: new Set<string>() };
  const next = async (): Promise<void> => {
    const frame = await client.take(({ type }) => type === TYPE.amopRequest);
    counted.count++;
    counted.seqs.add(frame.seq);
    const topicBytes = frame.data[0] ?? 0;
    const topic = frame.data.subarray(0, topicBytes);
    const answer = Buffer.concat([topic, Buffer.from(said)]);
    client.send(TYPE.amopResponse, answer, { seq: frame.seq });
    return next();
  };
  // It ends with its session.
  next().catch(() => undefined);
  return counted;
}

/** A unicast that the subscriber answers. */
async function exchanged(
  sender: ChannelClient,
  receiver: ChannelClient,
  topic: string,
): Promise<void> {
  const seq = sender.send(TYPE.amopRequest, topicData(topic, "ping"));
  const request = await receiver.taken(TYPE.amopRequest, seq);
  assert.deepEqual([request.result, request.data], [0, topicData(topic, "ping")]);
  receiver.send(TYPE.amopResponse, topicData(topic, "pong"), { seq });
  const answer = await sender.taken(TYPE.amopResponse, seq);
  assert.deepEqual([answer.result, answer.data], [0, topicData(topic, "pong")]);
}

function isMulticast(seq: string) {
  return (frame: WireFrame) => frame.type === TYPE.multicast && frame.seq === seq;
}

/** A private topic with its two announcements. */
function privateTopic() {
  const topic = `${VERIFIED_PREFIX}${newSeq()}`;
  const forCertificate = `#!$VerifyChannel_${topic}_${newSeq()}`;
  return { topic, forCertificate, forPublisher: `#!$PushChannel_${topic}` };
}

/** Takes part in the verification as the two SDKs do; gives what the node asked for. */
async function verify(
  [publisher, holder]: readonly [ChannelClient, ChannelClient],
  checkResult: number,
): Promise<{ readonly nodeId: string; readonly topic: string; readonly topicForCert: string }> {
  const asked = await publisher.take(({ type }) => type === TYPE.verifyTopic);
  assert.match(asked.seq, /^0*[1-9]\d*$/);
  const wanted = JSON.parse(asked.data.toString()) as Awaited<ReturnType<typeof verify>>;
  assert.equal(asked.data.toString(), `${JSON.stringify(wanted)}\n`);
  publisher.send(TYPE.verifyTopic, "", { seq: asked.seq });
  await exchanged(publisher, holder, wanted.topicForCert);
  const { nodeId, topic } = wanted;
  const wrong = ["{}", `{"checkResult":"0","nodeId":"${nodeId}","topic":"${topic}"}`, "[]"];
  for (const text of wrong) publisher.send(TYPE.topicStatus, text);
  publisher.send(TYPE.topicStatus, JSON.stringify({ checkResult, nodeId, topic }));
  return wanted;
}

/** A unicast that reaches nobody. */
async function reachesNobody(sender: ChannelClient, topic: string): Promise<void> {
  const { result, data } = await sender.amop(TYPE.amopRequest, topicData(topic, "x"));
  assert.deepEqual([result, data.length], [100, 0]);
}

/** A publisher's node asks it to verify a subscriber of another node. */
async function verified(visit: Visit, checkResult: number) {
  const { topic, forCertificate, forPublisher } = privateTopic();
  const publisher = await visit.open(0);
  publisher.send(TYPE.topics, JSON.stringify([forPublisher]));
  const holder = await subscriber(visit, [1, publisher], forCertificate, topic);
  const { nodeId } = visit.node(1);
  assert.ok(!(await topicsOf(publisher, nodeId)).includes(topic));
  const wanted = await verify([publisher, holder], checkResult);
  assert.deepEqual(wanted, { nodeId, topic, topicForCert: forCertificate });
  return { publisher, holder, topic, nodeId };
}

/** The cases that two nodes need. */
export const AMOP_CASES: readonly RowCase<Visit>[] = [
  {
    rows: [...["1", "2", "3", "4", "5"].map((step) => `8.1 step ${step}`), ...rowsOf("4", 6, 7)],
    test: "a unicast reaches a subscriber of another node, and its answer the sender, unchanged",
    run: async (visit) => {
      const [sender, topic] = [await visit.open(0), newSeq()];
      const receiver = await subscriber(visit, [1, sender], topic);
      await exchanged(sender, receiver, topic);
      await Promise.all([sender.servesWhileAbstaining(), receiver.servesWhileAbstaining()]);
    },
  },
  {
    rows: ["8.1 text 2", "8.1 step 2"],
    test: "a unicast reaches a subscriber of the same node, the sender's own session too",
    run: async (visit) => {
      const [sender, topic, own] = [await visit.open(0), newSeq(), newSeq()];
      const receiver = await subscriber(visit, [0, undefined], topic);
      await exchanged(sender, receiver, topic);
      sender.send(TYPE.topics, JSON.stringify([own]));
      await exchanged(sender, sender, own);
      await Promise.all([sender.servesWhileAbstaining(), receiver.servesWhileAbstaining()]);
    },
  },
  {
    rows: ["8.1 step 5", ...rowsOf("3.1", 10)],
    test: "an answer of any type and result is taken for the answer when its seq is the request's",
    run: async (visit) => {
      const [sender, topic] = [await visit.open(0), newSeq()];
      const receiver = await subscriber(visit, [1, sender], topic);
      const seq = sender.send(TYPE.amopRequest, topicData(topic, "x"));
      await receiver.taken(TYPE.amopRequest, seq);
      receiver.send(TYPE.rpc, topicData(topic, "odd"), { seq });
      const answer = await sender.take((frame) => frame.seq === seq);
      assert.deepEqual([answer.result, answer.data], [0, topicData(topic, "odd")]);
      const failed = sender.send(TYPE.amopRequest, topicData(topic, "y"));
      await receiver.taken(TYPE.amopRequest, failed);
      receiver.send(TYPE.amopResponse, topicData(topic, "no"), { seq: failed, result: 7 });
      const { result, data } = await sender.taken(TYPE.amopResponse, failed);
      assert.deepEqual([result, data], [7, topicData(topic, "no")]);
      await receiver.servesWhileAbstaining();
    },
  },
  {
    rows: ["8.1 step 4", "8.1 text 1", ...rowsOf("9", 6), ...rowsOf("11", 3)],
    test: "a subscriber that stays silent for five seconds makes the sender see 104 and its data",
    run: async (visit) => {
      const [sender, topic] = [await visit.open(0), newSeq()];
      const receiver = await subscriber(visit, [1, sender], topic);
      const started = performance.now();
      const { result, data } = await sender.amop(TYPE.amopRequest, topicData(topic, "psst"));
      const waited = performance.now() - started;
      assert.deepEqual([result, data], [104, topicData(topic, "psst")]);
      assert.ok(waited > DELIVERY_LIMIT_MS - 50, `${waited} ms`);
      await receiver.take(({ type }) => type === TYPE.amopRequest);
      assert.deepEqual(receiver.unread, []);
    },
  },
  {
    rows: ["8.1 step 4"],
    test: "when a subscriber leaves without an answer, the next one of its node is asked",
    run: async (visit) => {
      const [sender, topic] = [await visit.open(0), newSeq()];
      const receivers = [
        await subscriber(visit, [1, sender], topic),
        await subscriber(visit, [1, sender], topic),
      ];
      const seq = sender.send(TYPE.amopRequest, topicData(topic, "x"));
      const asked = receivers.map((receiver) => receiver.taken(TYPE.amopRequest, seq));
      const first = await Promise.race(asked.map((it, index) => it.then(() => index)));
      await receivers[first]?.close();
      await asked[1 - first];
      receivers[1 - first]?.send(TYPE.amopResponse, topicData(topic, "me"), { seq });
      const { result, data } = await sender.taken(TYPE.amopResponse, seq);
      assert.deepEqual([result, data], [0, topicData(topic, "me")]);
    },
  },
  {
    rows: ["8.1 step 3", "8.1 step 4"],
    test: "who gets a unicast is chosen at random, among nodes and among sessions of a node",
    run: async (visit) => {
      const [sender, topic] = [await visit.open(0), newSeq()];
      const receivers = [
        await subscriber(visit, [0, undefined], topic),
        await subscriber(visit, [1, sender], topic),
        await subscriber(visit, [1, sender], topic),
      ];
      const counts = receivers.map((receiver) => answering(receiver, "here"));
      const sent = Array.from({ length: 2 * MANY }, (_, index) =>
        sender.amop(TYPE.amopRequest, topicData(topic, `${index}`)),
      );
      for (const { result } of await Promise.all(sent)) assert.equal(result, 0);
      const told = counts.map(({ count }) => count);
      assert.ok(
        told.every((count) => count > 0),
        `${told}`,
      );
      assert.equal(
        told.reduce((sum, count) => sum + count),
        2 * MANY,
      );
    },
  },
  {
    rows: ["8.2 text 1", ...rowsOf("4", 9)],
    test: "a multicast reaches every session with the topic on every node, and is echoed",
    run: async (visit) => {
      const [sender, topic] = [await visit.open(0), newSeq()];
      const data = topicData(topic, "all of you");
      const alone = await sender.amop(TYPE.multicast, data);
      assert.deepEqual([alone.result, alone.data], [0, data]);
      sender.send(TYPE.topics, JSON.stringify([topic]));
      const receivers = [
        sender,
        await subscriber(visit, [0, undefined], topic),
        await subscriber(visit, [1, sender], topic),
        await subscriber(visit, [1, sender], topic),
      ];
      const outsider = await subscriber(visit, [1, sender], newSeq());
      const seq = sender.send(TYPE.multicast, data);
      const answer = await sender.taken(TYPE.amopResponse, seq);
      assert.deepEqual([answer.result, answer.data], [0, data]);
      for (const receiver of receivers) {
        const heard = await receiver.take(isMulticast(seq));
        assert.deepEqual([heard.result, heard.data], [0, data]);
        receiver.send(TYPE.amopResponse, data, { seq });
      }
      for (const client of [...receivers, outsider]) await client.servesWhileAbstaining();
    },
  },
  {
    rows: ["8.1 text 3", "8.1 step 2"],
    test: "when the last subscriber leaves, a unicast reaches nobody any more",
    run: async (visit) => {
      const [sender, topic] = [await visit.open(0), newSeq()];
      const receiver = await subscriber(visit, [1, sender], topic);
      receiver.send(TYPE.topics, "[]");
      await untilShown(sender, [visit.node(1).nodeId, topic], false);
      await reachesNobody(sender, topic);
      await receiver.servesWhileAbstaining();
    },
  },
  {
    rows: [
      "8.4 text 1",
      ...["1", "2", "3", "4", "5"].map((step) => `8.4 step ${step}`),
      ...rowsOf("4", 10, 11),
    ],
    test: "a private topic is no candidate until its publisher has verified the subscriber",
    run: async (visit) => {
      const { publisher, holder, topic, nodeId } = await verified(visit, 0);
      await untilShown(publisher, [nodeId, topic]);
      await exchanged(publisher, holder, topic);
      await holder.servesWhileAbstaining();
    },
  },
  {
    rows: ["8.4 step 5", "8.4 text 1"],
    test: "a private topic whose check failed, or is not over, is no candidate",
    run: async (visit) => {
      const { publisher, holder, topic } = await verified(visit, 1);
      await reachesNobody(publisher, topic);
      const unchecked = privateTopic();
      const sender = await visit.open(0);
      await subscriber(visit, [1, sender], unchecked.forCertificate, unchecked.topic);
      await reachesNobody(sender, unchecked.topic);
      const { data } = await sender.amop(TYPE.multicast, topicData(unchecked.topic, "x"));
      assert.deepEqual(data, topicData(unchecked.topic, "x"));
      assert.equal(holder.unread.length, 0);
    },
  },
];
