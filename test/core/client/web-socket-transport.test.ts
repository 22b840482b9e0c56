/** Requests and notifications over one socket, and what happens when it closes. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { NodeFault, TransportFault } from "../../../core/client/client-fault.ts";
import {
  createSocketTransport,
  type SocketListener,
} from "../../../core/client/web-socket-transport.ts";
import { createHandClock } from "../../support/world/hand-clock.ts";
import { unhandledIn } from "../../support/runner/unhandled.ts";

interface Opened {
  readonly listener: SocketListener;
  readonly sent: { id: number; method: string; params: unknown[] }[];
  isClosed: boolean;
}

function place() {
  const sockets: Opened[] = [];
  const clock = createHandClock();
  const transport = createSocketTransport({
    url: "ws://node",
    clock,
    open: (_, listener) => {
      const opened: Opened = { listener, sent: [], isClosed: false };
      sockets.push(opened);
      return {
        send: (text) => opened.sent.push(JSON.parse(text)),
        close: () => {
          opened.isClosed = true;
        },
      };
    },
  });
  const turn = () => new Promise((resume) => setImmediate(resume));
  /** The socket of a number, open; answers go to its last request. */
  const at = async (index: number) => {
    await turn();
    const socket = sockets[index];
    assert.ok(socket);
    socket.listener.onOpen();
    await turn();
    const say = (message: object) => socket.listener.onText(JSON.stringify(message));
    const answer = (result: unknown) => say({ id: socket.sent.at(-1)?.id, result });
    return { ...socket, socket, say, answer };
  };
  return { transport, clock, sockets, at, turn };
}

test("answers find their requests whatever their order, over one socket", async () => {
  const { transport, sockets, at } = place();
  const first = transport.request({ method: "a", params: [1n] });
  const second = transport.request({ method: "b", params: [] });
  const { sent, say } = await at(0);
  assert.deepEqual(
    sent.map(({ method, params }) => [method, params]),
    [
      ["a", ["1"]],
      ["b", []],
    ],
  );
  say({ id: sent[1]?.id, result: "second" });
  say({ id: sent[0]?.id, error: { code: -40001, message: "no" } });
  assert.equal(await second, "second");
  const fault = await first.catch((cause: unknown) => cause);
  assert.ok(fault instanceof NodeFault);
  assert.equal(fault.code, -40001);
  assert.equal(sockets.length, 1);
});

test("what is no answer is dropped", async () => {
  const { transport, at } = place();
  const work = transport.request({ method: "a", params: [] });
  const { socket, say, answer } = await at(0);
  for (const text of ["", "{", "[]", "1", "null"]) socket.listener.onText(text);
  say({ id: 99, result: 1 });
  say({ method: "subscription", params: { id: "0x1", result: 1 } });
  say({ method: "subscription" });
  answer("ours");
  assert.equal(await work, "ours");
});

test("notifications go to their subscription, also one that comes with the answer", async () => {
  const { transport, at, turn } = place();
  const heard: unknown[] = [];
  const work = transport.subscribe?.([1, "blocks", {}], { onResult: (it) => heard.push(it) });
  const { sent, say, answer } = await at(0);
  answer("0x7");
  say({ method: "subscription", params: { id: "0x7", result: 1 } });
  const subscription = await work;
  say({ method: "subscription", params: { id: "0x8", result: 2 } });
  say({ method: "subscription", params: { id: "0x7", result: 3 } });
  assert.deepEqual(heard, [1, 3]);
  const stopping = subscription?.stop();
  await turn();
  assert.deepEqual(sent.at(-1)?.params, ["0x7"]);
  answer(true);
  await stopping;
  say({ method: "subscription", params: { id: "0x7", result: 4 } });
  assert.deepEqual(heard, [1, 3]);
});

test("a socket that closes ends its requests and subscriptions; the next opens another", async () => {
  const { transport, sockets, at } = place();
  const ends: string[] = [];
  const listener = { onResult: () => undefined, onEnd: (it: Error) => ends.push(it.message) };
  const subscribing = transport.subscribe?.([1, "blocks", {}], listener);
  const { socket, answer } = await at(0);
  answer("0x1");
  await subscribing;
  const lost = transport.request({ method: "a", params: [] });
  lost.catch(() => undefined);
  await new Promise((resume) => setImmediate(resume));
  socket.listener.onClose("1013 too much unsent");
  await assert.rejects(lost, TransportFault);
  assert.deepEqual(ends, ["ws://node closed the connection: 1013 too much unsent"]);
  const again = transport.request({ method: "b", params: [] });
  const next = await at(1);
  next.answer(2);
  assert.equal(await again, 2);
  assert.equal(sockets.length, 2);
});

test("a request without an answer and a socket that does not open end in time", async () => {
  const { transport, clock, sockets, at, turn } = place();
  const opening = transport.request({ method: "a", params: [] });
  opening.catch(() => undefined);
  await turn();
  clock.move(30_000);
  await assert.rejects(opening, /did not open in 30000 ms/);
  assert.equal(sockets[0]?.isClosed, true);
  const silent = transport.request({ method: "b", params: [] });
  silent.catch(() => undefined);
  await at(1);
  clock.move(30_000);
  await assert.rejects(silent, /did not answer b in time/);
  assert.equal(clock.waiting, 0);
});

test("closing ends what waits and closes the socket", async () => {
  const { transport, clock, at } = place();
  const work = transport.request({ method: "a", params: [] });
  work.catch(() => undefined);
  const { socket } = await at(0);
  await transport.close?.();
  await assert.rejects(work, /was closed/);
  assert.equal(socket.isClosed, true);
  assert.equal(clock.waiting, 0);
});

test("notifications without a result are dropped, and those behind them are told", async () => {
  const { transport, at } = place();
  const heard: unknown[] = [];
  const work = transport.subscribe?.([1, "logs", {}], {
    onResult: (it) => heard.push((it as { topics: unknown[] }).topics.length),
  });
  const { say, answer } = await at(0);
  answer("0x1");
  await work;
  for (const params of [{ id: "0x1" }, { id: "0x2", result: {} }, 5, [], null, "0x1"]) {
    say({ method: "subscription", params });
  }
  say({ method: "subscription", params: { id: "0x1", result: { topics: [] } } });
  assert.deepEqual(heard, [0]);
});

test("a listener that throws is reported, and neither others nor what follows are lost", async () => {
  const { transport, at } = place();
  const heard: unknown[] = [];
  const fail = (what: unknown) => {
    heard.push(what);
    throw new RangeError(`the application: ${what}`);
  };
  const listener = {
    onResult: fail,
    onEnd: () => fail("end"),
  };
  const first = transport.subscribe?.([1, "blocks", {}], listener);
  const { socket, say, answer } = await at(0);
  answer("0x1");
  await first;
  const second = transport.subscribe?.([1, "blocks", {}], listener);
  await new Promise((resume) => setImmediate(resume));
  answer("0x2");
  await second;
  const unhandled = await unhandledIn(async () => {
    for (const result of [1, 2]) say({ method: "subscription", params: { id: "0x1", result } });
    socket.listener.onClose("1000");
  });
  assert.deepEqual(heard, [1, 2, "end", "end"]);
  assert.deepEqual(
    unhandled.map((it) => (it as Error).message),
    ["1", "2", "end", "end"].map((it) => `the application: ${it}`),
  );
});
