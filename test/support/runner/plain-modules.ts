/**
 * Tests and what they import, as plain modules that the engine loads by itself. The runner's own
 * way of loading calls a getter at each use of an imported name, which tests that calculate feel,
 * and asks another thread for each module. Types are blanked: what an error names is the line and
 * the column of the source.
 */
import { createHash } from "node:crypto";
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type * as Ts from "typescript";
import type { Plugin } from "vite";

/** Folders of the repository with sources that tests import. */
const ROOMS = ["core", "docs", "runtimes", "test", "web"];
/** Where the modules are, below the root. */
const PLACE = "node_modules/.cache/chain-node-plain";
const SOURCE = /(?<!\.d)\.tsx?$/;
/** What the runner is given a module of; what sets tests up is run anew for each, by the runner. */
const FIRST = /^test\/.*\.test\.ts$/;
/** What the modules come of, besides their sources. */
const MAKERS = ["test/support/runner/plain-modules.ts", "package-lock.json"];
/** The runner takes the build for development, which looks into every event. */
const XSTATE = "node_modules/xstate/dist/xstate.cjs.mjs";

/** The module of a source. @param path absolute, or below the root; so is the result */
export function plainPath(root: string, path: string): string {
  return join(root, PLACE, relative(root, resolve(root, path)).replace(SOURCE, ".js"));
}

/** The source of a module, or the path itself if it is none. */
export function sourcePath(root: string, path: string): string {
  const name = relative(join(root, PLACE), path);
  return name.startsWith("..") ? path : join(root, name.replace(/\.js$/, ".ts"));
}

interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

interface Makers {
  readonly root: string;
  readonly ts: typeof Ts;
  readonly blank: (source: Ts.SourceFile) => string;
  readonly withoutTags: (text: string) => string;
}

async function loadMakers(root: string): Promise<Makers> {
  const [{ blankSourceFile }, { default: ts }, { transformSync }] = await Promise.all([
    import("ts-blank-space"),
    import("typescript"),
    import("esbuild"),
  ]);
  const jsx = { loader: "tsx", jsx: "automatic", jsxImportSource: "preact" } as const;
  const refuse = (node: Ts.Node) => {
    throw new Error(`${node.getSourceFile().fileName}: not erasable: ${node.getText()}`);
  };
  return {
    root,
    ts: ts as typeof Ts,
    blank: (source) => blankSourceFile(source, refuse),
    withoutTags: (text) => transformSync(text, jsx).code,
  };
}

/** What a module imports instead: another module, or the file itself if it is no source. */
function importName(path: string, name: string, root: string): string {
  if (name === "xstate") return pathToFileURL(join(root, XSTATE)).href;
  if (!name.startsWith(".")) return name;
  return SOURCE.test(name)
    ? name.replace(SOURCE, ".js")
    : pathToFileURL(resolve(dirname(path), name)).href;
}

/** What differs from the source: names of imports, and where the module says that it is. */
function editsOf(path: string, source: Ts.SourceFile, { ts, root }: Makers): readonly Edit[] {
  const edits: Edit[] = [];
  const put = (node: Ts.Node, value: string) => {
    const text = JSON.stringify(value);
    edits.push({ from: node.getStart(source), to: node.getEnd(), text });
  };
  const visit = (node: Ts.Node): void => {
    const imported =
      ts.isImportDeclaration(node) || ts.isExportDeclaration(node)
        ? !(ts.isImportDeclaration(node) ? node.importClause : node)?.isTypeOnly &&
          node.moduleSpecifier
        : ts.isCallExpression(node) &&
          node.expression.kind === ts.SyntaxKind.ImportKeyword &&
          node.arguments[0];
    if (imported && ts.isStringLiteralLike(imported))
      put(imported, importName(path, imported.text, root));
    if (ts.isPropertyAccessExpression(node) && ts.isMetaProperty(node.expression)) {
      if (node.name.text === "url") put(node, pathToFileURL(path).href);
      if (node.name.text === "dirname") put(node, dirname(path));
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return edits;
}

function moduleOf(path: string, makers: Makers): string {
  const { ts, blank, withoutTags } = makers;
  const read = readFileSync(path, "utf8");
  const text = path.endsWith("x") ? withoutTags(read) : read;
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true);
  let plain = blank(source);
  // From the end, so that the places of those before stay.
  for (const { from, to, text } of editsOf(path, source, makers).toReversed())
    plain = plain.slice(0, from) + text + plain.slice(to);
  return plain;
}

/** Others that start meanwhile read the old file or the new one. */
function writeWhole(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}.tmp`;
  writeFileSync(draft, text);
  renameSync(draft, file);
}

/** What the modules are made of: of each source its size and when it was written. */
interface Made {
  readonly makers: string;
  readonly sources: Readonly<Record<string, string>>;
}

function madeOf(root: string): Made {
  const hash = createHash("sha256").update(root);
  for (const maker of MAKERS) hash.update(readFileSync(join(root, maker)));
  const names = ROOMS.flatMap((room) =>
    readdirSync(join(root, room), { recursive: true, encoding: "utf8" })
      .filter((name) => SOURCE.test(name))
      .map((name) => join(room, name)),
  );
  const printOf = (name: string) => {
    const { size, mtimeMs } = statSync(join(root, name));
    return `${size} ${mtimeMs}`;
  };
  const sources = Object.fromEntries(names.map((name) => [name, printOf(name)]));
  return { makers: hash.digest("hex"), sources };
}

function madeBefore(record: string): Made | undefined {
  try {
    return JSON.parse(readFileSync(record, "utf8")) as Made;
  } catch {
    return undefined;
  }
}

/** Makes the modules of those sources that changed. */
export async function makePlainModules(root: string): Promise<void> {
  const record = join(root, PLACE, "made.json");
  const [now, before] = [madeOf(root), madeBefore(record)];
  const old = before?.makers === now.makers ? before.sources : {};
  const changed = Object.keys(now.sources).filter((name) => now.sources[name] !== old[name]);
  const gone = Object.keys(before?.sources ?? {}).filter((name) => !(name in now.sources));
  if (changed.length + gone.length === 0) return;
  const makers = await loadMakers(root);
  writeWhole(join(root, PLACE, "package.json"), '{ "type": "module" }\n');
  for (const name of changed) writeWhole(plainPath(root, name), moduleOf(join(root, name), makers));
  for (const name of gone) rmSync(plainPath(root, name), { force: true });
  writeWhole(record, JSON.stringify(now));
}

/** Gives the runner the modules in place of tests. */
export function plainModules(root: string): Plugin {
  let made: Promise<void> | undefined;
  return {
    name: "plain-modules",
    enforce: "pre",
    // The runner builds for several environments.
    buildStart: () => (made ??= makePlainModules(root)),
    load: (id) =>
      FIRST.test(relative(root, id))
        ? `await import(${JSON.stringify(plainPath(root, id))});\n`
        : undefined,
  };
}
