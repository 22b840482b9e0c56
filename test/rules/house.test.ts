/** The rooms keep their bounds; `npm run house` prints the same figures. */
import assert from "node:assert/strict";
import { test } from "vitest";
import {
  BOUNDS,
  type Counted,
  fieldsOfClasses,
  filesOfFolders,
  importsOfFiles,
  linesWrittenAgain,
  ways,
  waysIn,
} from "../house/figures.ts";
import { assertNone, importsOf, sourceFile, sources } from "./source-tree.ts";

const FILES = sources("core", "runtimes", "web");

function assertWithin(counted: Counted, most: number, rule: string): void {
  const over = counted.filter(([, count]) => count > most);
  assertNone(
    over.map(([name, count]) => `${name} has ${count}`),
    `${rule}: at most ${most}`,
  );
}

test("a folder holds few files", () => {
  const source = filesOfFolders("core", "runtimes", "web");
  assertWithin(source, BOUNDS.files, "give each job a folder of its own");
  assertWithin(filesOfFolders("test"), BOUNDS.testFiles, "give each job a folder of its own");
});

test("a file imports few others", () => {
  const counted = importsOfFiles(FILES.flatMap(importsOf));
  assertWithin(counted, BOUNDS.imports, "it has more than one job");
});

test("a class has few private fields", () => {
  assertWithin(fieldsOfClasses(FILES), BOUNDS.fields, "it has more than one job");
});

test("a transaction and a receipt pass few files", () => {
  const lengths = new Map([...ways()].map(([name, files]) => [name, files.length]));
  const most = new Map([
    ["A transaction to the pool", BOUNDS.transactionWay],
    ["A receipt", BOUNDS.receiptWay],
  ]);
  for (const [name, bound] of most) {
    const length = lengths.get(name) ?? assert.fail(`call-paths.md has no way "${name}"`);
    assert.ok(length <= bound, `${name} passes ${length} files, at most ${bound}`);
  }
});

test("ways, fields, imports and blocks are counted as they are written", () => {
  const page = [
    "## Paths\n",
    "- **A vote**: `core/a.ts`, then\n  `core/b.ts` and `core/a.ts` again.",
    "- **A block**: `core/c.ts`.\n",
    "## Next\n- **No way**: `core/d.ts`.",
  ];
  assert.deepEqual(
    [...waysIn(page.join("\n"))],
    [
      ["A vote", ["core/a.ts", "core/b.ts"]],
      ["A block", ["core/c.ts"]],
    ],
  );
  const text =
    'import { a } from "./a.ts";\nclass B {\n  #a = 1;\n  readonly #b;\n  c = 1;\n  #d() {}\n}\n';
  const file = sourceFile("core/b.ts", text);
  assert.deepEqual(fieldsOfClasses([file]), [["core/b.ts: B", 2]]);
  assert.deepEqual(importsOfFiles(importsOf(file)), [["core/b.ts", 1]]);
  const lines = Array.from({ length: 12 }, (_, index) => `step${index}();`);
  assert.equal(linesWrittenAgain([{ lines }, { lines: ["other();", "", ...lines] }]), 12);
  assert.equal(linesWrittenAgain([{ lines }, { lines: lines.slice(0, 9) }]), 0);
});
