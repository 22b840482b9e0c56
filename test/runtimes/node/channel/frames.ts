/** Cases of records, frames and what is read. Source: channel-protocol 2.3, 3, 3.1, 13 */
import assert from "node:assert/strict";
import { requestText } from "../../../support/channel/channel-client.ts";
import {
  frameBytes,
  HEAD_BYTES,
  newSeq,
  topicData,
  TYPE,
} from "../../../support/channel/channel-frames.ts";
import type { Visit } from "../../../support/channel/channel-place.ts";
import { framesFillRecords, textLengths } from "../../../support/channel/tls-records.ts";
import { WORKED_SEQ, workedFrame } from "../../../support/channel/worked-frames.ts";
import { type RowCase, rowsOf } from "./row-case.ts";

/** More than one record holds. */
const LONG_TEXT = "x".repeat(17_000);
const LARGEST_FRAME = 104_857_600;
const UNKNOWN_TYPE = 0x0099;

/** The records of a session that asks many things at once. */
/** Ids have a thousand characters at most: a longer text is the ids of a batch. */
const ID_CHARS = 1_000;

function requestOf(id: string): string {
  const ids: string[] = [];
  for (let at = 0; at < id.length; at += ID_CHARS) ids.push(id.slice(at, at + ID_CHARS));
  const requests = ids.map((part) => requestText("getGroupList", [], part));
  return ids.length === 1 ? requests.join() : `[${requests.join()}]`;
}

function idOf(answer: string): string {
  const parsed = JSON.parse(answer) as { id: string } | { id: string }[];
  return [parsed]
    .flat()
    .map(({ id }) => id)
    .join("");
}

async function pipelined(visit: Visit, ids: readonly string[]): Promise<void> {
  const client = await visit.open(0, { recorded: true });
  const seqs = ids.map(newSeq);
  const requests = ids.map((id, index) => frameBytes(TYPE.rpc, requestOf(id), seqs[index] ?? ""));
  await client.sendBytes(Buffer.concat(requests));
  for (const [index, seq] of seqs.entries()) {
    const { data } = await client.taken(TYPE.rpc, seq);
    assert.equal(idOf(data.toString()), ids[index]);
  }
  const texts = textLengths(client.recorded?.records() ?? []);
  assert.equal(client.lengths.length, ids.length);
  assert.ok(framesFillRecords(client.lengths, texts), `${client.lengths} in ${texts}`);
}

/** Sends bytes that end a session; other sessions are not concerned. */
async function endsSession(visit: Visit, bytes: Buffer): Promise<void> {
  const other = await visit.open();
  const client = await visit.open();
  await client.sendBytes(bytes);
  await client.untilClosed(20_000);
  assert.ok(client.wasToldEnd, "TLS was shut down before TCP");
  assert.deepEqual(client.unread, []);
  await other.servesWhileAbstaining();
}

function headOf(length: number): Buffer {
  const head = frameBytes(TYPE.rpc, "", newSeq());
  head.writeUInt32BE(length, 0);
  return head;
}

