/** How the house stands: the figures by which its rooms are judged, counted from the sources. */
import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import ts from "typescript";
import { cyclesOf } from "../rules/cycles.ts";
import { mayImport } from "../rules/rungs.ts";
import * as shape from "../rules/shape.ts";
import {
  type ImportEdge,
  importsOf,
  isSource,
  listFiles,
  ROOT,
  type SourceFile,
  sources,
  visit,
} from "../rules/source-tree.ts";

/** One row of the table. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  /** The most that the rules allow, where there is a rule. */
  readonly most?: number;
  /** What has it: the largest of its kind. */
  readonly where?: string;
}

/** Most files directly in a source folder, most in one of tests, and so on. */
export const BOUNDS = {
  files: 30,
  testFiles: 60,
  imports: 20,
  fields: 12,
  transactionWay: 14,
  receiptWay: 45,
} as const;

/** Folders of one kind of thing, a file for each. */
const ONE_PER_FILE = new Set(["core/rpc/methods", "core/execution/precompiled"]);
/** Tables of such things, and exports of the package, which gather what others define. */
const TABLES = new Set([
  "core/rpc/registry.ts",
  "core/execution/precompiled/registry.ts",
  "runtimes/shared/client/client.ts",
  "runtimes/node/client/client.ts",
]);
const PRODUCT = ["core", "runtimes", "web"];
/** This many lines that stand again elsewhere are a block written twice. */
const BLOCK_LINES = 10;

/** Things with a count, the largest first. */
export type Counted = readonly (readonly [name: string, count: number])[];

function largestFirst(counts: ReadonlyMap<string, number>): Counted {
  return [...counts].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1));
}

/** Source files directly in each folder below some, but for folders of one kind of thing. */
export function filesOfFolders(...below: readonly string[]): Counted {
  const counts = new Map<string, number>();
  for (const path of below.flatMap(listFiles).filter(isSource)) {
    const folder = posix.dirname(path);
    if (!ONE_PER_FILE.has(folder)) counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return largestFirst(counts);
}

/** Files that a file imports by a relative path, each once; tables are left out. */
export function importsOfFiles(edges: readonly ImportEdge[]): Counted {
  const targets = new Map<string, Set<string>>();
  for (const { from, target } of edges) {
    if (target === undefined || TABLES.has(from)) continue;
    targets.set(from, (targets.get(from) ?? new Set()).add(target));
  }
  return largestFirst(new Map([...targets].map(([from, set]) => [from, set.size])));
}

/** Private fields of each class, as `file: class`. */
export function fieldsOfClasses(files: readonly SourceFile[]): Counted {
  const counts = new Map<string, number>();
  for (const file of files.filter(({ text }) => /\bclass\b/.test(text))) {
    visit(file.tree, (node) => {
      if (!ts.isClassLike(node)) return;
      const fields = node.members.filter(
        (member) => ts.isPropertyDeclaration(member) && ts.isPrivateIdentifier(member.name),
      );
      counts.set(`${file.path}: ${node.name?.text ?? "class"}`, fields.length);
    });
  }
  return largestFirst(counts);
}

/** What stands in a line that counts: no blank, comment, import or lone punctuation. */
function textIn(line: string): string | undefined {
  const text = line.trim();
  return /^($|\/\/|\/?\*|import\b|\} from |[^\w]*$)/.test(text) ? undefined : text;
}

/** Lines in blocks of at least {@link BLOCK_LINES} lines that have stood before, word by word. */
export function linesWrittenAgain(files: readonly Pick<SourceFile, "lines">[]): number {
  const seen = new Set<string>();
  let again = 0;
  for (const { lines } of files) {
    const texts = lines.map(textIn).filter((text) => text !== undefined);
    let counted = 0;
    for (let end = BLOCK_LINES; end <= texts.length; end++) {
      const block = texts.slice(end - BLOCK_LINES, end).join("\n");
      if (!seen.has(block)) seen.add(block);
      else {
        again += end - Math.max(counted, end - BLOCK_LINES);
        counted = end;
      }
    }
  }
  return again;
}

