/** The time limits of the channel port in real time, each with a session of its own. */
import assert from "node:assert/strict";
import type { ChannelClient } from "../support/channel/channel-client.ts";
import { newSeq, topicData, TYPE } from "../support/channel/channel-frames.ts";
import { type DevPlace, startDevPlace, Visit } from "../support/channel/channel-place.ts";
import { endLeftovers, stop } from "../support/process/dev-chain-process.ts";
import type { Soak } from "./soak.ts";

const SECOND_MS = 1_000;
const IDLE_MS = 60 * SECOND_MS;
const GRACE_MS = 30 * SECOND_MS;
const DELIVERY_MS = 5 * SECOND_MS;
/** A busy machine is late, and sessions are examined once in a second. */
const LATE_MS = 8 * SECOND_MS;
const EXCHANGE_MS = 30 * SECOND_MS;
const VERIFY_MS = 5 * SECOND_MS;
const SILENT = 8;
const BEAT_MS = 3 * SECOND_MS;
const LIFE_MS = 70 * SECOND_MS;

type Say = (line: string) => void;
type Case = readonly [name: string, expectedMs: number, run: (visit: Visit) => Promise<number>];

const sleep = (ms: number) => new Promise<void>((resume) => setTimeout(resume, ms));

async function lasts(work: Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work;
  return performance.now() - started;
}

async function silence(visit: Visit): Promise<number> {
  const client = await visit.open();
  return lasts(client.untilClosed(IDLE_MS + LATE_MS));
}

/** As python-sdk keeps a session: with heartbeats that nobody answers. */
async function unansweredBeats(visit: Visit): Promise<number> {
  const client = await visit.open();
  const started = performance.now();
  while (performance.now() - started < LIFE_MS) {
    client.send(TYPE.heartbeat, "");
    await sleep(BEAT_MS);
    assert.equal(client.isClosed, false);
  }
  await client.servesWhileAbstaining();
  return LIFE_MS;
}

/** A client is cut off when it sends to a connection that the node has given up. */
async function halfOpen(visit: Visit): Promise<number> {
  const client = await visit.open(0, { halfOpen: true });
  client.send(TYPE.handshake, '{"minimumSupport":9,"maximumSupport":9}');
  while (!client.wasToldEnd) await sleep(10);
  return lasts(untilCut(client));
}

async function untilCut(client: ChannelClient): Promise<void> {
  while (!client.isClosed) {
    client.send(TYPE.heartbeat, "0");
    await sleep(100);
  }
}

async function silentSubscriber(visit: Visit): Promise<number> {
  const [sender, receiver, topic] = [await visit.open(), await visit.open(), newSeq()];
  receiver.send(TYPE.topics, JSON.stringify([topic]));
  await receiver.result("getGroupList");
  const data = topicData(topic, "psst");
  return lasts(sender.amop(TYPE.amopRequest, data).then(({ result }) => assert.equal(result, 104)));
}

/** Each of them may take five seconds: together more than a whole exchange. */
async function silentSubscribers(visit: Visit): Promise<number> {
  const [sender, topic] = [await visit.open(), newSeq()];
  for (let opened = 0; opened < SILENT; opened++) {
    const receiver = await visit.open();
    receiver.send(TYPE.topics, JSON.stringify([topic]));
    await receiver.result("getGroupList");
  }
  const answer = sender.taken(
    TYPE.amopResponse,
    sender.send(TYPE.amopRequest, topicData(topic, "psst")),
    EXCHANGE_MS + LATE_MS,
  );
  return lasts(answer.then(({ result }) => assert.equal(result, 100)));
}

/** The time between two requests to a publisher that does not answer. */
async function silentPublisher(visit: Visit): Promise<number> {
  const topic = `#!$TopicNeedVerify_${newSeq()}`;
  const [publisher, holder] = [await visit.open(0), await visit.open(1)];
  publisher.send(TYPE.topics, JSON.stringify([`#!$PushChannel_${topic}`]));
  const forCertificate = `#!$VerifyChannel_${topic}_${newSeq()}`;
  holder.send(TYPE.topics, JSON.stringify([forCertificate, topic]));
  const asked = () => publisher.take(({ type }) => type === TYPE.verifyTopic);
  await asked();
  return lasts(asked());
}

const CASES: readonly Case[] = [
  ["a silent session ends", IDLE_MS, silence],
  ["a session with unanswered heartbeats lives", LIFE_MS, unansweredBeats],
  ["a client that does not close is cut off", GRACE_MS, halfOpen],
  ["a silent subscriber is given up", DELIVERY_MS, silentSubscriber],
  ["a whole exchange with silent subscribers ends", EXCHANGE_MS, silentSubscribers],
  ["a silent publisher is asked again", VERIFY_MS, silentPublisher],
];

async function measure(place: DevPlace, say: Say): Promise<void> {
  const measured = CASES.map(async ([name, expected, run]) => {
    const visit = new Visit(place);
    const taken = await run(visit).finally(() => visit.end());
    say(`${name}: ${(taken / SECOND_MS).toFixed(1)} s`);
    assert.ok(taken > expected - SECOND_MS && taken < expected + LATE_MS, name);
  });
  await Promise.all(measured);
}

/** The check. */
export const channelTimesSoak: Soak = {
  about: "time limits of the channel port in real time",
  async run(_, say) {
    const place = await startDevPlace(2);
    try {
      await measure(place, say);
    } finally {
      await stop(place.process).finally(endLeftovers);
    }
  },
};
