/**
 * Clients of two nodes that are joined by libp2p: messages between them,
 * topics in getPeers, event logs and subscriptions of what the other node was given.
 */
// rules: channel-protocol 7.1, channel-protocol 7.3, channel-protocol 8.1, channel-protocol 8.2
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { WebSocket } from "ws";
import { type Frame, MESSAGE_TYPE, readTopic, withTopic } from "../../../../core/channel/frame.ts";
import { ChannelLink, linkTarget } from "../../../support/channel/channel-link.ts";
import { request } from "../../../support/process/dev-process.ts";
import {
  initProcessChain,
  type NodeProcess,
  type ProcessChain,
} from "../../../support/process/node-processes.ts";
import { untilConnected } from "../../../support/process/process-checks.ts";
import { createSender } from "../../../support/sender.ts";
import { STANDARD_SUITE } from "../../../support/suites.ts";

const PATIENCE_MS = 240_000;
const TOPIC = "prices";
/** Init code: an entry without topics and data, and no code. */
const LOGS = Uint8Array.of(0x60, 0, 0x60, 0, 0xa0, 0x60, 0, 0x60, 0, 0xf3);

const bytes = (text: string) => new TextEncoder().encode(text);

async function clientOf({ folder }: ProcessChain, node: NodeProcess): Promise<ChannelLink> {
  const entries = readdirSync(folder, { withFileTypes: true });
  const agency = entries.find((it) => it.isDirectory() && !it.name.startsWith("node"))?.name;
  assert.ok(agency !== undefined);
  const ini = readFileSync(join(node.folder, "config.ini"), "utf8");
  const [, port = ""] = /^\s*channel_listen_port\s*=\s*(\d+)/m.exec(ini) ?? [];
  return ChannelLink.open(linkTarget(`127.0.0.1:${port}`, join(folder, agency, "sdk")));
}

async function until<Value>(what: string, ask: () => Promise<Value | undefined>): Promise<Value> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const value = await ask();
    if (value !== undefined) return value;
    assert.ok(performance.now() < end, `in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Topics of the one peer of a node. */
async function topicsSeenBy({ url }: NodeProcess): Promise<readonly string[]> {
  const [peer] = (await request(url, "getPeers", [1])) as { readonly Topic: string[] }[];
  return peer?.Topic ?? [];
}

/** The next push of a type. */
function nextPush(link: ChannelLink, type: number): Promise<Frame> {
  const { onPush } = link;
  return new Promise((resolve) => {
    link.onPush = (frame) => {
      if (frame.type !== type) return onPush(frame);
      link.onPush = onPush;
      resolve(frame);
    };
  });
}

/** What a WebSocket is sent of a kind. */
async function subscribed({ url }: NodeProcess, kind: string) {
  const socket = new WebSocket(url.replace("http", "ws"));
  await new Promise((resolve) => socket.once("open", resolve));
  const messages: { readonly params?: { readonly result: Record<string, unknown> } }[] = [];
  socket.on("message", (data: Buffer) => messages.push(JSON.parse(data.toString())));
  const params = [1, kind, {}];
  socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "subscribe", params }));
  await until("an id", async () => messages[0]);
  const told = () => messages.flatMap((message) => (message.params ? [message.params.result] : []));
  return { socket, told };
}

async function messagesReach(a: ChannelLink, b: ChannelLink, nodes: readonly NodeProcess[]) {
  const [first] = nodes;
  assert.ok(first);
  const seq = Buffer.alloc(32, "7");
  b.send({ type: MESSAGE_TYPE.topics, seq, result: 0, data: bytes(JSON.stringify([TOPIC])) });
  await until("the topic at the peer", async () => {
    return (await topicsSeenBy(first)).includes(TOPIC) ? true : undefined;
  });
  const arriving = nextPush(b, MESSAGE_TYPE.amopRequest);
  const answered = nextPush(a, MESSAGE_TYPE.amopResponse);
  const data = withTopic(TOPIC, bytes("how much?"));
  a.send({ type: MESSAGE_TYPE.amopRequest, seq, result: 0, data });
  const arrived = await arriving;
  assert.deepEqual(Buffer.from(arrived.data), Buffer.from(data));
  assert.deepEqual(Buffer.from(arrived.seq), seq);
  b.send({ ...arrived, type: MESSAGE_TYPE.amopResponse, data: withTopic(TOPIC, bytes("42")) });
  const answer = await answered;
  const read = readTopic(answer.data);
  assert.equal(answer.result, 0);
  assert.equal(read.ok && Buffer.from(read.content).toString(), "42");
  const heard = nextPush(b, MESSAGE_TYPE.amopMulticast);
  const confirmed = nextPush(a, MESSAGE_TYPE.amopResponse);
  a.send({ type: MESSAGE_TYPE.amopMulticast, seq, result: 0, data });
  assert.deepEqual(Buffer.from((await heard).data), Buffer.from(data));
  assert.equal((await confirmed).result, 0);
}

test("clients of two nodes learn of each other and of the same blocks", async () => {
  const chain = await initProcessChain({ nodes: 2, pauseMs: 50, hosted: true });
  try {
    const [first, second] = chain.nodes;
    assert.ok(first && second);
    await Promise.all([first.start(), second.start()]);
    await untilConnected(chain.nodes);
    const [a, b] = [await clientOf(chain, first), await clientOf(chain, second)];
    await messagesReach(a, b, chain.nodes);

    const filter = { fromBlock: "latest", toBlock: "latest", addresses: [], topics: [] };
    const request = JSON.stringify({ ...filter, groupID: "1", filterID: "f" });
    const answer = await b.ask(MESSAGE_TYPE.eventRegister, withTopic("", bytes(request)));
    assert.equal(Buffer.from(answer.data.subarray(1)).toString(), '{"result":0}\n');
    const pushed = nextPush(b, MESSAGE_TYPE.eventPush);
    const { socket, told } = await subscribed(second, "logs");
    const { hash, raw } = createSender(STANDARD_SUITE)({ head: 0, input: LOGS });
    assert.equal(await a.request("sendRawTransaction", [1, raw]), hash);
    const push = JSON.parse(Buffer.from((await pushed).data).toString());
    assert.deepEqual(
      [push.filterID, push.result, push.logs.length, push.logs[0].transactionHash],
      ["f", 0, 1, hash],
    );
    const [log] = await until("a notification", async () =>
      told().length > 0 ? told() : undefined,
    );
    assert.equal(log?.["transactionHash"], hash);
    assert.equal(BigInt(String(log?.["blockNumber"])), BigInt(push.logs[0].blockNumber));

    b.close();
    await until("the topic is gone", async () => {
      return (await topicsSeenBy(first)).includes(TOPIC) ? undefined : true;
    });
    socket.terminate();
    a.close();
  } finally {
    await chain.close();
  }
});
