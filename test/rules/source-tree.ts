/** The repository as data for the rules: files, their syntax trees, their imports. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, posix, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

/** The repository's root. */
export const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

const GENERATED = new Set(["node_modules", "dist", "coverage"]);

/** A source file. */
export interface SourceFile {
  /** Relative to the root, with slashes. */
  readonly path: string;
  readonly text: string;
  readonly lines: readonly string[];
  /** Parsed when it is first asked for: most files of a rule are let go by their text. */
  readonly tree: ts.SourceFile;
}

/** One import or re-export of a file. */
export interface ImportEdge {
  readonly from: string;
  /** As written. */
  readonly specifier: string;
  /** The file that a relative specifier names. */
  readonly target: string | undefined;
  readonly kind: "import" | "export" | "dynamic";
  readonly typeOnly: boolean;
  readonly line: number;
}

/**
 * All files below a folder (or the file itself), relative to the root, without generated and hidden
 * folders.
 */
export function listFiles(folder: string): string[] {
  const start = join(ROOT, folder);
  if (!existsSync(start)) return [];
  if (statSync(start).isFile()) return [folder];
  const found: string[] = [];
  const walk = (directory: string): void => {
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      if (GENERATED.has(entry.name) || entry.name.startsWith(".")) continue;
      const path = join(directory, entry.name);
      if (entry.isDirectory()) walk(path);
      else found.push(relative(ROOT, path).split(sep).join("/"));
    }
  };
  walk(start);
  return found.sort();
}

const cache = new Map<string, SourceFile>();

/** Rules find comments by their place in the text: no node is made for what is in them. */
const PARSING: ts.CreateSourceFileOptions = {
  languageVersion: ts.ScriptTarget.ES2023,
  jsDocParsingMode: ts.JSDocParsingMode.ParseNone,
};

/** A file with this text, parsed at most once. */
export function sourceFile(path: string, text: string): SourceFile {
  let tree: ts.SourceFile | undefined;
  return {
    path,
    text,
    lines: text.split("\n"),
    get tree() {
      tree ??= ts.createSourceFile(path, text, PARSING, true);
      return tree;
    },
  };
}

/** Reads a file once. */
export function parse(path: string): SourceFile {
  const known = cache.get(path);
  if (known !== undefined) return known;
  const file = sourceFile(path, readFileSync(join(ROOT, path), "utf8"));
  cache.set(path, file);
  return file;
}

/** The TypeScript and module files below the folders. */
export function sources(...folders: readonly string[]): SourceFile[] {
  return folders.flatMap(listFiles).filter(isSource).map(parse);
}

/** Those of {@link sources} that have a text, the path included; others are not parsed. */
export function sourcesWith(text: string, ...folders: readonly string[]): SourceFile[] {
  const has = (path: string) =>
    path.includes(text) || readFileSync(join(ROOT, path), "utf8").includes(text);
  return folders.flatMap(listFiles).filter(isSource).filter(has).map(parse);
}

/** Whether a path is that of a source file. */
export function isSource(path: string): boolean {
  return /\.(tsx?|mts|mjs)$/.test(path) && !path.endsWith(".d.ts");
}

/** Line of a node, counted from 1. */
export function lineOf({ tree }: Pick<SourceFile, "tree">, node: ts.Node): number {
  return tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1;
}

/** Calls back for a node and everything below it. */
export function visit(node: ts.Node, callback: (node: ts.Node) => void): void {
  callback(node);
  ts.forEachChild(node, (child) => visit(child, callback));
}

function isTypeOnlyImport(node: ts.ImportDeclaration): boolean {
  const clause = node.importClause;
  return clause !== undefined && clause.phaseModifier === ts.SyntaxKind.TypeKeyword;
}

function describeEdge(
  node: ts.Node,
): { text: string; kind: ImportEdge["kind"]; typeOnly: boolean } | undefined {
  if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
    return { text: node.moduleSpecifier.text, kind: "import", typeOnly: isTypeOnlyImport(node) };
  }
  if (ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined) {
    if (!ts.isStringLiteral(node.moduleSpecifier)) return undefined;
    return { text: node.moduleSpecifier.text, kind: "export", typeOnly: node.isTypeOnly };
  }
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
    if (!ts.isStringLiteral(node.argument.literal)) return undefined;
    return { text: node.argument.literal.text, kind: "import", typeOnly: true };
  }
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
    const [argument] = node.arguments;
    if (argument === undefined || !ts.isStringLiteral(argument)) return undefined;
    return { text: argument.text, kind: "dynamic", typeOnly: false };
  }
  return undefined;
}

/** The end of a declaration that names another file, as the formatter leaves it. */
const NAMES_A_FILE = /^(import "|.* from ")/;

/** What has all imports of a file: of one that has them as declarations only, its beginning. */
function importingPart(file: SourceFile): ts.SourceFile {
  const { path, text, lines } = file;
  if (/\bimport\s*\(/.test(text)) return file.tree;
  const count = lines.findLastIndex((line) => NAMES_A_FILE.test(line)) + 1;
  const head = lines.slice(0, count).join("\n");
  return ts.createSourceFile(path, head, PARSING);
}

/** Imports, re-exports, import types and dynamic imports with a literal name. */
export function importsOf(file: SourceFile): ImportEdge[] {
  const edges: ImportEdge[] = [];
  const tree = importingPart(file);
  visit(tree, (node) => {
    const edge = describeEdge(node);
    if (edge === undefined) return;
    const isRelative = edge.text.startsWith(".");
    edges.push({
      from: file.path,
      specifier: edge.text,
      target: isRelative ? posix.join(posix.dirname(file.path), edge.text) : undefined,
      kind: edge.kind,
      typeOnly: edge.typeOnly,
      line: lineOf({ tree }, node),
    });
  });
  return edges;
}

/** Fails with one line per offence. */
export function assertNone(offences: readonly string[], rule: string): void {
  if (offences.length === 0) return;
  assert.fail(`${rule}\n${offences.map((offence) => `  ${offence}`).join("\n")}`);
}
