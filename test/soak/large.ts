/**
 * Large work that is legitimate, in a chain of four: a transaction of tens of megabytes and a
 * receipt as long go in and out by each interface, and hold up no main thread.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { hexBytes } from "../../core/bytes/hex.ts";
import { NODE_ENVIRONMENT } from "../../runtimes/folder/node-scripts.ts";
import { request } from "../support/process/dev-process.ts";
import { countTimeouts } from "../support/process/group-clients.ts";
import {
  committed,
  deployed,
  deployedStop,
  type Entry,
  entriesOf,
  inputIn,
  longTransaction,
  raiseGasLimit,
  READS,
  read,
} from "../support/process/large-work.ts";
import {
  initProcessChain,
  type NodeProcess,
  type ProcessChain,
} from "../support/process/node-processes.ts";
import { startLoad } from "../support/process/steady-load.ts";
import { ROOT } from "../support/runner/root.ts";
import { createSender } from "../support/sender.ts";
import { STANDARD_SUITE } from "../support/suites.ts";
import { numberOption, profilingTo, type Soak, textOption } from "./soak.ts";

const MEGABYTES = 30;
const MEGABYTE = 1_000_000;
const RATE = 20;
const READERS = 100;
const BATCH = 1_000;
const MOST_TURN_MS = 100;
const LOGS = 34;
/** LOG0 of a megabyte of zeros, 34 times. */
const LOGGER = hexBytes(`${"620f4240" + "6000" + "a0"}`.repeat(LOGS));
const LONGEST_TURN = /^chain_node_longest_turn_seconds ([\d.e+-]+)$/m;

/** The longest turn of each node in the last minute, in milliseconds. */
function turnsOf(nodes: readonly NodeProcess[]): Promise<readonly number[]> {
  return Promise.all(
    nodes.map(async ({ metricsUrl }) => {
      const text = await (await fetch(metricsUrl)).text();
      return Math.round(Number(LONGEST_TURN.exec(text)?.[1] ?? 0) * 1_000);
    }),
  );
}

/** What is measured of a piece of work. */
interface Step {
  readonly what: string;
  readonly seconds: number;
  readonly turnsMs: readonly number[];
  readonly views: number;
}

/** Measures. A class because it collects. */
class Steps {
  readonly all: Step[] = [];
  readonly #chain: ProcessChain;
  readonly #say: (line: string) => void;

  constructor(chain: ProcessChain, say: (line: string) => void) {
    this.#chain = chain;
    this.#say = say;
  }

  async take<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
    const { nodes } = this.#chain;
    const before = await turnsOf(nodes);
    const views = countTimeouts(nodes);
    const began = performance.now();
    const result = await work();
    const seconds = Math.round((performance.now() - began) / 10) / 100;
    const after = await turnsOf(nodes);
    // One that is reported still, and was before, is of an earlier step.
    const turnsMs = after.map((ms, index) => (ms === before[index] ? 0 : ms));
    const step = { what, seconds, turnsMs, views: countTimeouts(nodes) - views };
    this.all.push(step);
    this.#say(JSON.stringify(step));
    return result;
  }
}

async function blockHashOf({ url }: NodeProcess, number: number): Promise<string> {
  return (await request(url, "getBlockHashByNumber", [1, `${number}`])) as string;
}

/** In by one interface, out by all. */
async function throughSocket(
  [steps, nodes]: readonly [Steps, readonly NodeProcess[]],
  [entry, entries]: readonly [Entry, readonly Entry[]],
  [to, bytes]: readonly [string, number],
): Promise<void> {
  const [first] = nodes;
  assert.ok(first);
  const call = await longTransaction(first, to, bytes);
  const what = `${bytes / MEGABYTE} MB by ${entry.name}`;
  const number = await steps.take(what, () => committed(entry, call, first));
  const blockHash = await blockHashOf(first, number);
  for (const other of entries)
    for (const method of READS) {
      const name = `${method} by ${other.name}`;
      const answer = await steps.take(name, () => read(other, method, { ...call, blockHash }));
      const input = inputIn(answer, call.hash);
      assert.equal(input.length, 2 + 2 * bytes, name);
      assert.ok(call.raw.includes(input.slice(2, 1_000)), name);
    }
}

