/** Micro-benchmarks of the hot path: recover, hash, decode, EVM call, block execution and write. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hexBytes } from "../../core/bytes/hex.ts";
import type { Address } from "../../core/bytes/ids.ts";
import { createStandardSuite } from "../../core/crypto/standard.ts";
import type { CryptoSuite } from "../../core/crypto/suite.ts";
import { decodeTransaction } from "../../core/model/transaction.ts";
import { openLevelStore } from "../../runtimes/node/store/store.ts";
import { openTestChain, rawTransaction, type TestChain } from "../support/execution/test-chain.ts";
import { helloWorldBytecode, setCall, textOf } from "./hello-world.ts";

/** One row of the table. */
export interface MicroRow {
  readonly name: string;
  readonly micros: number;
}

/** Transactions of a measured block. */
const BLOCK_SIZE = 1_000;
/** Blocks before and while measuring. */
const WARM_BLOCKS = 4;
const MEASURED_BLOCKS = 8;
/** Least time of a simple measurement. */
const MEASURE_MS = 400;

/** Microseconds of one run of a synchronous function, after a warm-up. */
function timeOf(run: () => unknown): number {
  for (let i = 0; i < 200; i++) run();
  const begin = performance.now();
  let count = 0;
  while (performance.now() - begin < MEASURE_MS) {
    for (let i = 0; i < 50; i++) run();
    count += 50;
  }
  return ((performance.now() - begin) * 1000) / count;
}

function cryptoRows(suite: CryptoSuite): MicroRow[] {
  const noble = createStandardSuite();
  const key = new Uint8Array(32).fill(7);
  const digest = suite.hash(key);
  const signature = suite.sign(digest, key);
  const data = new Uint8Array(200).fill(1);
  const { raw } = rawTransaction({ input: setCall(textOf(1)) });
  return [
    { name: "recover a sender", micros: timeOf(() => suite.recover(digest, signature)) },
    { name: "recover a sender, noble", micros: timeOf(() => noble.recover(digest, signature)) },
    { name: "sign a digest", micros: timeOf(() => suite.sign(digest, key)) },
    { name: "hash 200 bytes", micros: timeOf(() => suite.hash(data)) },
    { name: "hash 200 bytes, noble", micros: timeOf(() => noble.hash(data)) },
    {
      name: "decode a transaction and its hash",
      micros: timeOf(() => decodeTransaction(raw, suite)),
    },
  ];
}

async function callRow(chain: TestChain, to: Address): Promise<MicroRow> {
  const request = { from: to, to, value: 0n, data: hexBytes("6d4ce63c") };
  for (let i = 0; i < 500; i++) await chain.processor.call(request);
  const begin = performance.now();
  for (let i = 0; i < 2_000; i++) await chain.processor.call(request);
  return { name: "call get()", micros: ((performance.now() - begin) * 1000) / 2_000 };
}

/** Executes and writes blocks of set() calls; microseconds per transaction of each half. */
async function blockRows(chain: TestChain, to: Address): Promise<MicroRow[]> {
  let executing = 0;
  let writing = 0;
  for (let block = 0; block < WARM_BLOCKS + MEASURED_BLOCKS; block++) {
    const transactions = Array.from({ length: BLOCK_SIZE }, (_, i) =>
      rawTransaction({ to, input: setCall(textOf(block * BLOCK_SIZE + i)) }),
    );
    const request = chain.propose(transactions);
    const begin = performance.now();
    const outcome = await chain.processor.execute(request);
    const executed = performance.now();
    if (!outcome.ok) throw new Error(`the block was refused: ${outcome.reason}`);
    await chain.processor.write(outcome.block.hash, []);
    const written = performance.now();
    chain.ledger.refresh();
    if (block < WARM_BLOCKS) continue;
    executing += executed - begin;
    writing += written - executed;
  }
  const count = MEASURED_BLOCKS * BLOCK_SIZE;
  return [
    { name: "execute set() in a block of 1,000", micros: (executing * 1000) / count },
    { name: "write it to LevelDB, one sync per block", micros: (writing * 1000) / count },
  ];
}

/** Runs everything once. */
export async function runMicro(
  suite: CryptoSuite,
  progress: (line: string) => void,
): Promise<readonly MicroRow[]> {
  progress("hashes and signatures");
  const rows = cryptoRows(suite);
  const folder = await mkdtemp(join(tmpdir(), "chain-node-micro-"));
  const store = await openLevelStore(folder, { create: true });
  try {
    progress("blocks");
    const chain = await openTestChain({ store, processor: { suite } });
    const deployed = await chain.send({ input: helloWorldBytecode() });
    const contract = deployed.contractAddress;
    rows.push(...(await blockRows(chain, contract)), await callRow(chain, contract));
    await chain.processor.close();
  } finally {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  }
  return rows;
}
