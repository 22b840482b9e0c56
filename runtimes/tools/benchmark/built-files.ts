/** Files of the build that are started as processes of their own. */
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { InvariantFault } from "../../../core/fault/invariant.ts";

/** Folder with the built files, for code that does not run from the build itself. */
const DIST_VARIABLE = "CHAIN_NODE_DIST";
const WORKER = "benchmark-worker.js";

/** The built worker. */
export function workerFile(): string {
  const dist = process.env[DIST_VARIABLE];
  if (dist !== undefined && dist !== "") return join(resolve(dist), WORKER);
  if (import.meta.url.endsWith(".ts"))
    throw new InvariantFault(`${DIST_VARIABLE} must name the folder of the built ${WORKER}`);
  return fileURLToPath(new URL(`./${WORKER}`, import.meta.url));
}
