/** How commands are found, and what is reported of them. */
// rules: console 2, 4
import assert from "node:assert/strict";
import { test } from "vitest";
import { type ConsoleCommand, ConsoleFault } from "../../../../runtimes/tools/console/command.ts";
import { COMMANDS } from "../../../../runtimes/tools/console/commands/all.ts";
import {
  asksForUsage,
  commandList,
  findCommand,
  usageText,
} from "../../../../runtimes/tools/console/usage.ts";

const run = () => Promise.resolve({ text: "", data: null });
const ADD: ConsoleCommand = {
  name: "addThing",
  aliases: ["a"],
  says: "Add a thing",
  parameters: [
    { name: "thing", says: "what to add" },
    { name: "more", says: "more of it", isOptional: true, isMany: true },
  ],
  flags: [{ name: "--label", value: "text", says: "its name" }],
  since: "2.3.0",
  run,
};
const TABLE: readonly ConsoleCommand[] = [
  ADD,
  { name: "getFoo", says: "Foo", parameters: [], run },
  { name: "getfoo", says: "foo", parameters: [], run },
];

test("a command is found by name, by alias, and in any case when one alone is meant", () => {
  assert.equal(findCommand("addThing", TABLE).name, "addThing");
  assert.equal(findCommand("a", TABLE).name, "addThing");
  assert.equal(findCommand("ADDTHING", TABLE).name, "addThing");
  assert.equal(findCommand("getfoo", TABLE).name, "getfoo");
});

test("an unknown command is told with the nearest name", () => {
  const told = (word: string): string => {
    try {
      return findCommand(word, TABLE).name;
    } catch (cause) {
      assert.ok(cause instanceof ConsoleFault && cause.exitCode === 2);
      return cause.message;
    }
  };
  assert.equal(told("adThing"), 'Undefined command: "adThing". Try "help". Did you mean addThing?');
  assert.equal(told("zzzzzzz"), 'Undefined command: "zzzzzzz". Try "help".');
  // Two commands differ in case alone.
  assert.match(told("GETFOO"), /^Undefined command: "GETFOO"/);
});

test("the usage has description, grammar and one line per parameter", () => {
  const lines = [
    "Add a thing.",
    "Usage:",
    "addThing thing [more...] [--label <text>]",
    "* thing -- what to add",
    "* more -- more of it (optional)",
    "* --label -- its name (optional)",
    "Aliases: a",
    "Needs a chain of version 2.3.0 or later.",
  ];
  assert.equal(usageText(ADD), lines.join("\n"));
});

test("seven words ask for the usage, as second word alone", () => {
  for (const word of ["-h", "-help", "--h", "--H", "--help", "-H", "h"])
    assert.ok(asksForUsage([word]), word);
  assert.ok(!asksForUsage([]) && !asksForUsage(["-h", "x"]) && !asksForUsage(["help"]));
});

test("the list is sorted, with names padded to 40 and aliases behind them", () => {
  const [first, second] = commandList(TABLE).split("\n");
  assert.equal(first, `* ${"addThing([a])".padEnd(40)}  Add a thing`);
  assert.match(second ?? "", /^\* get[Ff]oo/);
});

test("names and aliases of the console are unique in any case", () => {
  const names = COMMANDS.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  assert.equal(new Set(names.map((name) => name.toLowerCase())).size, names.length);
});

test("descriptions are sentences without a full stop, parameters too", () => {
  for (const { name, says, parameters, flags = [] } of COMMANDS) {
    assert.match(says, /^[A-Z].*[^.]$/, name);
    for (const part of [...parameters, ...flags]) assert.match(part.says, /[^.]$/, name);
    const isLast = parameters.map((it) => it.isMany === true).indexOf(true);
    assert.ok(isLast < 0 || isLast === parameters.length - 1, name);
    const optional = parameters.findIndex(({ isOptional }) => isOptional);
    const rest = optional < 0 ? [] : parameters.slice(optional);
    assert.ok(
      rest.every(({ isOptional }) => isOptional),
      name,
    );
  }
});
