/** The manager's side of workers, before a posed connection. Source: benchmark 8 */
import assert from "node:assert/strict";
import { test } from "vitest";
import {
  partialStatistics,
  WorkerPool,
} from "../../../../../runtimes/tools/benchmark/manager/worker-pool.ts";
import { RoundStatistics } from "../../../../../runtimes/shared/benchmark/statistics.ts";
import {
  isFor,
  MANAGER,
  messageOf,
  type WorkerMessage,
} from "../../../../../runtimes/tools/benchmark/worker/messages.ts";
import type {
  ManagerLink,
  ManagerListener,
} from "../../../../../runtimes/tools/benchmark/worker/worker-link.ts";

/** What a posed worker does with a message. */
type Behaviour = (
  message: WorkerMessage,
  say: (type: string, content?: unknown, error?: string) => void,
) => void;

const ANSWERS: Readonly<Record<string, string>> = {
  register: "connected",
  assignId: "assigned",
  initialize: "ready",
  prepare: "prepared",
};

const usual: Behaviour = ({ type }, say) => {
  const answer = ANSWERS[type];
  if (answer !== undefined) say(answer);
};

/** A connection to posed workers; each learns what is for it in a later turn. */
function posedLink(behaviours: Readonly<Record<string, Behaviour>>, isRemote = false) {
  const seen: string[] = [];
  let listener: ManagerListener | undefined;
  const link: ManagerLink = {
    type: "posed",
    isRemote,
    async start(_workers, given) {
      listener = given;
    },
    send(message) {
      seen.push(message.type);
      for (const [id, behave] of Object.entries(behaviours)) {
        if (!isFor(id, message)) continue;
        const say = (type: string, content: unknown = {}, error?: string): void =>
          listener?.onMessage(
            messageOf({ sender: id, recipients: [MANAGER], type, error }, content),
          );
        setImmediate(() => behave(message, say));
      }
    },
    stop: async () => undefined,
  };
  return { link, seen, lose: (id: string | undefined, why: string) => listener?.onLost(id, why) };
}

test("workers are registered, numbered and initialised in the order of the protocol", async () => {
  const { link, seen } = posedLink({ a: usual, b: usual, c: usual });
  const pool = new WorkerPool(link, 5);
  await pool.start(2);
  assert.deepEqual(
    pool.workers.map(({ index }) => index),
    [0, 1],
  );
  assert.equal(
    pool.workers.every(({ clockOffsetMs }) => clockOffsetMs === null),
    true,
  );
  const order = [...new Set(seen)];
  assert.deepEqual(order, ["register", "assignId", "initialize"]);
  await pool.stop();
  assert.equal(seen.at(-1), "exit");
});

test("the clock of a worker elsewhere is compared with the manager's", async () => {
  const { link } = posedLink({ a: usual }, true);
  const pool = new WorkerPool(link, 5);
  await pool.start(1);
  assert.ok(Math.abs(pool.workers[0]?.clockOffsetMs ?? 1e9) < 1_000);
});

test("an answer may be an error; a worker that is lost answers by that", async () => {
  const failing: Behaviour = ({ type }, say) =>
    type === "prepare" ? say("prepared", {}, "no module") : usual({ type } as WorkerMessage, say);
  const silent: Behaviour = (message, say) => {
    if (message.type !== "prepare") usual(message, say);
  };
  const { link, lose } = posedLink({ a: failing, b: silent, c: usual });
  const pool = new WorkerPool(link, 5);
  await pool.start(3);
  const asked = pool.all("prepare", "prepared", () => ({}));
  lose("b", "killed");
  const told = (await asked).map(({ worker, error, lost }) => [worker.id, error, lost]);
  assert.deepEqual(told.sort(), [
    ["a", "no module", undefined],
    ["b", undefined, "killed"],
    ["c", undefined, undefined],
  ]);
  assert.deepEqual(pool.alive.map(({ id }) => id).sort(), ["a", "c"]);
});

test("who does not answer in time is lost", async () => {
  const silent: Behaviour = (message, say) => {
    if (message.type !== "test") usual(message, say);
  };
  const { link } = posedLink({ a: silent });
  const pool = new WorkerPool(link, 5);
  await pool.start(1);
  const [answer] = await pool.all("test", "testResult", () => ({}), 20);
  assert.equal(answer?.lost, "no answer in 0.02 s");
});

test("with the broker all are lost, and a run that waits for workers ends", async () => {
  const { link, lose } = posedLink({ a: usual }, true);
  const pool = new WorkerPool(link, 5);
  const waiting = pool.start(2);
  await new Promise((resume) => setTimeout(resume, 20));
  lose(undefined, "the broker was lost");
  await assert.rejects(waiting, /could not be started: the broker was lost/);
});

test("what a lost worker told last is put together from its updates", async () => {
  const statistics = new RoundStatistics();
  const add = (createdMs: number): void =>
    statistics.add({
      createdMs,
      finishedMs: createdMs + 10,
      intendedMs: undefined,
      error: undefined,
    });
  const counters = { submitted: 0, succeeded: 0, failed: 0, pending: 0 };
  const updating: Behaviour = (message, say) => {
    if (message.type !== "test") return usual(message, say);
    add(100);
    add(1_200);
    say("txUpdate", { ...counters, stats: statistics.takeChanges() });
    add(1_300);
    add(2_500);
    say("txUpdate", { ...counters, stats: statistics.takeChanges() });
    say("lost", {}, "its connection ended");
  };
  const { link } = posedLink({ a: updating });
  const pool = new WorkerPool(link, 5);
  await pool.start(1);
  const [answer] = await pool.all("test", "testResult", () => ({}));
  assert.ok(answer?.lost);
  const partial = partialStatistics(answer.worker);
  assert.equal(partial?.counts.succeeded, 4);
  assert.deepEqual(
    partial?.seconds.map(({ second, submitted }) => [second, submitted]),
    [
      [0, 1],
      [1, 2],
      [2, 1],
    ],
  );
});
