/** Where the built worker files are. */
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { InvariantFault } from "../../../core/fault/invariant.ts";

/** The worker threads of the Node runtime, and a process; each is an entry point of the build. */
type WorkerName =
  | "compute-worker"
  | "executor-worker"
  | "call-worker"
  | "body-worker"
  | "check-process";

/** Folder with the built workers, for code that does not run from the build itself. */
const DIST_VARIABLE = "CHAIN_NODE_DIST";

/**
 * The file of a worker: in the folder that CHAIN_NODE_DIST names, else next to the running bundle.
 * @throws InvariantFault from sources when the variable is absent: Node 20 cannot run TypeScript
 */
export function workerUrl(name: WorkerName): URL {
  const dist = process.env[DIST_VARIABLE];
  if (dist !== undefined && dist !== "") return pathToFileURL(join(resolve(dist), `${name}.js`));
  if (import.meta.url.endsWith(".ts"))
    throw new InvariantFault(`${DIST_VARIABLE} must name the folder of the built ${name}.js`);
  return new URL(`./${name}.js`, import.meta.url);
}
