/** The client's side of the channel port, against a port that does what each test says. */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, test } from "vitest";
import { utf8Bytes, utf8Text } from "../../../../core/bytes/byte-string.ts";
import { MESSAGE_TYPE, PUSH_SEQ, readTopic, withTopic } from "../../../../core/channel/frame.ts";
import { NodeFault, TransportFault, UsageFault } from "../../../../core/client/client-fault.ts";
import {
  channelTransport,
  type ChannelTransport,
} from "../../../../runtimes/node/client/channel-transport.ts";
import type { ChannelPlace } from "../../../../runtimes/node/client/channel-link.ts";
import {
  type Asked,
  type ChannelPort,
  openChannelPort,
} from "../../../support/channel/channel-port.ts";
import { receiptOf } from "../../../support/client/client-transport.ts";
import { unhandledIn } from "../../../support/runner/unhandled.ts";

const closing: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const it of closing.splice(0).reverse()) await it.close();
});

const json = (value: unknown): Uint8Array => utf8Bytes(`${JSON.stringify(value)}\n`);
const read = (data: Uint8Array) => JSON.parse(utf8Text(data));

/** What every port does: shakes hands, answers heartbeats and a few requests. */
function usual({ frame, reply }: Asked): void {
  if (frame.type === MESSAGE_TYPE.handshake) reply(json({ nodeVersion: "2.11.1", protocol: 3 }));
  if (frame.type === MESSAGE_TYPE.heartbeat) reply(json({ heartBeat: 1 }));
  if (frame.type === MESSAGE_TYPE.eventRegister) reply(withTopic("", json({ result: 0 })));
  if (frame.type !== MESSAGE_TYPE.rpc) return;
  const { id, method, params } = read(frame.data);
  if (method === "fail") reply(json({ id, error: { code: -40001, message: "no such group" } }));
  else if (method === "sendRawTransaction") reply(json({ id, result: "0xabc" }));
  else if (method === "getBlockNumber") reply(json({ id, result: "0x10" }));
  else if (method !== "silent") reply(json({ id, result: [method, params] }));
}

async function connected(
  answer: (asked: Asked) => void = usual,
  more: Partial<ChannelPlace> = {},
): Promise<{ port: ChannelPort; transport: ChannelTransport }> {
  const port = await openChannelPort(answer);
  closing.push(port);
  const place = { host: "127.0.0.1", port: port.port, ...port.files, ...more };
  const transport = channelTransport(place);
  closing.push({ close: async () => await transport.close() });
  return { port, transport };
}

async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; !holds(); tries++) {
    assert.ok(tries < 1_000, "too late");
    await new Promise((resume) => setTimeout(resume, 5));
  }
}

/** Kinds of what was asked; heartbeats come when a machine takes its time. */
const kinds = ({ frames }: ChannelPort) =>
  frames.map(({ type }) => type).filter((type) => type !== MESSAGE_TYPE.heartbeat);

test("it agrees on version 3 first, then asks over one connection", async () => {
  const { port, transport } = await connected();
  const asks = ["a", "b", "c"].map((method) => transport.request({ method, params: [1] }));
  assert.deepEqual(await Promise.all(asks), [
    ["a", [1]],
    ["b", [1]],
    ["c", [1]],
  ]);
  const { handshake, rpc } = MESSAGE_TYPE;
  assert.deepEqual(kinds(port), [handshake, rpc, rpc, rpc]);
  assert.equal(port.connections(), 1);
  const [first] = port.frames;
  assert.deepEqual(read(first?.data ?? PUSH_SEQ), {
    clientType: "chain-node",
    maximumSupport: 3,
    minimumSupport: 1,
  });
  for (const { seq } of port.frames) assert.match(utf8Text(seq), /^[0-9a-f]{32}$/);
});

test("an error of the node is one, and no answer in time is none", async () => {
  const { transport } = await connected();
  const fault = await transport.request({ method: "fail", params: [] }).catch((it) => it);
  assert.ok(fault instanceof NodeFault);
  assert.equal(fault.code, -40001);
  const impatient = await connected(usual, { timeoutMs: 300 });
  const silent = impatient.transport.request({ method: "silent", params: [] });
  await assert.rejects(silent, TransportFault);
});

test("the receipt of a transaction is the push of its seq", async () => {
  const asked: Asked[] = [];
  const { transport } = await connected((it) => {
    usual(it);
    if (it.frame.type === MESSAGE_TYPE.rpc) asked.push(it);
  });
  const [first, second] = await Promise.all([
    transport.submit(1, "0x01"),
    transport.submit(1, "0x02"),
  ]);
  assert.equal(first?.hash, "0xabc");
  for (const { reply, frame } of [...asked].reverse()) {
    const [, raw] = read(frame.data).params;
    reply(json(receiptOf(raw)), { type: MESSAGE_TYPE.receiptPush });
  }
  assert.equal((await first?.receipt)?.transactionHash, "0x01");
  assert.equal((await second?.receipt)?.transactionHash, "0x02");
});

