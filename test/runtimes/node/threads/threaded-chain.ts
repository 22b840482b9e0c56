/** A small chain of hand-assembled contracts for tests of the executor and call threads. */
import { hexBytes } from "../../../../core/bytes/hex.ts";
import { ZERO_ADDRESS, ZERO_HASH } from "../../../../core/bytes/ids.ts";
import type { Address, Hash, NodeId } from "../../../../core/bytes/ids.ts";
import type { CryptoSuite } from "../../../../core/crypto/suite.ts";
import { prepareGenesis } from "../../../../core/ledger/genesis-block.ts";
import { openLedger } from "../../../../core/ledger/ledger.ts";
import type { GenesisConfig } from "../../../../core/model/config.ts";
import { transactionsRoot } from "../../../../core/model/roots.ts";
import { signTransaction } from "../../../../core/model/transaction.ts";
import type { Transaction } from "../../../../core/model/transaction.ts";
import { NEWEST_VERSION } from "../../../../core/model/version.ts";
import type { ExecuteRequest, Executor } from "../../../../core/ports/executor.ts";
import type { Store } from "../../../../core/ports/store.ts";

const KEY = hexBytes("11".repeat(32));
const SEALER = "ab".repeat(64) as NodeId;
/** Copies the code behind it into the new account. */
const DEPLOY = "80600b6000396000f3";
/** Without call data adds one to slot 0; with call data returns slot 0. */
const COUNTER = "36600e5760005460010160005500" + "5b60005460005260206000f3";
/** Jumps in a circle until the gas is used up. */
const BURNER = "5b600056";

export const GENESIS: GenesisConfig = {
  groupId: 1,
  timestamp: 1_700_000_000_000n,
  consensusType: "pbft",
  sealers: [SEALER],
  maxTransactions: 1_000,
  gasLimit: 300_000_000n,
  consensusTimeoutSeconds: 3,
  freeStorage: false,
};
export const VERSION = NEWEST_VERSION;

function creationCode(runtime: string): Uint8Array {
  const length = (runtime.length / 2).toString(16).padStart(2, "0");
  return hexBytes(`60${length}${DEPLOY}${runtime}`);
}

/** One chain: proposes blocks of calls and creations on what was written last. */
export interface ThreadedChain {
  readonly counter: Address;
  readonly burner: Address;
  /** The next block, with a transaction to each of these accounts. */
  propose(to: readonly (Address | null)[], input?: Uint8Array): ExecuteRequest;
  /** Executes and writes the next block; its hash. */
  write(executor: Executor, to: readonly (Address | null)[], input?: Uint8Array): Promise<Hash>;
}

/** Proposes and writes blocks, and remembers the head; a class because the head moves. */
class Proposer {
  readonly #suite: CryptoSuite;
  readonly #sender: Address;
  #head: { number: number; hash: Hash };
  #nonce = 1n;

  constructor(suite: CryptoSuite, genesisHash: Hash) {
    this.#suite = suite;
    this.#sender = suite.address(suite.publicKey(KEY));
    this.#head = { number: 0, hash: genesisHash };
  }

  transaction(to: Address | null, input: Uint8Array): Transaction {
    this.#nonce += 1n;
    const fields = {
      nonce: this.#nonce,
      gasPrice: 1n,
      gas: 300_000_000n,
      blockLimit: 500n,
      to,
      value: 0n,
      input,
      chainId: 1n,
      groupId: 1n,
      extraData: new Uint8Array(0),
    };
    return signTransaction(fields, KEY, this.#suite);
  }

  propose(transactions: readonly Transaction[]): ExecuteRequest {
    const number = this.#head.number + 1;
    const rules = { version: VERSION, suite: this.#suite };
    return {
      header: {
        parentHash: this.#head.hash,
        stateRoot: ZERO_HASH,
        transactionsRoot: transactionsRoot(transactions, rules),
        receiptsRoot: ZERO_HASH,
        dbHash: ZERO_HASH,
        logsBloom: new Uint8Array(256),
        number,
        gasLimit: 0n,
        gasUsed: 0n,
        timestamp: 1_700_000_000_000n + BigInt(number),
        extraData: [],
        sealer: 0,
        sealerList: [SEALER],
      },
      transactions: transactions.map(({ raw }) => raw),
      hashes: transactions.map(({ hash }) => hash),
      senders: transactions.map(() => this.#sender),
    };
  }

  async write(executor: Executor, request: ExecuteRequest): Promise<Hash> {
    const outcome = await executor.execute(request);
    if (!outcome.ok) throw new Error(`not executed: ${outcome.reason}`);
    const { hash } = outcome.block;
    await executor.write(hash, [{ index: 0, signature: new Uint8Array(65).fill(1) }]);
    this.#head = { number: request.header.number, hash };
    return hash;
  }
}

/** Prepares a store, and writes block 1, which creates both contracts. */
export async function startChain(
  store: Store,
  suite: CryptoSuite,
  open: () => Promise<Executor>,
): Promise<{ chain: ThreadedChain; executor: Executor }> {
  const genesis = await prepareGenesis(store, { suite, version: VERSION, genesis: GENESIS });
  const executor = await open();
  const proposer = new Proposer(suite, genesis.hash);
  const creations = [COUNTER, BURNER].map((code) => proposer.transaction(null, creationCode(code)));
  await proposer.write(executor, proposer.propose(creations));
  const ledger = openLedger({ store, suite, version: VERSION });
  const created = await Promise.all(creations.map(({ hash }) => ledger.receipt(hash)));
  const [counter, burner] = created.map((found) => found?.receipt.contractAddress);
  const propose = (to: readonly (Address | null)[], input: Uint8Array = new Uint8Array(0)) =>
    proposer.propose(to.map((receiver) => proposer.transaction(receiver, input)));
  const chain = {
    counter: counter ?? ZERO_ADDRESS,
    burner: burner ?? ZERO_ADDRESS,
    propose,
    write: (used: Executor, to: readonly (Address | null)[], input?: Uint8Array) =>
      proposer.write(used, propose(to, input)),
  };
  return { chain, executor };
}
