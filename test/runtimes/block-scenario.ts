/** One scenario that must give the same hashes on Node, in Chromium and in workerd. */
import { hexBytes, nodeIdOf, toPrefixedHex } from "../../core/bytes/hex.ts";
import { type Address, type Hash, ZERO_HASH } from "../../core/bytes/ids.ts";
import { createAddress } from "../../core/crypto/contract-address.ts";
import type { CryptoSuite } from "../../core/crypto/suite.ts";
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

const SEALER_KEY = new Uint8Array(32).fill(7);
const SENDER_KEY = new Uint8Array(32).fill(9);
const STARTED_MS = 1_700_000_000_000n;

/** Stores its argument and the hash of it, logs the hash, and returns it. */
const RUNTIME_CODE = "6000358060005560005260206000208060015560005260206000a060206000f3";
/** Copies the 32 bytes behind it and returns them as code. */
const CREATION_CODE = hexBytes(`602080600b6000396000f3${RUNTIME_CODE}`);
/** The precompiled contract of tables; a call of it with an unknown selector is an error code. */
const TABLE_FACTORY = `0x${"1001".padStart(40, "0")}` as Address;

function word(value: number): Uint8Array {
  return hexBytes(value.toString(16).padStart(64, "0"));
}

/** Keys, addresses and transactions of a suite. */
function createScene(suite: CryptoSuite) {
  const sender = suite.address(suite.publicKey(SENDER_KEY));
  const sealer = nodeIdOf(suite.publicKey(SEALER_KEY));
  const contract = createAddress(sender, 0n, suite.hash);
  const send = (...[nonce, to, input]: Sent) => transaction([nonce, to, input], suite);
  const blocks = [
    [send(1n, null, CREATION_CODE)],
    [1, 2, 3].map((n) => send(BigInt(n + 1), contract, word(n))),
    [send(9n, TABLE_FACTORY, word(4)), send(10n, contract, word(5))],
  ];
  const rules = { suite, version: NEWEST_VERSION };
  return { suite, rules, sender, sealer, contract, blocks };
}

type Scene = ReturnType<typeof createScene>;
type Sent = readonly [nonce: bigint, to: Address | null, input: Uint8Array];

function transaction([nonce, to, input]: Sent, suite: CryptoSuite): Transaction {
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

interface Parent {
  readonly hash: Hash;
  readonly number: number;
}

/** Executes the transactions on the parent and writes the block with one seal. */
async function addBlock(
  { suite, rules, sender, sealer }: Scene,
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
    sealerList: [sealer],
  };
  const outcome = await processor.execute({
    header,
    transactions: transactions.map(({ raw }) => raw),
    hashes: transactions.map(({ hash }) => hash),
    // Recovered, not assumed: signatures are part of what the runtimes must agree on.
    senders: transactions.map((it) => recoverSender(it, suite) ?? sender),
  });
  if (!outcome.ok) throw new RangeError(`block ${number} is refused: ${outcome.reason}`);
  const { hash, header: executed } = outcome.block;
  await processor.write(hash, [{ index: 0, signature: suite.sign(hexBytes(hash), SEALER_KEY) }]);
  return { hash, roots: [executed.stateRoot, executed.receiptsRoot] };
}

/** Writes three blocks to a memory store with core alone, then calls the contract. */
export async function runScenario(suite: CryptoSuite): Promise<ScenarioResult> {
  const scene = createScene(suite);
  const { rules, sender, sealer, contract } = scene;
  const store = openMemoryStore();
  const genesis = {
    groupId: 1,
    timestamp: STARTED_MS,
    consensusType: "pbft",
    sealers: [sealer],
    maxTransactions: 1_000,
    gasLimit: 300_000_000n,
    consensusTimeoutSeconds: 3,
    freeStorage: false,
  } as const;
  const { hash } = await prepareGenesis(store, { ...rules, genesis });
  const processor = createBlockProcessor({ ...rules, store, genesis });
  const hashes = [hash];
  let parent: Parent = { hash, number: 0 };
  for (const transactions of scene.blocks) {
    const block = await addBlock(scene, processor, parent, transactions);
    hashes.push(block.hash, ...block.roots);
    parent = { hash: block.hash, number: parent.number + 1 };
  }
  const calls = [];
  for (const to of [contract, sender]) {
    const outcome = await processor.call({ from: sender, to, value: 0n, data: word(5) });
    calls.push({ status: outcome.status, output: toPrefixedHex(outcome.output) });
  }
  await processor.close();
  return { hashes, calls };
}
