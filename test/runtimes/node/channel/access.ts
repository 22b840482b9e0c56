/** Cases of lists of SDKs and limits. Source: channel-protocol 6, 7.3, 8.3, 10 */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type ChannelClient,
  refusalOf,
  requestText,
  type RpcAnswer,
} from "../../../support/channel/channel-client.ts";
import {
  BLOCK_RANGE,
  type FolderPlace,
  GROUP,
  GROUP_LIMIT,
  listSdks,
  NODE_LIMIT,
} from "../../../support/channel/channel-folder-place.ts";
import { frameBytes, newSeq, topicData, TYPE } from "../../../support/channel/channel-frames.ts";
import type { Visit } from "../../../support/channel/channel-place.ts";
import { answerOf, askUntil } from "../../../support/process/dev-chain-process.ts";
import { word } from "../../../support/channel/outside-client.ts";
import { codeOf, type Wanted } from "./events.ts";
import { type RowCase, rowsOf } from "./row-case.ts";
import { OVER_LIMIT, untilShown } from "./topics.ts";

const NOT_ALLOWED = -40_012;
const PAUSE_MS = 1_300;
/** Of two megabytes a quarter is four times what a second gives. */
const LARGE_CONTENT = Buffer.alloc(2_000_000, "x");

type Place = Visit<FolderPlace>;

/** A session of the SDK that is on no list, with node 0. */
function outsider(visit: Place): Promise<ChannelClient> {
  return visit.openAt({ ...visit.node(0).channel, sdk: visit.place.outsider });
}

function isNotAllowed({ error, id }: RpcAnswer, method: string): void {
  assert.equal(error?.code, NOT_ALLOWED, method);
  assert.equal(error?.message, `${method} The SDK is not allowed to access this group`);
  assert.equal(id, null, method);
}

function filterOf(groupId: number, changes: Wanted = {}): Wanted {
  return { filterID: newSeq(), groupID: groupId, addresses: [], topics: [], ...changes };
}

type Request = readonly [method: string, ...params: unknown[]];

function times(count: number, request: Request): readonly Request[] {
  return Array.from({ length: count }, () => request);
}

/** Sends requests in one write; gives the answers. */
async function burst(client: ChannelClient, requests: readonly Request[]): Promise<RpcAnswer[]> {
  const seqs = requests.map(newSeq);
  const frames = requests.map(([method, ...params], index) =>
    frameBytes(TYPE.rpc, requestText(method, params, index), seqs[index] ?? ""),
  );
  await client.sendBytes(Buffer.concat(frames));
  const answers = [];
  for (const seq of seqs) {
    const { data } = await client.taken(TYPE.rpc, seq);
    answers.push(JSON.parse(data.toString()) as RpcAnswer);
  }
  return answers;
}

/** The refused of many answers; each says what and under which id. */
function refusedOf(answers: readonly RpcAnswer[], method: string, firstId = 0): number {
  let refused = 0;
  for (const [index, { error, id }] of answers.entries()) {
    assert.equal(id, firstId + index, "the id is echoed");
    if (error === undefined) continue;
    assert.deepEqual([error.code, error.message], [OVER_LIMIT, `${method} Over QPS limit`]);
    refused++;
  }
  return refused;
}

/** A bucket of this many permits is emptied, refuses, and fills again. */
async function isLimited(client: ChannelClient, limit: number, request: Request): Promise<void> {
  const [method] = request;
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  const sent = 4 * limit;
  const send = async () => refusedOf(await burst(client, times(sent, request)), method);
  let refused = await send();
  assert.ok(refused <= sent - limit, `${refused} of ${sent} refused`);
  // A machine that reads a burst for seconds fills the bucket meanwhile.
  while (refused < limit) refused = await send();
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  assert.equal(refusedOf(await burst(client, [request]), method), 0);
}

/** Changes the list of group 2 on node 0, and waits until the node obeys. */
async function relist(visit: Place, ids: readonly string[], witness: ChannelClient, isIn: boolean) {
  const [node] = visit.place.processes;
  assert.ok(node);
  await listSdks(node, GROUP.changing, ids);
  await writeFile(join(node.folder, "config.ini.reset_allowlist"), "");
  await askUntil(
    () => witness.rpc("getBlockNumber", GROUP.changing),
    ({ error }) => (error === undefined) === isIn,
  );
}