test("a lost connection ends what waits for it; the next request connects again", async () => {
  const { port, transport } = await connected();
  const { receipt } = await transport.submit(1, "0x01");
  const silent = transport.request({ method: "silent", params: [] });
  silent.catch(() => undefined);
  await until(() => kinds(port).length === 3);
  port.cut();
  await assert.rejects(silent, TransportFault);
  await assert.rejects(receipt, TransportFault);
  assert.deepEqual(await transport.request({ method: "a", params: [] }), ["a", []]);
  assert.equal(port.connections(), 2);
});

function topicsOf(port: ChannelPort): unknown[] {
  return port.frames
    .filter(({ type }) => type === MESSAGE_TYPE.topics)
    .map(({ data }) => read(data));
}

test("blocks are reported as headers, in order, also after a lost connection", async () => {
  const { port, transport } = await connected();
  const heard: unknown[] = [];
  const subscription = await transport.subscribe([1, "blocks", {}], {
    onResult: (it) => heard.push(it),
  });
  const push = (number: number) =>
    port.push({
      type: MESSAGE_TYPE.blockPush,
      seq: PUSH_SEQ,
      result: 0,
      data: withTopic("_block_notify_1", json({ blockNumber: number, groupID: 1 })),
    });
  await until(() => topicsOf(port).length === 1);
  push(7);
  push(8);
  await until(() => heard.length === 2);
  port.cut();
  await until(() => topicsOf(port).length === 2);
  push(9);
  await until(() => heard.length === 3);
  const header = (number: string) => ["getBlockHeaderByNumber", [1, number, false]];
  assert.deepEqual(heard, [header("7"), header("8"), header("9")]);
  await subscription.stop();
  await until(() => topicsOf(port).length === 3);
  assert.deepEqual(topicsOf(port), [["_block_notify_1"], ["_block_notify_1"], []]);
});

/** JSON whose conversion to a text or a number fails. */
const UNWRITABLE = { toString: 1, valueOf: 1 };

test("pushes before the handshake and a lost connection fail the request, nobody else", async () => {
  const data = withTopic("_block_notify_1", json({ blockNumber: 7 }));
  const unhandled = await unhandledIn(async () => {
    const { port, transport } = await connected(({ frame }) => {
      if (frame.type !== MESSAGE_TYPE.handshake) return;
      port.push({ type: MESSAGE_TYPE.blockPush, seq: PUSH_SEQ, result: 0, data });
      setTimeout(() => port.cut(), 20);
    });
    await assert.rejects(transport.request({ method: "a", params: [] }), TransportFault);
  });
  assert.deepEqual(unhandled, []);
});

test("a push of a block that is none is dropped, and later blocks are told", async () => {
  const { port, transport } = await connected();
  const heard: unknown[] = [];
  const push = (content: unknown, topic = "_block_notify_1") => {
    const frame = { type: MESSAGE_TYPE.blockPush, seq: PUSH_SEQ, result: 0 };
    port.push({ ...frame, data: withTopic(topic, json(content)) });
  };
  const unhandled = await unhandledIn(async () => {
    await transport.subscribe([1, "blocks", {}], {
      onResult: (it) => {
        heard.push((it as unknown[][])[1]?.[1]);
        if (heard.length === 1) throw new RangeError("the application");
      },
    });
    await until(() => topicsOf(port).length === 1);
    for (const blockNumber of [UNWRITABLE, null, [], -1, "x", "", 1.5]) push({ blockNumber });
    for (const it of [null, 5, "1,x", []]) push(it);
    push({ blockNumber: 6 }, "_block_notify_2");
    port.push({ type: MESSAGE_TYPE.blockPush, seq: PUSH_SEQ, result: 0, data: PUSH_SEQ });
    push({ blockNumber: 7 });
    push({ blockNumber: 8 });
    await until(() => heard.length === 2);
  });
  assert.deepEqual(heard, ["7", "8"]);
  assert.deepEqual(
    unhandled.map((it) => (it as Error).message),
    ["the application"],
  );
});

/** What was asked of the node for logs. */
function registrations(port: ChannelPort): Record<string, unknown>[] {
  return port.frames
    .filter(({ type }) => type === MESSAGE_TYPE.eventRegister)
    .map(({ data }) => {
      const told = readTopic(data);
      assert.ok(told.ok);
      return read(told.content);
    });
}

