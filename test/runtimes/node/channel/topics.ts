/** Cases of topics and block notifications. Source: channel-protocol 7.1, 7.2 */
import assert from "node:assert/strict";
import type { ChannelClient } from "../../../support/channel/channel-client.ts";
import {
  newSeq,
  PUSH_SEQ,
  readTopicData,
  topicData,
  TYPE,
  type WireFrame,
} from "../../../support/channel/channel-frames.ts";
import { EMITTER_CREATION, type Visit } from "../../../support/channel/channel-place.ts";
import { askUntil } from "../../../support/process/dev-chain-process.ts";
import { type RowCase, rowsOf } from "./row-case.ts";

/** Code of a request beyond those of a second. */
export const OVER_LIMIT = -40_011;

interface SeenPeer {
  readonly NodeID: string;
  readonly Topic: readonly string[];
}

function topicsAmong(peers: readonly SeenPeer[], nodeId: string): readonly string[] {
  return peers.find(({ NodeID }) => NodeID === nodeId)?.Topic ?? [];
}

/** The topics that a node shows of another. */
export async function topicsOf(client: ChannelClient, nodeId: string): Promise<readonly string[]> {
  return topicsAmong(await client.result("getPeers", 1), nodeId);
}

async function ownTopics(client: ChannelClient): Promise<readonly string[]> {
  return (await client.result<{ Topic: readonly string[] }>("getNodeInfo")).Topic;
}

/** Waits until a node shows a topic of another, or does not any more. */
export async function untilShown(
  client: ChannelClient,
  [nodeId, topic]: readonly [nodeId: string, topic: string],
  isShown = true,
): Promise<readonly string[]> {
  const once = async () => {
    const { result, error } = await client.rpc("getPeers", 1);
    // A node with a limit of requests wants to be asked less often: that is no answer.
    if (error) assert.equal(error.code, OVER_LIMIT, error.message);
    return error ? undefined : topicsAmong(result as readonly SeenPeer[], nodeId);
  };
  const isThere = (topics?: readonly string[]) => topics?.includes(topic) === isShown;
  return (await askUntil(once, isThere)) ?? assert.fail();
}

function isBlockPush({ type }: WireFrame): boolean {
  return type === TYPE.blockPush;
}

/** What is pushed for a block, by version. */
function contentOf(version: number, number: number): string {
  return version === 1 ? `1,${number}` : `{"blockNumber":${number},"groupID":1}\n`;
}

/** A case of the notification of a version. */
function notified(version: number, rows: readonly string[]): RowCase<Visit> {
  const run = async (visit: Visit) => {
    const client = await visit.open(1);
    if (version > 1) await client.handshake(version);
    client.send(TYPE.topics, '["_block_notify_1"]');
    const sender = await visit.open(0);
    const numbers = [];
    for (let sent = 0; sent < 2; sent++)
      numbers.push(Number((await visit.transact(sender, { data: EMITTER_CREATION })).blockNumber));
    for (const number of numbers) {
      const expected = topicData("_block_notify_1", contentOf(version, number));
      const push = await client.take((it) => isBlockPush(it) && it.data.equals(expected));
      assert.deepEqual([push.seq, push.result], [PUSH_SEQ, 0]);
    }
    const seen = client.unread.map(({ data }) => data.toString("latin1"));
    assert.equal(new Set(seen).size, seen.length, "no block is told twice");
  };
  const told = version === 1 ? "as text" : "as JSON";
  return { rows, test: `in version ${version} each block is told ${told}`, run };
}

/** The cases. */
export const TOPIC_CASES: readonly RowCase<Visit>[] = [
  {
    rows: ["7.1 text 1", ...rowsOf("4", 8)],
    test: "topics replace those before, are shown by own node and peer, and go with the session",
    run: async (visit) => {
      const [client, witness] = [await visit.open(0), await visit.open(1)];
      const { nodeId } = visit.node(0);
      const [first, second, third] = [newSeq(), newSeq(), "_block_notify_4711"];
      client.send(TYPE.topics, JSON.stringify([first, second]));
      await untilShown(witness, [nodeId, second]);
      assert.ok((await ownTopics(client)).includes(first));
      client.send(TYPE.topics, JSON.stringify([second, third]));
      await untilShown(witness, [nodeId, first], false);
      const shown = await untilShown(witness, [nodeId, third]);
      assert.ok(shown.includes(second));
      client.send(TYPE.topics, "[]");
      await untilShown(witness, [nodeId, second], false);
      assert.ok(!(await ownTopics(client)).includes(third));
      client.send(TYPE.topics, JSON.stringify([third]));
      await untilShown(witness, [nodeId, third]);
      await client.servesWhileAbstaining();
      await client.close();
      await untilShown(witness, [nodeId, third], false);
    },
  },
  {
    rows: ["7.1 text 1"],
    test: "a topic stays as long as one of its sessions",
    run: async (visit) => {
      const [one, other] = [await visit.open(), await visit.open()];
      const [shared, own] = [newSeq(), newSeq()];
      one.send(TYPE.topics, JSON.stringify([shared, own]));
      other.send(TYPE.topics, JSON.stringify([shared]));
      await askUntil(
        () => ownTopics(other),
        (topics) => topics.includes(own),
      );
      await one.close();
      await askUntil(
        () => ownTopics(other),
        (topics) => !topics.includes(own),
      );
      assert.ok((await ownTopics(other)).includes(shared));
    },
  },
  notified(1, ["7.2 text 1", ...rowsOf("7.2", 1), ...rowsOf("5.2", 5), ...rowsOf("4", 13)]),
  notified(2, ["7.2 text 1", ...rowsOf("7.2", 2), ...rowsOf("5.2", 5)]),
  notified(3, ["7.2 text 1", ...rowsOf("7.2", 2), ...rowsOf("5.2", 5), "4 text 2"]),
  {
    rows: ["7.2 text 1", "7.2 text 2", "4 text 1"],
    test: "a session without the topic of the group is told no block, and none at subscription",
    run: async (visit) => {
      const [client, sender] = [await visit.open(), await visit.open()];
      const topics = ["_block_notify_2", "_block_notify_01", "_block_notify_", "block_notify_1"];
      client.send(TYPE.topics, JSON.stringify(topics));
      await visit.transact(sender, { data: EMITTER_CREATION });
      await client.servesWhileAbstaining();
      client.send(TYPE.topics, '["_block_notify_1"]');
      const head = Number(await client.result("getBlockNumber", 1));
      for (const push of client.unread.filter(isBlockPush)) {
        const { content } = readTopicData(push.data);
        assert.ok(Number(content.toString().split(",")[1]) >= head);
      }
    },
  },
  {
    rows: ["4 text 1", "7.2 text 1"],
    test: "messages to the topic of blocks reach nobody",
    run: async (visit) => {
      const [client, sender, far] = [await visit.open(), await visit.open(), await visit.open(1)];
      for (const it of [client, far]) it.send(TYPE.topics, '["_block_notify_1"]');
      await untilShown(sender, [visit.node(1).nodeId, "_block_notify_1"]);
      const data = topicData("_block_notify_1", "1,1000000");
      const refused = await sender.amop(TYPE.amopRequest, data);
      assert.deepEqual([refused.result, refused.data.length], [100, 0]);
      const echoed = await sender.amop(TYPE.multicast, data);
      assert.deepEqual([echoed.result, echoed.data], [0, data]);
      for (const it of [client, far]) {
        await it.result("getGroupList");
        const others = it.unread.filter((frame) => !isBlockPush(frame));
        assert.deepEqual(others, []);
      }
    },
  },
];
