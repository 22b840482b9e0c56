/** When connections are read again that were ready in a round that was full. */
import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { afterEach, beforeEach, test, vi } from "vitest";
import { keepWaiting, ReadingRounds } from "../../../../runtimes/node/server/reading-rounds.ts";

/** What the clock shows. */
let now: number;
/** Names of connections that were paused and read again. */
let log: string[];

beforeEach(() => {
  now = 0;
  log = [];
  vi.spyOn(performance, "now").mockImplementation(() => now);
});
afterEach(() => void vi.restoreAllMocks());

function connectionOf(name: string, address: string) {
  const socket = { destroyed: false, pause: () => log.push(`${name} waits`) };
  return { name, address, isAway: false, isHeld: false, socket: socket as unknown as Socket };
}

type Connection = ReturnType<typeof connectionOf>;

function roundsOf(connections: readonly Connection[]) {
  return new ReadingRounds<Connection>(
    () => connections,
    ({ name }) => void log.push(`${name} is read`),
  );
}

const turn = () => new Promise((resolve) => void setImmediate(resolve));

/** So many requests come in one round, which takes so long. */
function come(rounds: ReadingRounds<Connection>, requests: number, ms: number): void {
  for (let i = 0; i < requests; i++) {
    rounds.note();
    now += ms / requests;
  }
}

test("a round that is not long keeps nobody waiting", async () => {
  const rounds = roundsOf([connectionOf("a", "1")]);
  for (let round = 0; round < 3; round++) {
    come(rounds, 100, 8);
    await turn();
  }
  assert.deepEqual(log, []);
});

test("after ten milliseconds all wait, and addresses have turns", async () => {
  const of = [..."abcdefghij"].map((name) => connectionOf(name, name === "j" ? "2" : "1"));
  const away = { ...connectionOf("away", "1"), isAway: true };
  const rounds = roundsOf([...of, away]);
  come(rounds, 64, 20);
  assert.deepEqual(
    log,
    [..."abcdefghij"].map((name) => `${name} waits`),
  );
  log = [];
  await turn();
  assert.deepEqual(
    log,
    [..."ajbc"].map((name) => `${name} is read`),
    "half of a first batch",
  );
  await turn();
  assert.equal(log.length, 10);
  assert.ok(of.every(({ isHeld }) => !isHeld));
});

test("of a further full round fewer are read, and none that has gone", async () => {
  const of = [..."abcdefghij"].map((name) => connectionOf(name, "1"));
  const rounds = roundsOf(of);
  come(rounds, 64, 20);
  await turn();
  assert.equal(log.filter((line) => line.endsWith("read")).length, 4);
  come(rounds, 64, 20);
  for (const { name, socket } of of)
    if ("ef".includes(name)) Object.assign(socket, { destroyed: true });
  log = [];
  await turn();
  assert.deepEqual(log, ["g is read", "h is read"]);
});

test("what Node reads again by itself waits all the same", () => {
  const socket = new EventEmitter() as Socket;
  let [isPaused, isToWait] = [false, true];
  Object.assign(socket, {
    isPaused: () => isPaused,
    pause: () => {
      isPaused = true;
      socket.emit("pause");
    },
  });
  let pauses = 0;
  socket.on("pause", () => pauses++);
  keepWaiting(socket, () => isToWait);
  socket.emit("resume");
  socket.emit("resume");
  assert.equal(pauses, 2);
  isToWait = false;
  socket.emit("resume");
  assert.equal(pauses, 2);
});