test("logs come once each with the height as a quantity, also after a lost connection", async () => {
  const { port, transport } = await connected();
  const heard: Record<string, unknown>[] = [];
  const ends: Error[] = [];
  const filter = { addresses: ["0x01"], fromBlock: 3n, toBlock: "5" };
  await transport.subscribe([1, "logs", filter], {
    onResult: (it) => heard.push(it as Record<string, unknown>),
    onEnd: (it) => ends.push(it),
  });
  const { filterID, ...asked } = registrations(port)[0] ?? {};
  assert.deepEqual(asked, {
    addresses: ["0x01"],
    fromBlock: "3",
    groupID: 1,
    toBlock: "5",
    topics: [],
  });
  const push = (content: object) =>
    port.push({ type: MESSAGE_TYPE.eventPush, seq: PUSH_SEQ, result: 0, data: json(content) });
  const log = (blockNumber: number, logIndex = 0) => ({
    blockNumber: String(blockNumber),
    logIndex: `0x${logIndex}`,
    transactionIndex: "0x0",
  });
  push({ filterID, logs: [log(17), log(17, 1)], result: 0 });
  push({ filterID: "other", logs: [log(19)], result: 0 });
  await until(() => heard.length === 2);
  port.cut();
  const isAgain = () => registrations(port).length === 2;
  await until(isAgain);
  assert.equal(registrations(port)[1]?.["fromBlock"], "17");
  push({ filterID, logs: [log(17), log(17, 1), log(17, 2), log(18)], result: 0 });
  push({ filterID, logs: null, result: 1 });
  await until(() => ends.length === 1);
  assert.deepEqual(
    heard.map((it) => [it["blockNumber"], it["logIndex"]]),
    [
      ["0x11", "0x0"],
      ["0x11", "0x1"],
      ["0x11", "0x2"],
      ["0x12", "0x0"],
    ],
  );
});

test("a push of logs that are none is dropped, and later logs are told", async () => {
  const { port, transport } = await connected();
  const heard: unknown[] = [];
  const log = (blockNumber: unknown, logIndex: unknown = "0x0") => ({
    blockNumber,
    logIndex,
    transactionIndex: "0x0",
  });
  const unhandled = await unhandledIn(async () => {
    await transport.subscribe([1, "logs", { fromBlock: 3 }], {
      onResult: (it) => {
        heard.push((it as { blockNumber: unknown }).blockNumber);
        if (heard.length === 1) throw new RangeError("the application");
      },
    });
    const { filterID } = registrations(port)[0] ?? {};
    const push = (content: unknown) =>
      port.push({ type: MESSAGE_TYPE.eventPush, seq: PUSH_SEQ, result: 0, data: json(content) });
    for (const logs of [5, "ab", {}, [null], [5], [[]], [log(UNWRITABLE)], [log("x")], [{}]]) {
      push({ filterID, logs, result: 0 });
    }
    push({ filterID: UNWRITABLE, logs: [log("16")] });
    push({ filterID, logs: [log("17", "x"), log("17"), log("18"), log("-1"), log("19")] });
    await until(() => heard.length === 3);
    port.cut();
    await until(() => registrations(port).length === 2);
  });
  assert.deepEqual(heard, ["0x11", "0x12", "0x13"]);
  assert.equal(registrations(port)[1]?.["fromBlock"], "19");
  assert.deepEqual(
    unhandled.map((it) => (it as Error).message),
    ["the application"],
  );
});

test("a feed of logs without a first block begins at the head, and goes on there", async () => {
  const { port, transport } = await connected();
  await transport.subscribe([1, "logs", {}], { onResult: () => undefined });
  port.cut();
  await until(() => registrations(port).length === 2);
  assert.deepEqual(
    registrations(port).map((it) => it["fromBlock"]),
    ["16", "16"],
  );
});

test("a feed that the node refuses after a lost connection ends, and the rest goes on", async () => {
  let refuses = false;
  const { port, transport } = await connected((asked) => {
    if (!refuses || asked.frame.type !== MESSAGE_TYPE.eventRegister) return usual(asked);
    asked.reply(withTopic("", json({ result: -41006 })));
  });
  const ends: Error[] = [];
  const onEnd = (it: Error) => ends.push(it);
  await transport.subscribe([1, "logs", {}], { onResult: () => undefined, onEnd });
  refuses = true;
  port.cut();
  await until(() => ends.length === 1);
  assert.match(ends[0]?.message ?? "", /refused.*-41006/);
  assert.deepEqual(await transport.request({ method: "a", params: [] }), ["a", []]);
});

