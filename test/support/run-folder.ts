/** Set up once for a run: a folder for what the threads of the runner leave when it ends them. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The variable that names the folder. */
export const RUN_FOLDER = "CHAIN_NODE_RUN_FOLDER";

/** Makes it; what is returned removes it. */
export default function makeRunFolder(): () => void {
  const folder = mkdtempSync(join(tmpdir(), "chain-node-run-"));
  process.env[RUN_FOLDER] = folder;
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}
