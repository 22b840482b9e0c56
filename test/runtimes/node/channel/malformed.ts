/** Cases of input that is not what it should be. Source: channel-protocol 3.1, 14 */
import assert from "node:assert/strict";
import { requestText } from "../../../support/channel/channel-client.ts";
import { newSeq, topicData, TYPE } from "../../../support/channel/channel-frames.ts";
import type { Visit } from "../../../support/channel/channel-place.ts";
import { workedFrame } from "../../../support/channel/worked-frames.ts";
import { type RowCase, rowsOf } from "./row-case.ts";

/** Data that is no frame's own. */
const NONSENSE = ["", "x", "{", "5", '{"a":1}', "[1,2]", "null", '"', "\u0000", "ÿÿÿÿ"];

/** A case of frames that nobody answers. */
function ignored(
  rows: readonly string[],
  test: string,
  frames: readonly (readonly [type: number, hex: string])[],
): RowCase<Visit> {
  const run = async (visit: Visit) => {
    const client = await visit.open();
    for (const [type, hex] of frames) client.send(type, Buffer.from(hex, "hex"));
    await client.servesWhileAbstaining();
  };
  return { rows, test, run };
}

/** A case of AMOP requests that reach nobody. */
async function reachesNobody(visit: Visit, datas: readonly Buffer[]): Promise<void> {
  const client = await visit.open();
  for (const data of datas) {
    const { result, data: answer } = await client.amop(TYPE.amopRequest, data);
    assert.deepEqual([result, answer.length], [100, 0]);
  }
  await client.servesWhileAbstaining();
}

/** The cases. */
export const MALFORMED_CASES: readonly RowCase<Visit>[] = [
  {
    rows: [...rowsOf("14", 4), ...rowsOf("14", 15), "6 row 4"],
    test: "a request that is no JSON, or empty, is answered with -32700 and the id null",
    run: async (visit) => {
      const client = await visit.open();
      for (const text of ["{", "", "nonsense"]) {
        const { data, result } = await client.ask(TYPE.rpc, text);
        const { id, error } = JSON.parse(data.toString()) as { id: null; error: { code: number } };
        assert.deepEqual([result, id, error.code], [0, null, -32_700]);
      }
    },
  },
  {
    rows: rowsOf("14", 5),
    test: "a handshake that is no JSON is ignored and leaves the version",
    run: async (visit) => {
      const client = await visit.open();
      assert.equal(await client.handshake(3), 3);
      client.send(TYPE.handshake, "x");
      const { data } = await client.ask(TYPE.heartbeat, "");
      assert.equal(data.toString(), '{"heartBeat":1}\n');
      await client.servesWhileAbstaining();
    },
  },
  {
    rows: rowsOf("14", 8),
    test: "a registration that is no JSON is answered with -41001",
    run: async (visit) => {
      const client = await visit.open();
      const { data, result } = await client.ask(TYPE.register, Buffer.from("017b", "hex"));
      assert.deepEqual([result, data], [0, topicData("", '{"result":-41001}\n')]);
    },
  },
  {
    rows: [...rowsOf("3.1", 7), ...rowsOf("14", 9)],
    test: "an empty registration or unregistration is ignored",
    run: async (visit) => {
      const client = await visit.open();
      for (const type of [TYPE.register, TYPE.unregister]) client.send(type, "");
      await client.servesWhileAbstaining();
    },
  },
  ignored(
    [...rowsOf("3.1", 7, 8), ...rowsOf("14", 10), ...rowsOf("14", 12)],
    "AMOP requests and multicasts without a topic prefix are ignored",
    [
      [TYPE.amopRequest, "00"],
      [TYPE.amopRequest, ""],
      [TYPE.multicast, "00"],
      [TYPE.multicast, "00aabb"],
    ],
  ),
  {
    rows: [...rowsOf("3.1", 9), ...rowsOf("14", 11)],
    test: "an AMOP request whose topic is longer than its data reaches nobody",
    run: (visit) => reachesNobody(visit, [Buffer.of(0xff), Buffer.of(0x05, 0xaa)]),
  },
  {
    rows: [...rowsOf("14", 16), ...rowsOf("9", 2), "8.1 step 2"],
    test: "an AMOP request to a topic that nobody has is answered with 100 and no data",
    run: async (visit) => {
      const topics = [newSeq(), "_block_notify_77"];
      await reachesNobody(
        visit,
        topics.map((topic) => topicData(topic, "hi")),
      );
      const client = await visit.open();
      await client.sendBytes(workedFrame("H14"));
      const { result, data } = await client.take(({ type }) => type === TYPE.amopResponse);
      assert.deepEqual([result, data.length], [100, 0]);
    },
  },
  {
    rows: rowsOf("3.1", 6),
    test: "a batch of very many elements is refused at once while others are served",
    run: async (visit) => {
      const [client, other] = [await visit.open(), await visit.open()];
      const element = requestText("getGroupList", [], 1e300);
      for (const one of ["1", element]) {
        const batch = `[${Array.from({ length: 100_000 }, () => one).join(",")}]`;
        const seq = client.send(TYPE.rpc, batch);
        await other.servesWhileAbstaining();
        const { data } = await client.taken(TYPE.rpc, seq);
        assert.match(data.toString().slice(0, 100), /"error":\{"code":-32600/);
      }
      await client.servesWhileAbstaining();
    },
  },
  ignored(rowsOf("14", 13), "topics that are no array of texts are ignored", [
    [TYPE.topics, Buffer.from("5").toString("hex")],
    [TYPE.topics, Buffer.from('{"a":1}').toString("hex")],
  ]),
  ignored(rowsOf("14", 14), "a topic status that is no JSON is ignored", [
    [TYPE.topicStatus, Buffer.from("x").toString("hex")],
    [TYPE.topicStatus, ""],
  ]),
  {
    rows: rowsOf("14", 17),
    test: "topics that are no JSON leave the topics that were there",
    run: async (visit) => {
      const client = await visit.open();
      const topic = newSeq();
      client.send(TYPE.topics, JSON.stringify([topic]));
      client.send(TYPE.topics, "{");
      const seq = client.send(TYPE.multicast, topicData(topic, "here"));
      const { data } = await client.taken(TYPE.multicast, seq);
      assert.deepEqual(data, topicData(topic, "here"));
      assert.equal((await client.taken(TYPE.amopResponse, seq)).result, 0);
    },
  },
  {
    rows: rowsOf("3.1", 6),
    test: "nonsense in every known type leaves the session and the node",
    run: async (visit) => {
      const client = await visit.open();
      const types = Object.values(TYPE).filter((type) => type < TYPE.receiptPush);
      for (const type of types) for (const data of NONSENSE) client.send(type, data);
      await client.rpc("getGroupList");
      assert.equal(client.isClosed, false);
      const answered = new Set(client.unread.map(({ type }) => type));
      const silent = [TYPE.topics, TYPE.multicast, TYPE.verifyTopic, TYPE.topicStatus];
      for (const type of silent) assert.equal(answered.has(type), false, type.toString(16));
    },
  },
];