test("a filter that the node refuses and a subscription that it lacks are faults", async () => {
  const { transport } = await connected((asked) => {
    if (asked.frame.type !== MESSAGE_TYPE.eventRegister) return usual(asked);
    asked.reply(withTopic("", json({ result: -41003 })));
  });
  const listener = { onResult: () => undefined };
  await assert.rejects(transport.subscribe([1, "logs", {}], listener), /refused.*-41003/);
  await assert.rejects(transport.subscribe([1, "receipts", {}], listener), UsageFault);
});

test("messages of a topic are answered, and failures of sending are named", async () => {
  const { port, transport } = await connected((asked) => {
    const { frame, reply } = asked;
    if (frame.type !== MESSAGE_TYPE.amopRequest) return usual(asked);
    const type = MESSAGE_TYPE.amopResponse;
    const told = readTopic(frame.data);
    if (told.ok && told.topic === "there") reply(withTopic("there", told.content), { type });
    else reply(new Uint8Array(0), { type, result: 100 });
  });
  await transport.onTopic("mine", (content) => utf8Bytes(`got ${utf8Text(content)}`));
  await assert.rejects(
    transport.onTopic("mine", () => undefined),
    UsageFault,
  );
  const seq = utf8Bytes("5".repeat(32));
  for (const topic of ["mine", "other"]) {
    const data = withTopic(topic, utf8Bytes("hi"));
    port.push({ type: MESSAGE_TYPE.amopRequest, seq, result: 0, data });
  }
  await until(() => kinds(port).includes(MESSAGE_TYPE.amopResponse));
  const answers = port.frames.filter(({ type }) => type === MESSAGE_TYPE.amopResponse);
  assert.deepEqual(
    answers.map(({ data, seq: of }) => [utf8Text(of), utf8Text(data)]),
    [["5".repeat(32), "\u0005minegot hi"]],
  );
  assert.equal(utf8Text(await transport.sendTo("there", utf8Bytes("hello"))), "hello");
  await assert.rejects(transport.sendTo("nobody", utf8Bytes("hello")), /no client of the topic/);
});

test("what TLS refuses is reported in words", async () => {
  const { port } = await connected();
  const other = await connected();
  const at = (place: Partial<ChannelPlace>) => {
    const transport = channelTransport({
      host: "127.0.0.1",
      port: port.port,
      ...port.files,
      ...place,
    });
    closing.push({ close: async () => await transport.close() });
    return transport.request({ method: "a", params: [] });
  };
  await assert.rejects(at({ ca: other.port.files.ca }), /ca\.crt is of another chain/);
  await assert.rejects(at({ key: other.port.files.key }), /sdk\.key does not belong to sdk\.crt/);
  const { cert, key } = other.port.files;
  await assert.rejects(at({ cert, key }), TransportFault);
  await port.close();
  // A child that another file is starting has a copy of the socket for a moment.
  const words = async () => await at({}).then(String, String);
  while (!/nothing listens there/.test(await words())) await sleep(50);
});

test("files that cannot be used are named, before anything is connected", async () => {
  const { port, transport } = await connected();
  const refuses = async (wrong: object, text: RegExp) => {
    const place = { host: "127.0.0.1", port: port.port, ...port.files, ...wrong };
    const asked = channelTransport(place as ChannelPlace).request({ method: "a", params: [] });
    await assert.rejects(asked, (fault: Error) => {
      assert.ok(fault instanceof UsageFault, fault.stack);
      assert.match(fault.message, text);
      return true;
    });
  };
  await refuses(
    { cert: undefined },
    /^cert: the text of sdk\.crt is expected, but it is undefined$/,
  );
  await refuses({ ca: "/sdk/ca.crt" }, /^ca: .* -----BEGIN; this looks like a path: give what/);
  await refuses({ key: Buffer.from("sdk.key") }, /^key: the text of sdk\.key .* like a path/);
  await refuses({ key: port.files.cert }, /^key: .* holds no private key that can be read/);
  await refuses({ cert: port.files.key }, /^cert: .* holds no certificate that can be read/);
  const other = await connected();
  await refuses({ key: other.port.files.key }, /^key: sdk\.key does not belong to sdk\.crt/);
  assert.equal(port.connections(), 0);
  await transport.request({ method: "a", params: [] });
});

test("bytes that are no frames end the connection", async () => {
  const { port, transport } = await connected(usual);
  await transport.request({ method: "a", params: [] });
  const work = transport.request({ method: "silent", params: [] });
  work.catch(() => undefined);
  await until(() => kinds(port).length === 3);
  port.raw(new Uint8Array(42));
  await assert.rejects(work, /no frame: tooShort/);
});

test("after closing nothing is asked any more", async () => {
  const { port, transport } = await connected();
  await transport.request({ method: "a", params: [] });
  await transport.close();
  await assert.rejects(transport.request({ method: "b", params: [] }), /was closed/);
  assert.equal(port.connections(), 1);
});
