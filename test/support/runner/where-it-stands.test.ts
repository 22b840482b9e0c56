/** A program that hangs can be asked where. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "vitest";
import { createReporting } from "./where-it-stands.ts";

const IDLE = "console.log(1); setInterval(() => {}, 1e6)";
const STUCK = "console.log(1); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)";

async function askedOf(program: string, limitMs: number): Promise<string> {
  const reporting = await createReporting();
  const child = spawn(process.execPath, [...reporting.options, "-e", program]);
  try {
    await once(child.stdout, "data");
    return await reporting.ask(child, limitMs);
  } finally {
    child.kill("SIGKILL");
    await reporting.close();
  }
}

test("an idle program says what it waits for, a stuck one that it is stuck", async () => {
  assert.match(await askedOf(IDLE, 240_000), /^waits for .*timer/m);
  assert.match(await askedOf(STUCK, 500), /its main thread does not answer|Atomics\.wait/);
});
