/** A chain of one producing node and one that may download from it, in folders of their own. */
import { execFile } from "node:child_process";
import { access, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { encodeCall } from "../../core/abi/encode.ts";
import { hexBytes } from "../../core/bytes/hex.ts";
import type { CryptoSuite } from "../../core/crypto/suite.ts";
import { helloWorldBytecode } from "../bench/hello-world.ts";
import {
  freePort,
  request,
  type SeenReceipt,
  waitForReceipt,
} from "../support/process/dev-process.ts";
import { ROOT } from "../support/runner/root.ts";
import { createSender } from "../support/sender.ts";

/** One of the two nodes. */
export interface LongNode {
  readonly nodeId: string;
  readonly config: string;
  /** Folder of its ledgers. */
  readonly data: string;
  readonly url: string;
}

/** The two. */
export interface LongChain {
  /** The only sealer. */
  readonly producer: LongNode;
  readonly observer: LongNode;
}

interface Written {
  readonly nodes: readonly {
    readonly folder: string;
    readonly nodeId: string;
    readonly ports: { readonly rpc: number };
  }[];
}

/** Remembers where the nodes listen, for the next run on the folder. */
const PLACES_FILE = "places.json";
const CONSENSUS_CONTRACT = "0x0000000000000000000000000000000000001003";
const LIMIT_MS = 120_000;
/** Clock ticks per second of /proc/PID/stat; 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

/** CPU seconds of a process with its threads, and what it holds in memory. */
export async function processFigures(pid: number) {
  const stat = await readFile(`/proc/${pid}/stat`, "latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const rss = /VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, "latin1"));
  return {
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND,
    rssMiB: Number(rss?.[1] ?? 0) / 1024,
  };
}

async function writeChain(folder: string): Promise<Written> {
  const ports = [await freePort(), await freePort(), await freePort()];
  const args = ["--json", "--nodes", "2", "--base-ports", ports.join(",")];
  const program = join(ROOT, "dist/node/main.js");
  const command = [program, "init", join(folder, "chain"), ...args];
  const { stdout } = await promisify(execFile)(process.execPath, command);
  const written = JSON.parse(stdout) as Written;
  for (const { folder: home } of written.nodes) {
    // One sealer, one transaction a block, no pause: blocks are many and all alike.
    await edit(join(home, "conf/group.1.genesis"), [
      [/^\s*node\.1=.*$/m, ""],
      [/^(\s*max_trans_num=).*$/m, "$11"],
    ]);
    await edit(join(home, "conf/group.1.ini"), [[/^(\s*min_block_generation_time=).*$/m, "$10"]]);
  }
  await writeFile(join(folder, PLACES_FILE), stdout);
  return written;
}

async function edit(path: string, changes: readonly (readonly [RegExp, string])[]) {
  let text = await readFile(path, "utf8");
  for (const [pattern, replacement] of changes) {
    if (!pattern.test(text)) throw new Error(`${path} has nothing like ${String(pattern)}`);
    text = text.replace(pattern, replacement);
  }
  await writeFile(path, text);
}

/** Writes the folders, or finds those of an earlier run. */
export async function openLongChain(folder: string): Promise<LongChain> {
  const places = join(folder, PLACES_FILE);
  const isThere = await access(places).then(
    () => true,
    () => false,
  );
  const written = isThere
    ? (JSON.parse(await readFile(places, "utf8")) as Written)
    : await writeChain(folder);
  const [producer, observer] = written.nodes.map(({ folder: home, nodeId, ports }) => ({
    nodeId,
    config: join(home, "config.ini"),
    data: join(home, "data"),
    url: `http://127.0.0.1:${ports.rpc}`,
  }));
  if (!producer || !observer) throw new Error(`${places} does not name two nodes`);
  return { producer, observer };
}

/** Sends a transaction and waits until it is in a block. */
async function perform(
  url: string,
  suite: CryptoSuite,
  call: { readonly to?: string; readonly input: Uint8Array },
): Promise<SeenReceipt> {
  const head = Number(await request(url, "getBlockNumber", [1]));
  const { raw, hash } = createSender(suite)({ ...call, head });
  await request(url, "sendRawTransaction", [1, raw]);
  return await waitForReceipt(url, hash, LIMIT_MS);
}

/** Deploys HelloWorld; its address. */
export async function seedContract(url: string, suite: CryptoSuite) {
  const receipt = await perform(url, suite, { input: hexBytes(helloWorldBytecode()) });
  return receipt.contractAddress;
}

/** Makes the second node an observer, once; it may then download. */
export async function registerObserver(chain: LongChain, suite: CryptoSuite): Promise<void> {
  const { url } = chain.producer;
  const observers = (await request(url, "getObserverList", [1])) as readonly string[];
  if (!observers.includes(chain.observer.nodeId)) {
    const input = encodeCall("addObserver(string)", [chain.observer.nodeId], suite.hash);
    const { status } = await perform(url, suite, { to: CONSENSUS_CONTRACT, input });
    if (status !== "0x0") throw new Error(`addObserver ended with ${status}`);
  }
}