/** The cases. */
export const ACCESS_CASES: readonly RowCase<Place>[] = [
  {
    rows: [...rowsOf("10", 2), ...rowsOf("6", 1), "6 text 3", "2.2 text 4"],
    test: "an SDK that is on no list is refused what is of the group, and nothing else",
    run: async (visit) => {
      const client = await outsider(visit);
      const asked: readonly (readonly [method: string, ...params: unknown[]])[] = [
        ["getBlockNumber", 1],
        ["getBlockNumber", "1"],
        ["getPbftView", 1, "surplus"],
        ["call", 1],
        ["sendRawTransaction", 1, "0x01"],
        ["getCode", 1],
        ["queryGroupStatus", 1],
      ];
      for (const [method, ...params] of asked)
        isNotAllowed(await client.rpc(method, ...params), method);
      for (const method of ["getClientVersion", "getGroupList", "getPeers", "getNodeIDList"])
        await client.result(method, 1);
      await client.result("getBlockNumber", GROUP.full);
      assert.equal((await client.rpc("getBlockNumber", "x")).error?.code, -32_602);
      assert.equal((await client.rpc("getBlockNumber")).error?.code, -32_602);
      const overHttp = await answerOf(visit.node(0).rpc, "getBlockNumber", [1]);
      assert.equal(overHttp.error, undefined);
      const listed = await visit.open();
      await listed.result("getBlockNumber", 1);
    },
  },
  {
    rows: ["6 text 3"],
    test: "each element of a batch is checked",
    run: async (visit) => {
      const client = await outsider(visit);
      const elements = [requestText("getBlockNumber", [1], 5), requestText("getGroupList", [], 6)];
      const { data } = await client.ask(TYPE.rpc, `[${elements.join(",")}]`);
      const [first, second] = JSON.parse(data.toString()) as RpcAnswer[];
      assert.equal(first?.error?.code, NOT_ALLOWED);
      assert.deepEqual(second?.result, Object.values(GROUP));
    },
  },
  {
    rows: ["6 text 2"],
    test: "a request that is no JSON is refused as such before anything else",
    run: async (visit) => {
      const client = await outsider(visit);
      const text = '{"jsonrpc":"2.0","method":"getBlockNumber","params":[1]';
      const { data } = await client.ask(TYPE.rpc, text);
      assert.equal((JSON.parse(data.toString()) as RpcAnswer).error?.code, -32_700);
    },
  },
  {
    rows: [...rowsOf("7.3", 16), ...rowsOf("10", 2), "7.3 text 2"],
    test: "an SDK that is on no list registers and unregisters no filter of the group",
    run: async (visit) => {
      const client = await outsider(visit);
      for (const type of [TYPE.register, TYPE.unregister]) {
        assert.equal(await codeOf(client, type, filterOf(GROUP.listed)), -41_006);
        assert.equal(await codeOf(client, type, filterOf(99)), -41_002);
        assert.equal(await codeOf(client, type, filterOf(0)), -41_001);
        const backwards = filterOf(GROUP.listed, { fromBlock: "9", toBlock: "3" });
        assert.equal(await codeOf(client, type, backwards), -41_006);
      }
      assert.equal(await codeOf(client, TYPE.register, filterOf(GROUP.full)), 0);
    },
  },
  {
    rows: [...rowsOf("10", 2), "7.2 text 2"],
    test: "an SDK that is on no list is told blocks, and uses topics",
    run: async (visit) => {
      const [client, sender] = [await outsider(visit), await visit.open()];
      const topic = newSeq();
      client.send(TYPE.topics, JSON.stringify([topic, "_block_notify_1"]));
      await client.result("getGroupList");
      const data = topicData(topic, "hello");
      const seq = sender.send(TYPE.multicast, data);
      await client.taken(TYPE.multicast, seq);
      assert.equal((await client.amop(TYPE.multicast, data)).result, 0);
      await visit.deploy(sender);
      await client.take(({ type }) => type === TYPE.blockPush);
    },
  },
  {
    rows: [...rowsOf("10", 2), "7.3 text 4"],
    test: "lists are read again while the node runs; a filter is silent while it is not allowed",
    lane: "group 2",
    run: async (visit) => {
      const [client, sender] = [await outsider(visit), await visit.open()];
      const groupId = BigInt(GROUP.changing);
      isNotAllowed(await client.rpc("getBlockNumber", GROUP.changing), "getBlockNumber");
      const own = visit.place.ownId;
      const both = [own, visit.place.outsiderId];
      await relist(visit, both, client, true);
      const contract = await visit.deploy(sender, { groupId });
      const emitted = (value: number) =>
        visit.transact(sender, { groupId, to: contract, data: `0x${word(value)}${word(0)}` });
      const filter = filterOf(GROUP.changing, { addresses: [contract] });
      assert.equal(await codeOf(client, TYPE.register, filter), 0);
      const isPush = (value: number) => (frame: { type: number; data: Buffer }) =>
        frame.type === TYPE.eventPush && frame.data.includes(word(value));
      await emitted(1);
      await client.take(isPush(1));
      await relist(visit, [own], client, false);
      await emitted(2);
      await client.result("getGroupList");
      assert.deepEqual(client.unread.filter(isPush(2)), []);
      await relist(visit, both, client, true);
      await emitted(3);
      await client.take(isPush(3));
    },
  },
  {
    rows: [...rowsOf("10", 3), ...rowsOf("6", 2), "10 text 1"],
    test: "requests beyond those of a second are refused under their id, over HTTP they are not",
    run: async (visit) => {
      const client = await visit.open(1);
      await isLimited(client, NODE_LIMIT, ["getGroupList"]);
      // In one write: permits come back while answers are read.
      const versions = times(4 * NODE_LIMIT, ["getClientVersion"]);
      const peers = times(NODE_LIMIT / 2, ["getPeers", 1]);
      const answers = await burst(client, [...versions, ...peers]);
      const [first, next] = [answers.slice(0, versions.length), answers.slice(versions.length)];
      assert.equal(refusedOf(first, "getClientVersion"), 0);
      const refused = refusedOf(next, "getPeers", versions.length);
      assert.ok(refused > 0, "versions used the permits up");
      const overHttp = await answerOf(visit.node(1).rpc, "getPeers", [1]);
      assert.equal(overHttp.error, undefined);
    },
  },
  {
    rows: [...rowsOf("10", 4), "6 text 2"],
    test: "requests to a group beyond those of a second are refused, to others they are not",
    lane: "group 3",
    run: async (visit) => {
      const client = await visit.open();
      await isLimited(client, GROUP_LIMIT, ["getBlockNumber", GROUP.forgetful]);
      const answers = await burst(client, times(8 * GROUP_LIMIT, ["getBlockNumber", GROUP.full]));
      assert.equal(refusedOf(answers, "getBlockNumber"), 0);
    },
  },
  {
    rows: ["8.3 text 1", ...rowsOf("10", 5), ...rowsOf("9", 5)],
    test: "messages beyond the bandwidth are answered with 103 and no data",
    run: async (visit) => {
      const client = await visit.open(1);
      const topic = newSeq();
      client.send(TYPE.topics, JSON.stringify([topic]));
      const refused = await client.amop(TYPE.amopRequest, topicData(topic, LARGE_CONTENT));
      assert.deepEqual([refused.result, refused.data.length], [103, 0]);
      const [far, farTopic] = [await visit.open(0), newSeq()];
      far.send(TYPE.topics, JSON.stringify([farTopic]));
      await untilShown(client, [visit.node(0).nodeId, farTopic]);
      const many = await client.amop(TYPE.multicast, topicData(farTopic, LARGE_CONTENT));
      assert.deepEqual([many.result, many.data.length], [103, 0]);
      const seq = client.send(TYPE.multicast, topicData(topic, "small"));
      await client.taken(TYPE.multicast, seq);
      assert.equal((await client.taken(TYPE.amopResponse, seq)).result, 0);
    },
  },
  {
    rows: [...rowsOf("10", 1), "2.2 text 3"],
    test: "without the check of the issuer an SDK of another agency is admitted",
    run: async (visit) => {
      const { otherAgency: sdk } = visit.place;
      assert.notEqual(await refusalOf({ ...visit.node(0).channel, sdk }), "admitted");
      assert.equal(await refusalOf({ ...visit.node(1).channel, sdk }), "admitted");
    },
  },
  {
    rows: ["7.3 text 2", ...rowsOf("7.3", 13)],
    test: "a filter that spans more blocks than allowed is refused",
    run: async (visit) => {
      const client = await visit.open();
      for (let made = 0; made <= BLOCK_RANGE; made++) await visit.deploy(client);
      const all = filterOf(GROUP.listed, { fromBlock: "0" });
      assert.equal(await codeOf(client, TYPE.register, all), -41_003);
      assert.equal(await codeOf(client, TYPE.register, filterOf(GROUP.listed)), 0);
    },
  },
];
