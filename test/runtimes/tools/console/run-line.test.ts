/** From the words of a line to the outcome of a command. */
// rules: console 2
import assert from "node:assert/strict";
import { test } from "vitest";
import { type ConsoleCommand, ConsoleFault } from "../../../../runtimes/tools/console/command.ts";
import { readLine, readWords, runInvocation } from "../../../../runtimes/tools/console/run-line.ts";
import { posedSession, type PosedAnswers } from "../../../support/console/posed-session.ts";

const ECHO: ConsoleCommand = {
  name: "echo",
  says: "Say it",
  parameters: [
    { name: "first", says: "one" },
    { name: "second", says: "two", isOptional: true },
  ],
  flags: [
    { name: "--loud", says: "louder" },
    { name: "--by", value: "name", says: "who" },
  ],
  run: (_, args, flags) =>
    Promise.resolve({ text: [...args, ...[...flags].flat()].join("|"), data: null }),
};
const TABLE: readonly ConsoleCommand[] = [
  ECHO,
  { ...ECHO, name: "many", parameters: [{ name: "all", says: "all", isMany: true }] },
  {
    name: "select",
    says: "SQL",
    parameters: [{ name: "statement", says: "SQL" }],
    takesLine: true,
    run: (_, args) => Promise.resolve({ text: args.join("|"), data: null }),
  },
  {
    ...ECHO,
    name: "at",
    parameters: [
      { name: "address", says: "where", form: /^0x/ },
      { name: "function", says: "which" },
    ],
  },
  { ...ECHO, name: "newer", since: "2.8.0" },
  { ...ECHO, name: "typed", isInteractiveOnly: true },
];

async function told(line: string, answers: PosedAnswers = {}): Promise<string> {
  return (await runInvocation(posedSession(answers), readLine(line, TABLE))).text;
}

async function faultOf(line: string, answers: PosedAnswers = {}): Promise<ConsoleFault> {
  try {
    await told(line, answers);
  } catch (cause) {
    assert.ok(cause instanceof ConsoleFault);
    return cause;
  }
  return assert.fail(`${line} was done`);
}

test("flags stand anywhere, with their values behind them", async () => {
  assert.equal(await told("echo a b"), "a|b");
  assert.equal(await told("echo --by me 'a b' --loud"), "a b|--by|me|--loud|");
  assert.equal((await faultOf("echo a --by")).message, "--by wants a name behind it.");
});

test("too few arguments print what is missing and the usage, too many a hint", async () => {
  const few = await faultOf("echo");
  assert.match(few.message, /^first is missing: one\.\nSay it\.\nUsage:\necho first \[second\]/);
  assert.equal(few.exitCode, 2);
  assert.match((await faultOf("at get")).message, /^address is missing: where\.\n/);
  assert.match((await faultOf("at 0x1")).message, /^function is missing: which\.\n/);
  const many = await faultOf("echo a b c");
  assert.equal(many.message, "Try 'echo -h or --help' for more information.");
  assert.equal(many.exitCode, 2);
  assert.equal(await told("many a b c d"), "a|b|c|d");
});

test("-h behind a command prints its usage", async () => {
  assert.match(await told("echo -h"), /^Say it\.\nUsage:/);
  assert.match(await told("select --help"), /^SQL\.\nUsage:/);
});

test("SQL is taken as the line that was typed, or as one word of a shell", async () => {
  const statement = "select * from t where a = 'x  y'";
  assert.equal(await told(`  ${statement} `), statement);
  const shell = readWords([statement], TABLE);
  assert.equal((await runInvocation(posedSession(), shell)).text, statement);
  const words = readWords(["select", "*", "from", "t"], TABLE);
  assert.equal((await runInvocation(posedSession(), words)).text, "select * from t");
});

test("words of a shell are taken as they are", async () => {
  const { args } = readWords(["echo", 'a "b', "[1, 2]"], TABLE);
  assert.deepEqual(args, ['a "b', "[1, 2]"]);
});

test("a chain with an older Supported Version is told, by major and minor", async () => {
  assert.equal(await told("newer a", { supportedVersion: "2.8.0" }), "a");
  assert.equal(await told("newer a", { supportedVersion: "2.11.1" }), "a");
  const fault = await faultOf("newer a", { supportedVersion: "2.7.9" });
  const said = "the node is too old for newer: its Supported Version is 2.7.9, 2.8.0 or later";
  assert.ok(fault.message.startsWith(said));
  assert.equal(fault.exitCode, 1);
});

test("what makes sense in a session only is refused as a single command", async () => {
  const fault = await faultOf("typed a", { isInteractive: false });
  assert.match(fault.message, /^typed makes sense in a session or a script only/);
  assert.equal(fault.exitCode, 2);
});