/** A receipt with as many bytes of logs, read by all interfaces and by many at once. */
async function longReceipt(
  [steps, nodes]: readonly [Steps, readonly NodeProcess[]],
  entries: readonly Entry[],
): Promise<void> {
  const [first] = nodes;
  const [http] = entries;
  assert.ok(first && http);
  const logger = await deployed(first, LOGGER);
  const call = await longTransaction(first, logger, 0);
  await steps.take("a receipt with 34 MB of logs", () => committed(http, call, first));
  const blockHash = "";
  const readOnce = async (entry: Entry) => {
    const answer = await read(entry, "getTransactionReceipt", { ...call, blockHash });
    const { logs } = answer as { readonly logs: readonly { readonly data: string }[] };
    assert.equal(logs.length, LOGS);
  };
  for (const entry of entries)
    await steps.take(`its receipt by ${entry.name}`, () => readOnce(entry));
  await steps.take(`${READERS} clients read it`, () => manyReaders(first, call.hash));
}

async function manyReaders({ url }: NodeProcess, hash: string): Promise<void> {
  const body = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "getTransactionReceipt",
    params: [1, hash],
  });
  const readers = Array.from({ length: READERS }, async () => {
    const { body: answer } = await fetch(url, { method: "POST", body });
    assert.ok(answer);
    let bytes = 0;
    const reader = answer.getReader();
    for (let next = await reader.read(); !next.done; next = await reader.read())
      bytes += next.value.length;
    assert.ok(bytes > 2 * LOGS * MEGABYTE, `${bytes} bytes`);
  });
  await Promise.all(readers);
}

/** A thousand requests in one. */
async function batch({ url }: NodeProcess): Promise<void> {
  const send = createSender(STANDARD_SUITE);
  const { raw, hash } = send({ head: Number(await request(url, "getBlockNumber", [1])) });
  await request(url, "sendRawTransaction", [1, raw]);
  const asked = Array.from({ length: BATCH }, (_, id) => ({
    jsonrpc: "2.0",
    id,
    method: "getTransactionReceipt",
    params: [1, hash],
  }));
  const answer = await fetch(url, { method: "POST", body: JSON.stringify(asked) });
  assert.equal(((await answer.json()) as unknown[]).length, BATCH);
}

async function exported(chain: ProcessChain, { url }: NodeProcess): Promise<void> {
  const program = join(ROOT, "dist/node/main.js");
  const file = join(chain.folder, "exported.jsonl.gz");
  const args = [program, "export", file, "--rpc", url, "--json"];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const { transactions } = JSON.parse(stdout) as { readonly transactions: number };
  assert.ok(transactions > 0, stdout);
}

async function run(
  [bytes, profile]: readonly [number, string | undefined],
  say: (line: string) => void,
): Promise<void> {
  // As the scripts of a node's folder start it.
  Object.assign(process.env, NODE_ENVIRONMENT);
  const nodeArgs = profilingTo(profile);
  const chain = await initProcessChain({ nodes: 4, metrics: true, run: { nodeArgs } });
  const entries: Entry[] = [];
  try {
    for (const node of chain.nodes) await node.start();
    const [first, ...others] = chain.nodes;
    assert.ok(first);
    entries.push(...(await entriesOf(chain, first)));
    await raiseGasLimit(first);
    const stop = await deployedStop(first);
    const steps = new Steps(chain, say);
    const urls = others.map(({ url }) => url);
    const load = startLoad(urls, RATE);
    const place = [steps, chain.nodes] as const;
    for (const entry of entries) await throughSocket(place, [entry, entries], [stop, bytes]);
    await longReceipt(place, entries);
    await steps.take(`a batch of ${BATCH}`, () => batch(first));
    const report = await load.stop();
    await steps.take("export --rpc", () => exported(chain, first));
    assert.equal(report.lost.length, 0, "transactions were lost");
    const views = steps.all.reduce((sum, step) => sum + step.views, 0);
    assert.equal(views, 0, "views were lost");
    const slow = steps.all.filter(({ turnsMs }) => Math.max(...turnsMs) > MOST_TURN_MS);
    assert.deepEqual(
      slow.map(({ what, turnsMs }) => `${what}: ${turnsMs}`),
      [],
    );
  } catch (cause) {
    for (const node of chain.nodes) say(node.errors());
    throw cause;
  } finally {
    for (const { transport } of entries) await transport.close?.();
    if (profile) await Promise.all(chain.nodes.map((node) => node.end("SIGTERM")));
    await chain.close();
  }
}

/** `npm run soak -- large [--megabytes N] [--profile FOLDER]`. */
export const largeSoak: Soak = {
  about: `large work that is legitimate: [--megabytes ${MEGABYTES}] [--profile FOLDER]`,
  async run(args, say) {
    const bytes = numberOption(args, "megabytes", MEGABYTES) * MEGABYTE;
    await run([bytes, textOption(args, "profile")], say);
  },
};
