import assert from "node:assert/strict";
import { test } from "vitest";
import { createEffectRunner } from "../../../core/actors/effects.ts";

// rules: pbft 16.2
test("an effect behind a waiting one is held back, also when it is pushed from inside a performed effect", async () => {
  const done: string[] = [];
  let flush: () => void = () => {};
  const runner = createEffectRunner<string>(
    (effect) => {
      if (effect === "persist")
        return new Promise<void>((resolve) => {
          flush = () => {
            done.push("persist");
            resolve();
          };
        });
      done.push(effect);
      if (effect === "first") runner.push(["persist", "send"]);
      return undefined;
    },
    (cause) => assert.fail(String(cause)),
  );
  runner.push(["first", "second"]);
  assert.deepEqual(done, ["first", "second"]);
  runner.push(["last"]);
  assert.deepEqual(done, ["first", "second"]);
  flush();
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(done, ["first", "second", "persist", "send", "last"]);
});

test("nothing is performed after an effect failed", async () => {
  const done: string[] = [];
  const failed: string[] = [];
  const runner = createEffectRunner<string>(
    (effect) => {
      if (effect === "persist") return Promise.reject(new TypeError("disk full"));
      done.push(effect);
      return undefined;
    },
    (cause, effect) => failed.push(`${effect}: ${(cause as Error).message}`),
  );
  runner.push(["before", "persist", "vote"]);
  await new Promise((resolve) => setImmediate(resolve));
  runner.push(["later"]);
  assert.deepEqual(done, ["before"]);
  assert.deepEqual(failed, ["persist: disk full"]);
});