/** The cases. */
export const FRAME_CASES: readonly RowCase<Visit>[] = [
  {
    rows: ["2.1 text 1", "2.3 text 1", "2.3 text 2"],
    test: "sixty requests at once are answered in records of their own, each under its seq",
    run: (visit) =>
      pipelined(
        visit,
        Array.from({ length: 60 }, (_, index) => `${index}`),
      ),
  },
  {
    rows: ["2.3 text 1"],
    test: "an answer longer than a record and a short one behind it share no record",
    run: (visit) => pipelined(visit, [LONG_TEXT, "short", LONG_TEXT, LONG_TEXT, "short"]),
  },
  {
    rows: rowsOf("14", 22),
    test: "two hundred requests at once are answered in records of their own",
    run: (visit) =>
      pipelined(
        visit,
        Array.from({ length: 200 }, (_, index) => `${index}`),
      ),
  },
  {
    rows: ["2.3 text 1", "4 text 1"],
    test: "a client that takes each read for a frame gets sixty frames in sixty reads",
    run: async (visit) => {
      const client = await visit.open();
      const seqs = Array.from({ length: 60 }, () =>
        client.send(TYPE.rpc, requestText("getGroupList", [1])),
      );
      for (const seq of seqs) assert.equal((await client.taken(TYPE.rpc, seq)).result, 0);
      assert.deepEqual(client.reads, client.lengths);
    },
  },
  {
    rows: [...rowsOf("3", 1, 5), "3.1 text 2", ...rowsOf("4", 1)],
    test: "the worked request of the specification is answered under its seq, newline last",
    run: async (visit) => {
      const client = await visit.open();
      await client.sendBytes(workedFrame("H1"));
      const { result, data } = await client.taken(TYPE.rpc, WORKED_SEQ);
      assert.equal(result, 0);
      const text = /^\{"id":1,"jsonrpc":"2\.0","result":"0x[0-9a-f]+"\}\n$/;
      assert.match(data.toString("utf8"), text);
      assert.deepEqual(client.lengths, [HEAD_BYTES + data.length]);
    },
  },
  {
    rows: rowsOf("3", 3),
    test: "a seq that is no text is echoed byte for byte",
    run: async (visit) => {
      const client = await visit.open();
      const seq = Buffer.from(Array.from({ length: 32 }, (_, index) => 255 - 8 * index));
      await client.ask(TYPE.heartbeat, "0", { seq: seq.toString("latin1") });
      assert.deepEqual(client.unread, []);
    },
  },
  {
    rows: ["3 text 1", ...rowsOf("9", 2)],
    test: "a topic of 254 bytes is taken and found",
    run: async (visit) => {
      const topic = `t${newSeq()}`.padEnd(254, "x");
      const client = await visit.open();
      client.send(TYPE.topics, JSON.stringify([topic]));
      const seq = client.send(TYPE.amopRequest, topicData(topic, "long"));
      const { data } = await client.taken(TYPE.amopRequest, seq);
      assert.deepEqual(data, topicData(topic, "long"));
      client.send(TYPE.amopResponse, topicData(topic, "heard"), { seq });
      assert.equal((await client.taken(TYPE.amopResponse, seq)).result, 0);
    },
  },
  {
    rows: [...rowsOf("3.1", 1), ...rowsOf("14", 2), "2.1 row 6"],
    test: "a frame that says to be longer than 100 MiB ends the session, TLS first",
    run: (visit) => endsSession(visit, headOf(LARGEST_FRAME + 1)),
  },
  {
    rows: [...rowsOf("3.1", 4), ...rowsOf("14", 1), "3.1 text 1"],
    test: "a frame that says to be shorter than its head ends the session at once",
    run: async (visit) => {
      await endsSession(visit, headOf(0));
      await endsSession(visit, headOf(HEAD_BYTES - 1));
    },
  },
  {
    rows: [...rowsOf("3.1", 2, 3)],
    test: "a frame that says to be 100 MiB long is waited for while others are served",
    run: async (visit) => {
      const client = await visit.open();
      await client.sendBytes(headOf(LARGEST_FRAME));
      await client.sendBytes(Buffer.alloc(100_000));
      const other = await visit.open();
      for (let asked = 0; asked < 5; asked++) await other.servesWhileAbstaining();
      assert.equal(client.isClosed, false);
      assert.deepEqual(client.unread, []);
    },
  },
  {
    rows: [...rowsOf("3.1", 5), ...rowsOf("14", 3)],
    test: "a frame of an unknown type is ignored and the next one answered",
    run: async (visit) => {
      const client = await visit.open();
      for (const type of [UNKNOWN_TYPE, 0, 0xffff]) client.send(type, "");
      // Types that only the node sends.
      for (const type of [TYPE.receiptPush, TYPE.blockPush, TYPE.eventPush])
        client.send(type, "{}");
      await client.servesWhileAbstaining();
    },
  },
  {
    rows: [...rowsOf("3.1", 12), ...rowsOf("14", 20)],
    test: "two frames in one record are both answered",
    run: async (visit) => {
      const client = await visit.open();
      const [first, second] = [newSeq(), newSeq()];
      const heartbeat = frameBytes(TYPE.heartbeat, "0", first);
      const request = frameBytes(TYPE.rpc, requestText("getGroupList", []), second);
      await client.sendBytes(Buffer.concat([heartbeat, request]));
      await client.taken(TYPE.heartbeat, first);
      await client.taken(TYPE.rpc, second);
    },
  },
  {
    rows: [...rowsOf("3.1", 3), ...rowsOf("3.1", 12), ...rowsOf("14", 21)],
    test: "a frame that comes byte by byte is answered",
    run: async (visit) => {
      const client = await visit.open();
      for (const byte of workedFrame("H3")) await client.sendBytes(Uint8Array.of(byte));
      assert.equal((await client.taken(TYPE.heartbeat, WORKED_SEQ)).data.toString(), "1");
    },
  },
  {
    rows: ["6 text 5"],
    test: "sessions that use the same seq get each its own answer",
    run: async (visit) => {
      const clients = await Promise.all([visit.open(), visit.open(), visit.open(1)]);
      for (const [index, client] of clients.entries()) {
        const text = requestText("getGroupList", [], `client ${index}`);
        client.send(TYPE.rpc, text, { seq: WORKED_SEQ });
      }
      for (const [index, client] of clients.entries()) {
        const { data } = await client.taken(TYPE.rpc, WORKED_SEQ);
        assert.equal((JSON.parse(data.toString()) as { id: string }).id, `client ${index}`);
        assert.deepEqual(client.unread, []);
      }
    },
  },
];
