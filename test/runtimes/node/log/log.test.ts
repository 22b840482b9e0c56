/** The log: levels, JSON and readable lines, targets that fail. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { createLog, logWith } from "../../../../runtimes/node/log/log.ts";
import type { LogOptions } from "../../../../runtimes/node/log/log.ts";

function collect(options: Partial<LogOptions> & { isTTY?: boolean } = {}) {
  const lines: string[] = [];
  const target = { write: (text: string) => lines.push(text), isTTY: options.isTTY };
  const { isTTY: _, ...rest } = options;
  return { lines, log: createLog({ level: "info", target, ...rest }) };
}

test("a line is one JSON object with level name, message and fields", () => {
  const { lines, log } = collect();
  log.write("warning", "ViewChangeWarning: too slow", { view: 3, node: undefined });
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? "", /\n$/);
  const { time, ...line } = JSON.parse(lines[0] ?? "");
  assert.deepEqual(line, { level: "warning", msg: "ViewChangeWarning: too slow", view: 3 });
  assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
});

const ORDER = ["trace", "debug", "info", "warning", "error"] as const;
for (const [lowest, level] of ORDER.entries()) {
  test(`level ${level} writes ${ORDER.length - lowest} of the five severities`, () => {
    const { lines, log } = collect({ level });
    for (const severity of ORDER) log.write(severity, severity);
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).msg),
      ORDER.slice(lowest),
    );
  });
}

test("level off writes nothing", () => {
  const { lines, log } = collect({ level: "off" });
  log.write("error", "lost");
  assert.deepEqual(lines, []);
});

test("a terminal gets a readable line that keeps the operators' markers", () => {
  const { lines, log } = collect({ isTTY: true });
  log.write("info", "++++++++ Generating seal on", { blkNum: 5, text: "two words", empty: "" });
  assert.match(
    lines[0] ?? "",
    /^[\d-]{10}T[\d:.]{12}Z info {4}\+{8} Generating seal on blkNum=5 text="two words" empty=""\n$/,
  );
});

test("line breaks in fields and messages cannot forge a line", () => {
  const { lines, log } = collect({ readable: true });
  log.write("info", "first\nsecond", { peer: "a\nerror forged" });
  assert.equal((lines.join("").match(/\n/g) ?? []).length, 1);
});

test("a target that throws does not stop the program", () => {
  const log = createLog({
    level: "info",
    target: {
      write() {
        throw new Error("EPIPE");
      },
    },
  });
  log.write("error", "nobody reads this");
});

test("fields of a scope are added to each line, and the line's own win", () => {
  const { lines, log } = collect();
  const scoped = logWith(log, { node: 1, view: 0 });
  scoped.write("info", "x", { view: 2 });
  const { node, view } = JSON.parse(lines[0] ?? "");
  assert.deepEqual([node, view], [1, 2]);
});
