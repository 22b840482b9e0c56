/** Cases of handshake, version and heartbeat. Source: channel-protocol 5 */
import assert from "node:assert/strict";
import { requestText } from "../../../support/channel/channel-client.ts";
import { frameBytes, newSeq, TYPE } from "../../../support/channel/channel-frames.ts";
import type { Visit } from "../../../support/channel/channel-place.ts";
import { WORKED_SEQ, workedFrame } from "../../../support/channel/worked-frames.ts";
import { type RowCase, rowsOf } from "./row-case.ts";

const HEARTBEAT_ANSWER = '{"heartBeat":1}\n';

/** What a client offers and which version it gets. */
const OFFERS: readonly (readonly [offer: string, version: number])[] = [
  ["{}", 1],
  ['{"maximumSupport":1}', 1],
  ['{"maximumSupport":2}', 2],
  ['{"minimumSupport":2,"maximumSupport":2,"clientType":"go"}', 2],
  ['{"minimumSupport":3,"maximumSupport":9}', 3],
  ['{ "maximumSupport" : 3 , "other" : [ ] }', 3],
];

const DISJOINT = [
  '{"minimumSupport":4,"maximumSupport":9}',
  '{"minimumSupport":0,"maximumSupport":0}',
];

/** The cases. */
export const SESSION_CASES: readonly RowCase<Visit>[] = [
  {
    rows: [...rowsOf("5.2", 3), ...rowsOf("14", 7), "5.2 text 1", "5.2 text 2", ...rowsOf("4", 3)],
    test: "a handshake settles the highest version that both know, again and again",
    run: async (visit) => {
      const client = await visit.open();
      const version = await client.result<Record<string, string>>("getClientVersion");
      const nodeVersion = version["Supported Version"];
      for (const [offer, protocol] of OFFERS) {
        const { data, result } = await client.ask(TYPE.handshake, offer);
        assert.equal(result, 0);
        const expected = `{"nodeVersion":"${nodeVersion}","protocol":${protocol}}\n`;
        assert.equal(data.toString(), expected, offer);
      }
    },
  },
  {
    rows: [...rowsOf("5.2", 3, 4), ...rowsOf("5.3", 3)],
    test: "after the worked handshake the worked heartbeat is answered to the byte",
    run: async (visit) => {
      const client = await visit.open();
      await client.sendBytes(workedFrame("H7"));
      const { data } = await client.taken(TYPE.handshake, WORKED_SEQ);
      assert.match(data.toString(), /^\{"nodeVersion":"[\d.]+","protocol":3\}\n$/);
      await client.sendBytes(workedFrame("H5"));
      const answer = await client.taken(TYPE.heartbeat, WORKED_SEQ);
      assert.deepEqual(frameBytes(answer.type, answer.data, answer.seq), workedFrame("H6"));
    },
  },
  {
    rows: rowsOf("14", 23),
    test: "the answer to a handshake has the result of the request",
    run: async (visit) => {
      const client = await visit.open();
      for (const result of [7, -1, 0x7fffffff]) {
        const answer = await client.ask(TYPE.handshake, "{}", { result });
        assert.equal(answer.result, result);
      }
    },
  },
  {
    rows: [...rowsOf("5.2", 2), ...rowsOf("14", 6)],
    test: "a handshake without a common version ends the session without an answer",
    run: async (visit) => {
      for (const offer of DISJOINT) {
        const client = await visit.open();
        client.send(TYPE.handshake, offer);
        await client.untilClosed();
        assert.deepEqual(client.unread, []);
      }
    },
  },
  {
    rows: rowsOf("5.2", 1),
    test: "a handshake that is no JSON object is not answered",
    run: async (visit) => {
      const client = await visit.open();
      for (const text of ["x", "", "{"]) client.send(TYPE.handshake, text);
      await client.servesWhileAbstaining();
    },
  },
  {
    rows: [...rowsOf("5.3", 1), ...rowsOf("5.2", 4), ...rowsOf("4", 2), ...rowsOf("3.1", 11)],
    test: "without a handshake the heartbeat of version 1 is answered to the byte",
    run: async (visit) => {
      const client = await visit.open();
      await client.sendBytes(workedFrame("H3"));
      const answer = await client.taken(TYPE.heartbeat, WORKED_SEQ);
      assert.deepEqual(frameBytes(answer.type, answer.data, answer.seq), workedFrame("H4"));
    },
  },
  {
    rows: [...rowsOf("5.3", 2), ...rowsOf("14", 18)],
    test: "in version 1 any other heartbeat is not answered, an empty one included",
    run: async (visit) => {
      const client = await visit.open();
      await client.sendBytes(workedFrame("H19"));
      await client.sendBytes(workedFrame("H5"));
      for (const data of ["1", "00", "0\n", " 0"]) client.send(TYPE.heartbeat, data);
      await client.servesWhileAbstaining();
    },
  },
  {
    rows: [...rowsOf("5.3", 3), ...rowsOf("14", 19)],
    test: "in versions 2 and 3 any heartbeat is answered",
    run: async (visit) => {
      const client = await visit.open();
      for (const version of [2, 3]) {
        assert.equal(await client.handshake(version), version);
        for (const data of ["", "0", '{"heartBeat":0}', "nonsense"]) {
          const answer = await client.ask(TYPE.heartbeat, data);
          assert.deepEqual([answer.result, answer.data.toString()], [0, HEARTBEAT_ANSWER]);
        }
      }
    },
  },
  {
    rows: [...rowsOf("5.1", 2), ...rowsOf("3.1", 11)],
    test: "a client that never shakes hands asks, subscribes and gets blocks as version 1",
    run: async (visit) => {
      const client = await visit.open();
      const head = Number(await client.result("getBlockNumber", 1));
      await client.sendBytes(workedFrame("H9"));
      await client.sendBytes(workedFrame("H19"));
      const seq = client.send(
        TYPE.rpc,
        requestText("sendRawTransaction", [1, (await visit.signed(client)).raw]),
      );
      await client.taken(TYPE.rpc, seq);
      const { data } = await client.take(({ type }) => type === TYPE.blockPush);
      assert.match(data.toString("latin1"), /^\u0010_block_notify_11,\d+$/);
      assert.ok(Number(data.toString("latin1").split(",")[1]) > head);
    },
  },
  {
    rows: rowsOf("5.1", 4),
    test: "a client that shakes hands gets what it reads at its start",
    run: async (visit) => {
      const client = await visit.open();
      const version = await client.result<Record<string, string>>("getClientVersion");
      assert.match(version["Supported Version"] ?? "", /^\d+\.\d+\.\d+$/);
      assert.equal(await client.handshake(3), 3);
      client.send(TYPE.topics, JSON.stringify([newSeq()]));
      const groups = await client.result<readonly unknown[]>("getGroupList");
      client.send(TYPE.topics, JSON.stringify(groups.map((it) => `_block_notify_${it}`)));
      for (const group of groups) {
        assert.match(await client.result<string>("getBlockNumber", group), /^0x[0-9a-f]+$/);
      }
      await client.ask(TYPE.heartbeat, '{"heartBeat":0}');
    },
  },
];
