/** Set up first for each file, and once for the runner itself: sources are loaded by the engine. */
import { register } from "node:module";

const DONE = Symbol.for("chain-node.plain-modules");
if (!(DONE in globalThis)) {
  Object.defineProperty(globalThis, DONE, { value: true });
  const data = { folder: process.env["PLAIN_MODULES"] };
  register("./plain-loader.mjs", { parentURL: import.meta.url, data });
}
