/** The worker of a gateway as it was built, and what is written next to it for a deployment. */
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import type { TrustedBlock } from "../../../core/gateway/follower.ts";
import { codeOf } from "../../folder/durable-folder.ts";
import { FolderFault } from "../../folder/folder-fault.ts";

interface WorkerChain {
  readonly upstream: readonly string[];
  readonly trusted: TrustedBlock;
  readonly group: number;
  readonly sm: boolean;
}

/** Of the worker's runtime: a newer one changes nothing until this is changed. */
export const COMPATIBILITY_DATE = "2026-04-01";

const WORKER_FILE = "worker.js";
const CONFIGURATION_FILE = "wrangler.toml";

/** dist/edge next to the running bundle, or in the folder that CHAIN_NODE_DIST names. */
function builtWorker(): string {
  const dist = process.env["CHAIN_NODE_DIST"];
  if (dist !== undefined) return join(dist, "edge", "gateway.js");
  return fileURLToPath(new URL("../edge/gateway.js", import.meta.url));
}

/** The text of the worker. @throws FolderFault when it is not built */
export async function workerText(): Promise<string> {
  const file = builtWorker();
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    if (codeOf(cause) !== "ENOENT") throw cause;
    const next = 'run "npm run build" in the folder of chain-node';
    throw new FolderFault("missing", `${file} is not there: ${next}`, { cause });
  }
}

/** The variables that tell the worker its chain. */
export function workerVariables(chain: WorkerChain): Readonly<Record<string, string>> {
  const { upstream, trusted, group, sm } = chain;
  return {
    UPSTREAMS: upstream.join(","),
    TRUSTED: `${trusted.number}:${trusted.hash}`,
    GROUP: String(group),
    SUITE: sm ? "national" : "standard",
  };
}

/** A text of TOML: JSON's escapes are among those of TOML. */
function configurationText(name: string, variables: Readonly<Record<string, string>>): string {
  const lines = Object.entries(variables).map(
    ([key, value]) => `${key} = ${JSON.stringify(value)}`,
  );
  return [
    `name = ${JSON.stringify(name)}`,
    `main = "${WORKER_FILE}"`,
    `compatibility_date = "${COMPATIBILITY_DATE}"`,
    "",
    "[vars]",
    ...lines,
    "",
  ].join("\n");
}

interface WrittenFile {
  readonly file: string;
  readonly bytes: number;
  /** By `gzip -9`, as limits of platforms count. */
  readonly gzipBytes: number;
}

/** Names that platforms take. */
const NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** All but what comes with a version of ours. */
function settingsOf(text: string): string {
  return text.replace(/^compatibility_date = .*$/m, "");
}

/** Settings that differ were meant: by another command, or by hand. @throws FolderFault */
async function requireSameSettings(file: string, text: string): Promise<void> {
  const there = await readFile(file, "utf8").catch(() => text);
  if (settingsOf(there) === settingsOf(text)) return;
  throw new FolderFault(
    "exists",
    `${file} has other settings than this command would write: give the same options again, ` +
      "name another folder, or remove the file",
  );
}

/** Writes a folder that can be deployed as it is. @throws FolderFault */
export async function writeWorker(
  folder: string,
  name: string,
  chain: WorkerChain,
): Promise<readonly WrittenFile[]> {
  if (!NAME.test(name)) {
    const wanted = "lower-case letters, digits and -, 63 at most";
    throw new FolderFault("argument", `--name ${name} does not fit: ${wanted}`);
  }
  const place = resolve(folder);
  const texts: Readonly<Record<string, string>> = {
    [WORKER_FILE]: await workerText(),
    [CONFIGURATION_FILE]: configurationText(name, workerVariables(chain)),
  };
  await mkdir(place, { recursive: true });
  const foreign = (await readdir(place)).find((file) => texts[file] === undefined);
  if (foreign !== undefined)
    throw new FolderFault("exists", `${place} holds other files, such as ${foreign}`);
  await requireSameSettings(join(place, CONFIGURATION_FILE), texts[CONFIGURATION_FILE] ?? "");
  const written: WrittenFile[] = [];
  for (const [file, text] of Object.entries(texts)) {
    const path = join(place, file);
    await writeFile(path, text);
    const bytes = Buffer.from(text);
    const gzipBytes = gzipSync(bytes, { level: 9 }).length;
    written.push({ file: path, bytes: bytes.length, gzipBytes });
  }
  return written;
}
