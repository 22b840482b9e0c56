/**
 * The page docs/channel-conformance.md says which test shows which rule of the channel protocol.
 * To write it anew: REWRITE_REFERENCE=1 npx vitest run test/rules/channel-table.test.ts
 */
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { DEV_CASES, FOLDER_CASES } from "../runtimes/node/channel/sections.ts";
import type { Unit, UnitSection } from "../runtimes/node/channel/unit.ts";
import { MESSAGE_UNITS } from "../runtimes/node/channel/units-messages.ts";
import { SESSION_UNITS } from "../runtimes/node/channel/units-session.ts";
import { specification } from "../support/ledger/specification.ts";
import { assertNone, ROOT } from "./source-tree.ts";

const PAGE = join(ROOT, "docs", "channel-conformance.md");
const SECTIONS = [...SESSION_UNITS, ...MESSAGE_UNITS];
const CASES = [...DEV_CASES, ...FOLDER_CASES];
const HEAD = `# Channel port: rules and tests

Each row, step and paragraph of the specification of the channel port (sections 2 to 11 and 14 of
\`docs/spec/channel-protocol.md\`) with the tests that show it over a TLS socket
(\`test/runtimes/node/channel\`), with the test of the core that shows it under a moved clock, or
with the reason why none does. A test of \`test/rules/channel-table.test.ts\` fails when a row has
neither. The page is written by that test.
`;

type Kind = "row" | "step" | "text";

/** A unit with its name. */
interface NamedUnit {
  readonly id: string;
  readonly unit: Unit;
}

function namedUnits({ section, rows = [], steps = [], texts = [] }: UnitSection): NamedUnit[] {
  const named = (kind: Kind, units: readonly Unit[]) =>
    units.map((unit, index) => ({ id: `${section} ${kind} ${index + 1}`, unit }));
  return [...named("row", rows), ...named("step", steps), ...named("text", texts)];
}

const UNITS = SECTIONS.flatMap(namedUnits);

/** Names of the tests that show a unit, or why none does. */
function shownBy({ id, unit }: NamedUnit): readonly string[] {
  const cases = CASES.filter(({ rows }) => rows.includes(id)).map((it) => it.test);
  const elsewhere = unit.elsewhere ? [`${unit.elsewhere[1]} (\`${unit.elsewhere[0]}\`)`] : [];
  const reason = unit.reason === undefined ? [] : [`*no test:* ${unit.reason}`];
  return [...cases, ...elsewhere, ...reason];
}

function tableOf(section: UnitSection): string {
  const rows = namedUnits(section).map((named) => {
    const [, ...name] = named.id.split(" ");
    return `| ${name.join(" ")} | ${named.unit.says} | ${shownBy(named).join("; ")} |`;
  });
  const head = `## ${section.section} ${section.title}`;
  return ["", head, "", "| rule | what it says | shown by |", "|---|---|---|", ...rows, ""].join(
    "\n",
  );
}

test("docs/channel-conformance.md is what the tests show", () => {
  const written = `${HEAD}${SECTIONS.map(tableOf).join("")}`;
  if (process.env["REWRITE_REFERENCE"] === "1") writeFileSync(PAGE, written);
  assert.equal(readFileSync(PAGE, "utf8"), written, "stale: run with REWRITE_REFERENCE=1");
});

test("every rule of the channel port has a test, or a reason why it has none", () => {
  assertNone(
    UNITS.filter((named) => shownBy(named).length === 0).map(
      ({ id, unit }) => `${id} ${unit.says}`,
    ),
    "no case names these",
  );
});

test("a rule with a reason has no test, and cases name rules that there are", () => {
  const known = new Set(UNITS.map(({ id }) => id));
  const unknown = CASES.flatMap((it) => it.rows.filter((id) => !known.has(id)));
  assertNone(unknown, "no such rule");
  const contradicted = UNITS.filter(
    ({ id, unit }) => unit.reason !== undefined && CASES.some(({ rows }) => rows.includes(id)),
  );
  assertNone(
    contradicted.map(({ id }) => id),
    "a case shows what is reported to need none",
  );
});

test("tests of the core that show a rule are there", () => {
  const missing = UNITS.flatMap(({ unit: { elsewhere } }) => {
    if (elsewhere === undefined) return [];
    const [file, name] = elsewhere;
    const path = join(ROOT, file);
    return existsSync(path) && readFileSync(path, "utf8").includes(name) ? [] : [`${file} ${name}`];
  });
  assertNone(missing, "no such test");
});

test("names of cases are used once", () => {
  for (const cases of [DEV_CASES, FOLDER_CASES]) {
    const names = cases.map((it) => it.test);
    assert.equal(new Set(names).size, names.length);
  }
});

/** How many units of each kind the specification has in each section. */
function countedUnits(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  let section = "";
  let tableLines = 0;
  let isFenced = false;
  let isInside = false;
  const count = (kind: Kind) => {
    const key = `${section} ${kind}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  };
  for (const line of text.split("\n")) {
    const heading = /^#+ (\d+(?:\.\d+)*)/.exec(line);
    const isRow = line.startsWith("|");
    tableLines = isRow ? tableLines + 1 : 0;
    if (line.startsWith("```")) isFenced = !isFenced;
    else if (!isFenced && heading) section = heading[1] ?? "";
    else if (!isFenced && isRow && tableLines > 2) count("row");
    else if (!isFenced && /^\d+\. /.test(line)) count("step");
    else if (!isFenced && !isRow && line.trim() !== "" && !isInside) count("text");
    isInside = !isRow && !heading && line.trim() !== "";
  }
  return counts;
}

test("the table has the rules of the specification", () => {
  const counts = countedUnits(specification("channel-protocol"));
  const wanted = [...counts].filter(([key]) => {
    const major = Number(/^\d+/.exec(key)?.[0]);
    return (major >= 2 && major <= 11) || major === 14;
  });
  const listed = new Map<string, number>();
  for (const { id } of UNITS) {
    const key = id.replace(/ \d+$/, "");
    listed.set(key, (listed.get(key) ?? 0) + 1);
  }
  assert.deepEqual(Object.fromEntries(listed), Object.fromEntries(wanted));
});
