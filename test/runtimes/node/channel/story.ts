/** The whole way of an application, and clients that do as the SDKs do. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { requestText } from "../../../support/channel/channel-client.ts";
import { frameBytes, newSeq, topicData, TYPE } from "../../../support/channel/channel-frames.ts";
import type { DevPlace, Visit } from "../../../support/channel/channel-place.ts";
import { abiText, callData, textCallData } from "../../../support/channel/outside-client.ts";
import { compileContract } from "../../../support/execution/solidity.ts";
import { type RowCase, rowsOf } from "./row-case.ts";
import { untilShown } from "./topics.ts";
import { provesItself } from "./transactions.ts";

type Place = Visit<DevPlace>;

/** An answer of this many bytes: it repeats its id. */
const LONG_ID = "y".repeat(100_000);
/** Far more than a node keeps for one session that does not read, or than sockets buffer. */
const UNREAD_REQUESTS = 600;
/** What a session that does not read may cost, the run-time's own leeway included. */
const MOST_GROWTH_BYTES = 96 * 1024 * 1024;
/** With this many the flood has begun. */
const FLOOD_BEGUN = 10;

export function helloWorld(): string {
  const { HelloWorld } = compileContract("HelloWorld.sol", "solc04");
  assert.ok(HelloWorld);
  return `0x${HelloWorld.bytecode}`;
}

/** Resident memory of a process. */
function residentBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return 1024 * Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]);
}

/** The cases. */
export const STORY_CASES: readonly RowCase<Place>[] = [
  {
    rows: ["6 text 1", ...rowsOf("5.1", 4)],
    test: "connect, deploy, set, get, receipt, proofs, events, blocks, messages across two nodes",
    run: async (visit) => {
      const client = await visit.open(0);
      assert.equal(await client.handshake(3), 3);
      const topic = newSeq();
      client.send(TYPE.topics, JSON.stringify(["_block_notify_1", topic]));

      const deployed = await visit.transact(client, { data: helloWorld(), gas: 100_000_000n });
      assert.equal(deployed.status, "0x0");
      const to = deployed.contractAddress;
      const filter = { filterID: newSeq(), groupID: 1, addresses: [], topics: [] };
      const registered = await client.ask(
        TYPE.register,
        topicData("", JSON.stringify({ ...filter, fromBlock: "0x0" })),
      );
      assert.equal(registered.data.toString("latin1"), '\u0001{"result":0}\n');

      const data = textCallData("set(string)", "over the channel");
      const set = await visit.transact(client, { to, data }, "sendRawTransactionAndGetProof");
      assert.equal(set.status, "0x0");
      await provesItself(client, set);
      const get = { from: to, to, value: "0x0", data: callData("get()") };
      const { output } = await client.result<{ output: string }>("call", 1, get);
      assert.equal(abiText(output), "over the channel");

      const number = Number(set.blockNumber);
      const told = topicData("_block_notify_1", `{"blockNumber":${number},"groupID":1}\n`);
      await client.take((frame) => frame.type === TYPE.blockPush && frame.data.equals(told));
      const contract = await visit.deploy(client);
      const [first, second] = [newSeq(), newSeq()].map((it) => it.padStart(64, "0"));
      await visit.transact(client, { to: contract, data: `0x${first}${second}` });
      const logged = ({ type, data: text }: { type: number; data: Buffer }) =>
        type === TYPE.eventPush && text.includes(`0x${first}`);
      await client.take(logged);

      const other = await visit.open(1);
      await untilShown(other, [visit.node(0).nodeId, topic]);
      const unicast = other.send(TYPE.amopRequest, topicData(topic, "to one"));
      await client.taken(TYPE.amopRequest, unicast);
      client.send(TYPE.amopResponse, topicData(topic, "heard"), { seq: unicast });
      const answer = await other.taken(TYPE.amopResponse, unicast);
      assert.deepEqual([answer.result, answer.data], [0, topicData(topic, "heard")]);
      const multicast = other.send(TYPE.multicast, topicData(topic, "to all"));
      await client.taken(TYPE.multicast, multicast);
      assert.equal((await other.taken(TYPE.amopResponse, multicast)).result, 0);
    },
  },
  {
    rows: [...rowsOf("5.1", 1), "2.3 text 1", "4 text 1"],
    test: "a client that takes each read for one frame, and never shakes hands, sends and is told",
    run: async (visit) => {
      const client = await visit.open();
      const head = await client.result<string>("getBlockNumber", 1);
      client.send(TYPE.topics, '["_block_notify_1"]');
      const seqs: string[] = [];
      for (let sent = 0; sent < 10; sent++) {
        const { raw } = await visit.signed(client, { data: "0x" });
        seqs.push(client.send(TYPE.rpc, requestText("sendRawTransaction", [1, raw])));
      }
      for (const seq of seqs) {
        const { data } = await client.taken(TYPE.receiptPush, seq);
        const receipt = JSON.parse(data.toString()) as Record<string, unknown>;
        assert.ok(receipt["status"] !== undefined && !("result" in receipt));
      }
      assert.ok(Number(head) >= 0);
      assert.deepEqual(client.reads, client.lengths);
    },
  },
  {
    rows: ["2.3 text 2", "3.1 text 2"],
    test: "a session that does not read costs bounded memory and delays nobody",
    run: async (visit) => {
      const { pid } = visit.place.process.child;
      assert.ok(pid !== undefined);
      const [slow, other] = [await visit.open(), await visit.open()];
      slow.socket.pause();
      const before = residentBytes(pid);
      let taken = 0;
      const flood = async () => {
        const text = requestText("getGroupList", [], LONG_ID);
        for (; taken < UNREAD_REQUESTS; taken++)
          await slow.sendBytes(frameBytes(TYPE.rpc, text, newSeq(), 0));
      };
      const ended = flood().catch(() => undefined);
      while (taken < FLOOD_BEGUN) await new Promise((resolve) => setTimeout(resolve, 5));
      let most = 0;
      for (let asked = 0; asked < 40; asked++) {
        await other.result("getBlockNumber", 1);
        most = Math.max(most, residentBytes(pid) - before);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      // What is still here was not served before the other client's requests.
      assert.ok(taken < UNREAD_REQUESTS, "the whole flood was taken in");
      assert.ok(most < MOST_GROWTH_BYTES, `${most} bytes more`);
      await slow.close();
      await ended;
      await other.result("getBlockNumber", 1);
    },
  },
];
