/** The oracle and what it judges know nothing of each other. */
import { posix } from "node:path";
import { test } from "vitest";
import { assertNone, type ImportEdge, importsOf, sourcesWith } from "./source-tree.ts";

const ORACLE = "test/oracle";
const isOfOracle = (path: string) => path === ORACLE || path.startsWith(`${ORACLE}/`);
/** What it stands on besides itself and Node: primitives that nobody here wrote. */
const PRIMITIVES = /^(node:|@noble\/(hashes|curves)\/)/;

/** An import that crosses the border has its name in the file or in the file's path. */
const FOLDERS = ["core", "runtimes", "web", "test", "build.mjs"];
const EDGES = sourcesWith("oracle", ...FOLDERS).flatMap(importsOf);

function place({ from, line, specifier }: ImportEdge): string {
  return `${from}:${line} ${specifier}`;
}

/** Whether the import crosses the border, in either direction. */
function crosses({ from, target, specifier }: ImportEdge): boolean {
  if (!isOfOracle(posix.normalize(from))) return target !== undefined && isOfOracle(target);
  return target === undefined ? !PRIMITIVES.test(specifier) : !isOfOracle(target);
}

test("the oracle imports nothing of what it judges, and nothing imports the oracle", () => {
  assertNone(EDGES.filter(crosses).map(place), "start it as a process, by its path");
});

const EDGE = { kind: "import", typeOnly: false, line: 1 } as const;
const CROSSING = [
  ["test/oracle/rules.mjs", "../../core/bytes/hex.ts", "core/bytes/hex.ts"],
  ["test/oracle/rules.mjs", "../support/runner/root.ts", "test/support/runner/root.ts"],
  ["test/oracle/rules.mjs", "hash-wasm", undefined],
  ["test/soak/main.ts", "../oracle/rules.mjs", "test/oracle/rules.mjs"],
  ["core/bytes/hex.ts", "../../test/oracle/suite.mjs", "test/oracle/suite.mjs"],
] as const;
for (const [from, specifier, target] of CROSSING) {
  test(`an offence is found: ${from} imports ${specifier}`, () => {
    const edge: ImportEdge = { ...EDGE, from, specifier, target };
    assertNone(crosses(edge) ? [] : [place(edge)], "not found");
  });
}
