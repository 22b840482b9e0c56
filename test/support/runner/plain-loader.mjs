/**
 * Hooks by which the engine loads sources by itself: their types are blanked, so that what an error
 * names is the line and the column of the source. The runner's own way of loading calls a getter at
 * each use of an imported name, which tests that calculate feel.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { threadId } from "node:worker_threads";

const SOURCE = /^file:.*(?<!\.d)\.tsx?$/;
/** The runner would take the build for development, which looks into every event. */
const XSTATE = new URL("../../../node_modules/xstate/dist/xstate.cjs.mjs", import.meta.url).href;
const ITSELF = readFileSync(new URL(import.meta.url));

let folder = "";
/** @type {Promise<(text: string, path: string) => string> | undefined} */
let maker;

/** Where modules are kept that were made before. @param {{ folder: string }} data */
export function initialize(data) {
  folder = data.folder;
  mkdirSync(folder, { recursive: true });
}

async function loadMaker() {
  const [{ default: blank }, { transformSync }] = await Promise.all([
    import("ts-blank-space"),
    import("esbuild"),
  ]);
  return (/** @type {string} */ text, /** @type {string} */ path) => {
    const tags = { loader: "tsx", jsx: "automatic", jsxImportSource: "preact" };
    const plain = path.endsWith("x") ? transformSync(text, tags).code : text;
    return blank(plain, (node) => {
      throw new Error(`${path}: not erasable: ${plain.slice(node.pos, node.end).trim()}`);
    });
  };
}

/** Others that start meanwhile read the whole file or none. */
function keep(file, plain) {
  const draft = `${file}.${process.pid}.${threadId}`;
  writeFileSync(draft, plain);
  renameSync(draft, file);
}

async function plainOf(path) {
  const text = readFileSync(path);
  const name = createHash("sha256").update(ITSELF).update(path).update(text).digest("hex");
  const file = join(folder, `${name}.js`);
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
  }
  maker ??= loadMaker();
  const plain = (await maker)(text.toString(), path);
  keep(file, plain);
  return plain;
}

export function resolve(name, context, next) {
  return next(name === "xstate" ? XSTATE : name, context);
}

/** The runner asks for the same test again by a query. */
export async function load(url, context, next) {
  const [source = url] = url.split("?");
  if (!SOURCE.test(source) || source.includes("/node_modules/")) return next(url, context);
  return { format: "module", shortCircuit: true, source: await plainOf(fileURLToPath(source)) };
}
