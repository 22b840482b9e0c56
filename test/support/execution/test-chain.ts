/** A group of one node without consensus: blocks of raw transactions in, receipts out. */
import assert from "node:assert/strict";
import { hexBytes } from "../../../core/bytes/hex.ts";
import { type Address, type Hash, type NodeId, ZERO_HASH } from "../../../core/bytes/ids.ts";
import { EMPTY_BLOOM } from "../../../core/crypto/bloom.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import {
  type BlockProcessorOptions,
  createBlockProcessor,
} from "../../../core/execution/block-processor.ts";
import { prepareGenesis } from "../../../core/ledger/genesis-block.ts";
import type { Ledger } from "../../../core/ledger/ledger-view.ts";
import { openLedger } from "../../../core/ledger/ledger.ts";
import type { GenesisConfig } from "../../../core/model/config.ts";
import type { Header } from "../../../core/model/header.ts";
import type { Receipt } from "../../../core/model/receipt.ts";
import { transactionsRoot } from "../../../core/model/roots.ts";
import { decodeTransaction, encodeTransaction } from "../../../core/model/transaction.ts";
import { NEWEST_VERSION, type Version } from "../../../core/model/version.ts";
import type { ExecuteRequest, Executor } from "../../../core/ports/executor.ts";
import type { Store } from "../../../core/ports/store.ts";
import { openMemoryStore } from "../../../core/storage/memory-store.ts";
import { STANDARD_SUITE } from "../suites.ts";

/** The suite of every test chain. */
export const SUITE = STANDARD_SUITE;
/** Senders without a history. */
export const ALICE = `0x${"a1".repeat(20)}` as Address;
export const BOB = `0x${"b0".repeat(20)}` as Address;
/** The sealers of every test chain. */
export const SEALERS = ["11", "22"].map((pair) => pair.repeat(64) as NodeId);

/** A group that accepts what the tests need. */
export const GENESIS: GenesisConfig = {
  groupId: 1,
  timestamp: 1_700_000_000_000n,
  consensusType: "pbft",
  sealers: SEALERS,
  maxTransactions: 1_000,
  gasLimit: 300_000_000n,
  consensusTimeoutSeconds: 3,
  freeStorage: false,
};

/** What a test sends; a missing receiver creates a contract. */
export interface Sending {
  readonly from?: Address;
  readonly to?: Address;
  readonly input?: Uint8Array | string;
  readonly value?: bigint;
  /** The client's gas field. */
  readonly gas?: bigint;
}

/** A raw transaction with what travels next to it. */
export interface RawTransaction {
  readonly raw: Uint8Array;
  readonly hash: Hash;
  readonly from: Address;
}

/** r and s that are in range; nobody recovers them here. */
const SIGNATURE = new Uint8Array(65).fill(7, 0, 64);
let nextNonce = 1n;

/** Encodes a transaction with a nonce of its own. */
export function rawTransaction(sending: Sending): RawTransaction {
  const { from = ALICE, to = null, input = "", value = 0n, gas = 300_000_000n } = sending;
  const fields = {
    nonce: nextNonce++,
    gasPrice: 300_000_000n,
    gas,
    blockLimit: 500n,
    to,
    value,
    input: typeof input === "string" ? hexBytes(input) : input,
    chainId: 1n,
    groupId: 1n,
    extraData: new Uint8Array(0),
  };
  const raw = encodeTransaction(fields, SIGNATURE);
  const decoded = decodeTransaction(raw, SUITE);
  assert.ok(decoded.ok);
  return { raw, hash: decoded.transaction.hash, from };
}

/** How a test chain differs from the usual. */
export interface TestChainOptions {
  readonly version?: Version;
  readonly genesis?: Partial<GenesisConfig>;
  readonly store?: Store;
  readonly suite?: CryptoSuite;
  readonly processor?: Partial<BlockProcessorOptions>;
}

/** A test chain. */
export interface TestChain {
  readonly store: Store;
  readonly version: Version;
  readonly genesis: GenesisConfig;
  readonly processor: Executor;
  readonly ledger: Ledger;
  /** A proposal on the head. */
  propose(transactions: readonly RawTransaction[]): ExecuteRequest;
  /** Executes and writes a block. */
  block(...sendings: Sending[]): Promise<{
    readonly header: Header;
    readonly hash: Hash;
    readonly receipts: readonly Receipt[];
  }>;
  /** Executes and writes a block of one transaction. */
  send(sending: Sending): Promise<Receipt>;
  /** Creates a contract with that runtime code. */
  deploy(runtime: Uint8Array): Promise<Address>;
}

/** Opens a chain with its genesis block. */
export async function openTestChain(options: TestChainOptions = {}): Promise<TestChain> {
  const { version = NEWEST_VERSION, store = openMemoryStore(), suite = SUITE } = options;
  const genesis = { ...GENESIS, ...options.genesis };
  const base = { store, suite, version, genesis };
  await prepareGenesis(store, base);
  const processor = createBlockProcessor({ ...base, ...options.processor });
  const ledger = openLedger(base);
  const chain: TestChain = {
    store,
    version,
    genesis,
    processor,
    ledger,
    propose: (transactions) => proposal(ledger, { version, suite }, transactions),
    async block(...sendings) {
      const outcome = await processor.execute(chain.propose(sendings.map(rawTransaction)));
      assert.ok(outcome.ok, outcome.ok ? "" : outcome.reason);
      const { hash, header } = outcome.block;
      await processor.write(hash, []);
      ledger.refresh();
      const stored = await ledger.block(hash);
      assert.ok(stored);
      return { header, hash, receipts: stored.receipts };
    },
    async send(sending) {
      const [receipt] = (await chain.block(sending)).receipts;
      assert.ok(receipt);
      return receipt;
    },
    async deploy(runtime) {
      const receipt = await chain.send({ input: initCode(runtime) });
      assert.equal(receipt.status, 0);
      return receipt.contractAddress;
    },
  };
  return chain;
}

function proposal(
  ledger: Ledger,
  rules: { readonly version: Version; readonly suite: CryptoSuite },
  transactions: readonly RawTransaction[],
): ExecuteRequest {
  const { number, hash } = ledger.head();
  return {
    header: {
      parentHash: hash,
      stateRoot: ZERO_HASH,
      transactionsRoot: transactionsRoot(transactions, rules),
      receiptsRoot: ZERO_HASH,
      dbHash: ZERO_HASH,
      logsBloom: EMPTY_BLOOM,
      number: number + 1,
      gasLimit: 0n,
      gasUsed: 0n,
      timestamp: GENESIS.timestamp + BigInt(number + 1),
      extraData: [],
      sealer: 0,
      sealerList: SEALERS,
    },
    transactions: transactions.map(({ raw }) => raw),
    hashes: transactions.map(({ hash }) => hash),
    senders: transactions.map(({ from }) => from),
  };
}

/**
 * Code that returns the runtime code: PUSH2 n, DUP1, PUSH1 offset, PUSH1 0, CODECOPY, PUSH1 0,
 * RETURN.
 */
export function initCode(runtime: Uint8Array): Uint8Array {
  const head = [
    0x61,
    runtime.length >> 8,
    runtime.length & 0xff,
    0x80,
    0x60,
    12,
    0x60,
    0,
    0x39,
    0x60,
    0,
    0xf3,
  ];
  return Uint8Array.from([...head, ...runtime]);
}
