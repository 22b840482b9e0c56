/** Where this process was started from: what the scripts of nodes run. */
import { realpathSync } from "node:fs";
import type { ProgramPlace } from "../../folder/node-scripts.ts";

/** The runtime and the entry of this process. */
export function programPlace(): ProgramPlace {
  const entry = process.argv[1];
  return { runtime: process.execPath, entry: entry === undefined ? "" : realpathSync(entry) };
}