/** The call paths that a page names, with their files in order. */
export function waysIn(text: string): ReadonlyMap<string, readonly string[]> {
  const ways = /^## Paths$[\s\S]*?(?=^##)/m.exec(text)?.[0] ?? "";
  const rows = ways.matchAll(/^- \*\*([^*]+)\*\*:([\s\S]*?)(?=^- |^$|(?![\s\S]))/gm);
  return new Map(
    [...rows].map(([, name = "", row = ""]) => {
      const files = [...row.matchAll(/`([^`]+\.tsx?)`/g)].map(([, path = ""]) => path);
      return [name, [...new Set(files)]] as const;
    }),
  );
}

/** The ways of this repository. */
export function ways(): ReadonlyMap<string, readonly string[]> {
  return waysIn(readFileSync(join(ROOT, "docs/architecture/call-paths.md"), "utf8"));
}

function largest(name: string, counted: Counted, most?: number): Figure {
  const [where = "", value = 0] = counted[0] ?? [];
  return { name, value, where, ...(most === undefined ? {} : { most }) };
}

/** Circles of files that import each other, types included. */
function circles(files: readonly SourceFile[], edges: readonly ImportEdge[]): number {
  const graph = new Map<string, string[]>(files.map(({ path }) => [path, []]));
  for (const { from, target } of edges) if (target !== undefined) graph.get(from)?.push(target);
  return cyclesOf(graph).length;
}

function offences(files: readonly SourceFile[], rule: shape.Rule): number {
  return files.flatMap(rule).length;
}

const lineCount = (files: readonly SourceFile[]) =>
  files.reduce((sum, { text }) => sum + text.split("\n").length - 1, 0);

/** All figures, in the order of the table. */
export function houseFigures(): Figure[] {
  const files = sources(...PRODUCT);
  const tests = sources("test").filter(({ path }) => !path.startsWith("test/oracle/"));
  const edges = files.flatMap(importsOf);
  const lengths = largestFirst(new Map(files.map((file) => [file.path, lineCount([file])])));
  const any = shape.anyTypes({ withReason: false });
  const nonNull = shape.nonNull({ withReason: false });
  const way = (name: string) => ways().get(name)?.length ?? 0;
  const { files: mostFiles, testFiles, imports, fields } = BOUNDS;
  return [
    { name: "lines of source", value: lineCount(files) },
    ...PRODUCT.map((name) => ({ name: `  in ${name}`, value: lineCount(sources(name)) })),
    { name: "lines of tests", value: lineCount(tests) },
    { name: "source files", value: files.length },
    largest("lines of the longest source file", lengths, shape.MAX_FILE_LINES),
    largest("files directly in a source folder", filesOfFolders(...PRODUCT), mostFiles),
    largest("files directly in a folder of tests", filesOfFolders("test"), testFiles),
    largest("files that a file imports, tables aside", importsOfFiles(edges), imports),
    largest("private fields of a class", fieldsOfClasses(files), fields),
    { name: "imports against the ladder", value: edges.filter((it) => !mayImport(it)).length },
    { name: "circles of imports, types included", value: circles(files, edges), most: 0 },
    { name: "functions above 70 lines", value: offences(files, shape.longFunctions), most: 1 },
    { name: "uses of any", value: offences(files, any) },
    { name: "non-null assertions", value: offences(files, nonNull) },
    { name: "open points in comments", value: offences(files, shape.openNotes), most: 0 },
    { name: "exports without a comment", value: offences(files, shape.undocumentedExports) },
    { name: "lines in blocks written again", value: linesWrittenAgain(files) },
    {
      name: "files on the way of a transaction to the pool",
      value: way("A transaction to the pool"),
      most: BOUNDS.transactionWay,
    },
    { name: "files on the way of a receipt", value: way("A receipt"), most: BOUNDS.receiptWay },
  ];
}
