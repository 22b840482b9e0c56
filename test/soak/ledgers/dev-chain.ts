/**
 * Generated transactions through a dev chain: consensus packs them, `chain-node export` writes the
 * ledger, the oracle executes it again.
 */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { hexBytes, toPrefixedHex } from "../../../core/bytes/hex.ts";
import type { Address } from "../../../core/bytes/ids.ts";
import { signTransaction } from "../../../core/model/transaction.ts";
import type { DevChain } from "../../../runtimes/node/dev/dev-chain.ts";
import { startBuiltChain } from "../../support/browser/explorer-chain.ts";
import { ROOT } from "../../support/runner/root.ts";
import type { OracleBlock, OracleProcess, OracleTransaction } from "./oracle-process.ts";
import { caseText, KINDS, type LedgerCase } from "./plan.ts";
import { type SuiteOf, suiteCache } from "./run.ts";

/** The first adds sealers that do not run; the second wants compilers, and adds nothing here. */
const UNFIT = ["system", "solidity"];
const NODES = 2;
const BLOCKS = 6;
const TRANSACTIONS = 14;
/** Between two questions for a receipt. */
const PAUSE_MS = 50;
const PATIENCE_MS = 60_000;
const BLOCK_LIMIT_AHEAD = 400;

interface Sender {
  readonly chain: DevChain;
  readonly suiteOf: SuiteOf;
  readonly sm: boolean;
  nonce: bigint;
}

/** Keys of the generators' accounts. */
function keyOf(account: number): Uint8Array {
  return keccak_256(new TextEncoder().encode(`replay-vector-key-${account}`));
}

async function send(sender: Sender, { from = 0, to, data, gas, value }: OracleTransaction) {
  const { chain, suiteOf, sm } = sender;
  const head = Number(await chain.request("getBlockNumber", [chain.groupId]));
  const fields = {
    nonce: sender.nonce++,
    gasPrice: 300_000_000n,
    gas: BigInt(gas ?? 300_000_000),
    blockLimit: BigInt(head + BLOCK_LIMIT_AHEAD),
    to: (to ?? null) as Address | null,
    value: BigInt(value ?? 0),
    input: hexBytes(data),
    chainId: BigInt(chain.chainId),
    groupId: BigInt(chain.groupId),
    extraData: new Uint8Array(0),
  };
  const { raw } = signTransaction(fields, keyOf(from), await suiteOf(sm));
  return chain.request("sendRawTransaction", [chain.groupId, toPrefixedHex(raw)]);
}

async function untilWritten(chain: DevChain, hash: unknown): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while ((await chain.request("getTransactionReceipt", [chain.groupId, hash])) === null) {
    if (performance.now() > end) throw new Error(`${hash} was not written`);
    await new Promise((resume) => setTimeout(resume, PAUSE_MS));
  }
}

/** What `chain-node export` writes of the chain. */
async function exported(chain: DevChain, folder: string) {
  const file = join(folder, "exported.jsonl.gz");
  const program = join(ROOT, "dist", "node", "main.js");
  const where = ["--rpc", chain.rpcUrl, "--group", String(chain.groupId)];
  await promisify(execFile)(process.execPath, [program, "export", file, ...where]);
  const lines = gunzipSync(await readFile(file))
    .toString()
    .trimEnd()
    .split("\n");
  return { lines, genesis: await readFile(join(folder, "exported.genesis"), "utf8") };
}

/** Generated transactions, but for those that the oracle has no rules for. */
async function fitBlocks(oracle: OracleProcess, of: LedgerCase): Promise<readonly OracleBlock[]> {
  const blocks = await oracle.generate(of);
  const { leftOut } = await oracle.record(of, blocks);
  // Its places are those among what was left by then.
  return blocks.map(({ txs }, at) => {
    const fit = [...txs];
    for (const { block, index } of leftOut) if (block === at + 1) fit.splice(index, 1);
    return { txs: fit };
  });
}

async function runKind(oracle: OracleProcess, of: LedgerCase, suiteOf: SuiteOf) {
  const blocks = await fitBlocks(oracle, of);
  const chain = await startBuiltChain({ nodes: NODES, sm: of.sm, blockTimeMs: 0 });
  const folder = await mkdtemp(join(tmpdir(), "chain-node-exported-"));
  try {
    const sender: Sender = { chain, suiteOf, sm: of.sm, nonce: 1n };
    for (const { txs } of blocks) {
      const hashes = [];
      for (const transaction of txs) hashes.push(await send(sender, transaction));
      for (const hash of hashes) await untilWritten(chain, hash);
    }
    const { lines, genesis } = await exported(chain, folder);
    const found = await oracle.reexecute({ version: of.version, sm: of.sm, genesis }, lines);
    const sent = Number(sender.nonce) - 1;
    return { ...found, isWhole: found.blocks === lines.length && found.transactions === sent };
  } finally {
    await chain.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Each kind on either suite. @throws Error when the oracle disagrees */
export async function runDevChains(
  oracle: OracleProcess,
  seed: number,
  say: (line: string) => void,
): Promise<void> {
  const suiteOf = suiteCache();
  let different = 0;
  for (const kind of KINDS.filter((it) => !UNFIT.includes(it))) {
    for (const sm of [false, true]) {
      const drawn = { kind, seed, blocks: BLOCKS, transactions: TRANSACTIONS };
      const of = { ...drawn, version: "2.11.1", free: false, sm };
      const { blocks, transactions, differences, ...rest } = await runKind(oracle, of, suiteOf);
      const found = `${differences.length} differences${rest.isWhole ? "" : ", not all of them"}`;
      say(`${caseText(of)}: ${blocks} blocks, ${transactions} transactions exported, ${found}`);
      for (const it of [...differences, ...rest.leftOut].slice(0, 3))
        say(`  ${JSON.stringify(it)}`);
      different += differences.length > 0 || !rest.isWhole ? 1 : 0;
    }
  }
  if (different > 0) throw new Error(`${different} exports of dev chains differ`);
}
