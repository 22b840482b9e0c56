/** One scenario that must give the same hashes on Node, in Chromium and in workerd. */
import { hexBytes, nodeIdOf, toPrefixedHex } from "../../core/bytes/hex.ts";
import { type Address, type Hash, ZERO_HASH } from "../../core/bytes/ids.ts";
import { createAddress } from "../../core/crypto/contract-address.ts";
import { createStandardSuite } from "../../core/crypto/standard.ts";
import { createBlockProcessor } from "../../core/execution/block-processor.ts";
import { prepareGenesis } from "../../core/ledger/genesis-block.ts";
import { transactionsRoot } from "../../core/model/roots.ts";
import { recoverSender, signTransaction, type Transaction } from "../../core/model/transaction.ts";
import { NEWEST_VERSION } from "../../core/model/version.ts";
import type { Executor } from "../../core/ports/executor.ts";
import { openMemoryStore } from "../../core/storage/memory-store.ts";

/** What the scenario computed, in order. */
export interface ScenarioResult {
  /** Block hash, state root and receipts root of each block. */
  readonly hashes: readonly Hash[];
  /** Statuses and outputs of the calls at the end. */
  readonly calls: readonly { readonly status: number; readonly output: string }[];
}

const suite = createStandardSuite();
const rules = { suite, version: NEWEST_VERSION };
const SEALER_KEY = new Uint8Array(32).fill(7);
const SENDER_KEY = new Uint8Array(32).fill(9);
const SENDER = suite.address(suite.publicKey(SENDER_KEY));
const SEALER = nodeIdOf(suite.publicKey(SEALER_KEY));
const STARTED_MS = 1_700_000_000_000n;

/** Stores its argument and the hash of it, logs the hash, and returns it. */
const RUNTIME_CODE = "6000358060005560005260206000208060015560005260206000a060206000f3";
/** Copies the 32 bytes behind it and returns them as code. */
const CREATION_CODE = hexBytes(`602080600b6000396000f3${RUNTIME_CODE}`);
const CONTRACT = createAddress(SENDER, 0n, suite.hash);
/** The precompiled contract of tables; a call of it with an unknown selector is an error code. */
const TABLE_FACTORY = `0x${"1001".padStart(40, "0")}` as Address;

function transaction(nonce: bigint, to: Address | null, input: Uint8Array): Transaction {
  const fields = {
    nonce,
    gasPrice: 1n,
    gas: 1_000_000n,
    blockLimit: 500n,
    to,
    value: 0n,
    input,
    chainId: 1n,
    groupId: 1n,
    extraData: new Uint8Array(0),
  };
  return signTransaction(fields, SENDER_KEY, suite);
}

function word(value: number): Uint8Array {
  return hexBytes(value.toString(16).padStart(64, "0"));
}

const BLOCKS: readonly (readonly Transaction[])[] = [
  [transaction(1n, null, CREATION_CODE)],
  [1, 2, 3].map((n) => transaction(BigInt(n + 1), CONTRACT, word(n))),
  [transaction(9n, TABLE_FACTORY, word(4)), transaction(10n, CONTRACT, word(5))],
];

interface Parent {
  readonly hash: Hash;
  readonly number: number;
}

/** Executes the transactions on the parent and writes the block with one seal. */
async function addBlock(
  processor: Executor,
  parent: Parent,
  transactions: readonly Transaction[],
): Promise<{ readonly hash: Hash; readonly roots: readonly Hash[] }> {
  const number = parent.number + 1;
  const header = {
    parentHash: parent.hash,
    stateRoot: ZERO_HASH,
    transactionsRoot: transactionsRoot(transactions, rules),
    receiptsRoot: ZERO_HASH,
    dbHash: ZERO_HASH,
    logsBloom: new Uint8Array(256),
    number,
    gasLimit: 0n,
    gasUsed: 0n,
    timestamp: STARTED_MS + BigInt(number),
    extraData: [],
    sealer: 0,
    sealerList: [SEALER],
  };
  const outcome = await processor.execute({
    header,
    transactions: transactions.map(({ raw }) => raw),
    hashes: transactions.map(({ hash }) => hash),
    // Recovered, not assumed: signatures are part of what the runtimes must agree on.
    senders: transactions.map((it) => recoverSender(it, suite) ?? SENDER),
  });
  if (!outcome.ok) throw new RangeError(`block ${number} is refused: ${outcome.reason}`);
  const { hash, header: executed } = outcome.block;
  await processor.write(hash, [{ index: 0, signature: suite.sign(hexBytes(hash), SEALER_KEY) }]);
  return { hash, roots: [executed.stateRoot, executed.receiptsRoot] };
}

/** Writes three blocks to a memory store with core alone, then calls the contract. */
export async function runScenario(): Promise<ScenarioResult> {
  const store = openMemoryStore();
  const genesis = {
    groupId: 1,
    timestamp: STARTED_MS,
    consensusType: "pbft",
    sealers: [SEALER],
    maxTransactions: 1_000,
    gasLimit: 300_000_000n,
    consensusTimeoutSeconds: 3,
    freeStorage: false,
  } as const;
  const { hash } = await prepareGenesis(store, { ...rules, genesis });
  const processor = createBlockProcessor({ ...rules, store, genesis });
  const hashes = [hash];
  let parent: Parent = { hash, number: 0 };
  for (const transactions of BLOCKS) {
    const block = await addBlock(processor, parent, transactions);
    hashes.push(block.hash, ...block.roots);
    parent = { hash: block.hash, number: parent.number + 1 };
  }
  const calls = [];
  for (const to of [CONTRACT, SENDER]) {
    const outcome = await processor.call({ from: SENDER, to, value: 0n, data: word(5) });
    calls.push({ status: outcome.status, output: toPrefixedHex(outcome.output) });
  }
  await processor.close();
  return { hashes, calls };
}
