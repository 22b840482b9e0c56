/** Where this process was started from: what scripts that it writes run. */
import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** The entry of the node's program, next to those of the tools. */
const ENTRY = "main.js";

/** The runtime, and the entry of `chain-node`. */
export function programPlace(): { readonly runtime: string; readonly entry: string } {
  const started = process.argv[1];
  if (started === undefined) return { runtime: process.execPath, entry: "" };
  const file = realpathSync(started);
  const entry = basename(file) === ENTRY ? file : join(dirname(file), ENTRY);
  return { runtime: process.execPath, entry };
}
