/** In which order new connections are read when the event loop is busy. */
import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { afterEach, beforeEach, test, vi } from "vitest";
import { readFirstInTurns } from "../../../../runtimes/node/server/first-reads.ts";

/** What the clock shows. */
let now: number;
/** What happened to connections, by their names. */
let log: string[];
let add: ReturnType<typeof readFirstInTurns>;

beforeEach(() => {
  now = 0;
  log = [];
  vi.spyOn(performance, "now").mockImplementation(() => now);
  add = readFirstInTurns();
});
afterEach(() => void vi.restoreAllMocks());

function connect(name: string, address = "a"): { destroyed: boolean } {
  const socket = {
    destroyed: false,
    pause: () => log.push(`${name} waits`),
    resume: () => log.push(`${name} is read`),
    destroy: () => {
      socket.destroyed = true;
      log.push(`${name} is closed`);
    },
  };
  add(socket as unknown as Socket, address);
  return socket;
}

/** Resolves once so much has happened. */
async function logged(count: number): Promise<readonly string[]> {
  while (log.length < count) await new Promise((resolve) => void setTimeout(resolve, 1));
  return log;
}

/** A first connection is being read: others come after so long. */
function readingFor(ms: number): void {
  connect("first");
  now += ms;
}

test("connections that come while nothing takes long are read at once", async () => {
  readingFor(1);
  connect("second");
  connect("third", "b");
  await new Promise((resolve) => void setTimeout(resolve, 5));
  connect("fourth");
  assert.deepEqual(log, []);
});

test("of those that come in a long round addresses have turns, and the newest is first", async () => {
  readingFor(8);
  for (const name of ["a1", "a2", "a3"]) connect(name);
  connect("b1", "b");
  const all = await logged(8);
  assert.deepEqual(all.slice(0, 4), ["a1 waits", "a2 waits", "a3 waits", "b1 waits"]);
  assert.deepEqual(all.slice(4), ["a3 is read", "b1 is read", "a2 is read", "a1 is read"]);
});

test("one that has gone is not read", async () => {
  readingFor(8);
  connect("a1");
  connect("a2").destroyed = true;
  assert.deepEqual((await logged(3)).at(-1), "a1 is read");
});

test("one that waits too long, or behind too many, is closed", async () => {
  readingFor(8);
  for (let i = 0; i < 513; i++) connect(`a${i}`);
  assert.deepEqual(log, ["a0 is closed"]);
  connect("b1", "b");
  now += 6_000;
  connect("b2", "b");
  const all = await logged(1 + 515 + 514);
  assert.equal(all.filter((it) => it.endsWith("is closed")).length, 514, "512 of a, one of b");
  assert.deepEqual(all.at(-1), "b2 is read");
});
