/** Commands one after the other: what is printed where, and what ends them. */
// rules: console 2, 3, 6
import assert from "node:assert/strict";
import { Writable } from "node:stream";
import { test } from "vitest";
import { type ConsoleCommand, ConsoleFault } from "../../../../runtimes/tools/console/command.ts";
import { Output } from "../../../../runtimes/tools/console/output.ts";
import { runLine } from "../../../../runtimes/tools/console/runner.ts";
import type { Session } from "../../../../runtimes/tools/console/session.ts";
import { posedSession } from "../../../support/console/posed-session.ts";

function kept(isTTY = false) {
  let text = "";
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString();
      done();
    },
  });
  return { stream: Object.assign(stream, { isTTY }), text: () => text };
}

const fails = (fault: unknown) => (): Promise<never> => Promise.reject(fault);
const COMMANDS: readonly ConsoleCommand[] = [
  { name: "say", says: "S", parameters: [], run: async () => ({ text: "said", data: [1] }) },
  {
    name: "hostile",
    says: "H",
    parameters: [],
    run: async () => ({ text: "\u001b]52;c;eA\u0007\u001b[2J\u009b2Jok\u202e", data: null }),
  },
  { name: "nothing", says: "N", parameters: [], run: async () => ({ text: "", data: null }) },
  { name: "code", says: "C", parameters: [], run: fails(new ConsoleFault("no", { code: -5 })) },
  {
    name: "sentence",
    says: "S",
    parameters: [],
    run: fails(new ConsoleFault("no.", { hint: "Look." })),
  },
  { name: "defect", says: "D", parameters: [], run: fails(new TypeError("broken")) },
  { name: "wait", says: "W", parameters: [], run: () => new Promise(() => undefined) },
];

/** Runs a line; its exit code and what was printed. */
async function run(
  line: string,
  { json = false, isTTY = false, session = posedSession() as Session } = {},
) {
  const [stdout, stderr] = [kept(isTTY), kept(isTTY)];
  const output = new Output({
    json,
    isColored: true,
    stdout: stdout.stream,
    stderr: stderr.stream,
    askSecret: () => Promise.reject(new Error("nobody")),
  });
  const terms = { session, output, commands: COMMANDS, isTimed: false };
  const code = await runLine(terms, line);
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

test("texts of others do not steer a terminal, and are exact elsewhere", async () => {
  assert.equal((await run("hostile", { isTTY: true })).stdout, "?]52;c;eA??[2J?2Jok?\n\n");
  assert.equal((await run("hostile")).stdout, "\u001b]52;c;eA\u0007\u001b[2J\u009b2Jok\u202e\n\n");
});

test("results end with an empty line", async () => {
  assert.deepEqual(await run("say"), { code: 0, stdout: "said\n\n", stderr: "" });
  assert.deepEqual(await run("nothing"), { code: 0, stdout: "\n", stderr: "" });
});

test("what the chain says is a result, a sentence a diagnostic", async () => {
  const stdout = '{\n    "code":-5,\n    "msg":"no"\n}\n\n';
  assert.deepEqual(await run("code"), { code: 1, stdout, stderr: "" });
  assert.deepEqual(await run("sentence"), { code: 1, stdout: "", stderr: "no.\nLook.\n" });
});

test("with --json there is one document for each command, whatever came of it", async () => {
  for (const line of ["say", "code", "sentence", "defect", "unknown"]) {
    const { stdout, stderr } = await run(line, { json: true });
    assert.equal(stderr, "");
    assert.match(stdout, /^\{"ok":(true|false),"code":-?\d+,"message":.*,"data":.*\}\n$/);
  }
});

test("colours are for terminals", async () => {
  assert.match((await run("sentence", { isTTY: true })).stderr, /\u001b\[31mno\./);
  assert.ok(!(await run("sentence")).stderr.includes("\u001b"));
});

test("a defect is told with its place, and ends with 1", async () => {
  const { code, stderr } = await run("defect");
  assert.equal(code, 1);
  assert.match(stderr, /^a defect of the console: TypeError: broken\n +at /);
});

test("Ctrl+C ends the command that runs", async () => {
  const controller = new AbortController();
  const session: Session = { ...posedSession(), signal: controller.signal };
  const running = run("wait", { session });
  controller.abort();
  assert.deepEqual(await running, { code: 1, stdout: "", stderr: "cancelled.\n" });
});
