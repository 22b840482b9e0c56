/** A chain of three blocks made with the codecs: a genesis, a creation and a call, five calls. */
import { hexBytes } from "../../../core/bytes/hex.ts";
import { type Address, type Hash, ZERO_ADDRESS } from "../../../core/bytes/ids.ts";
import type { Block } from "../../../core/model/block.ts";
import { genesisHeader } from "../../../core/model/genesis.ts";
import { headerHash } from "../../../core/model/header.ts";
import { type Receipt, receiptHash } from "../../../core/model/receipt.ts";
import { receiptsRoot, transactionsRoot } from "../../../core/model/roots.ts";
import {
  type SignedTransaction,
  signTransaction,
  withSender,
} from "../../../core/model/transaction.ts";
import { NEWEST_VERSION } from "../../../core/model/version.ts";
import { nodeIdOf, OWN_ID } from "../data-node.ts";
import { STANDARD_SUITE as suite } from "../suites.ts";

/** Private key of every sender here. */
const KEY = hexBytes("17".repeat(32));
/** The account of all transactions. */
export const SENDER: Address = suite.address(suite.publicKey(KEY));
/** The contract that the first transaction creates. */
export const CONTRACT = `0x${"c0de".repeat(10)}` as Address;
/** Its code. */
export const CONTRACT_CODE = hexBytes("6001600255");
/** Topic of the log of each call. */
export const TOPIC = `0x${"7e".repeat(32)}` as Hash;

/** What may be chosen of a signed transaction. */
export interface SmallTransaction {
  readonly nonce: bigint;
  readonly to?: Address | null;
  readonly blockLimit?: bigint;
  readonly input?: Uint8Array;
}

/** A transaction signed by {@link SENDER}. */
export function smallTransaction({
  nonce,
  to = CONTRACT,
  blockLimit = 500n,
  input = hexBytes("6d4ce63c"),
}: SmallTransaction): SignedTransaction {
  const fields = {
    nonce,
    gasPrice: 1n,
    gas: 300_000n,
    blockLimit,
    to,
    value: 0n,
    input,
    chainId: 1n,
    groupId: 1n,
    extraData: new Uint8Array(0),
  };
  return withSender(signTransaction(fields, KEY, suite), SENDER);
}

function receiptOf(transaction: SignedTransaction, status: number): Receipt {
  const isCreation = transaction.to === null;
  const log = { address: CONTRACT, topics: [TOPIC], data: hexBytes("2a") };
  return {
    root: `0x${"ab".repeat(32)}` as Hash,
    gasUsed: 21_000n,
    contractAddress: isCreation ? CONTRACT : ZERO_ADDRESS,
    logsBloom: new Uint8Array(256),
    status,
    output: new Uint8Array(0),
    remainGas: 0n,
    logs: isCreation ? [] : [log],
  };
}

interface Content {
  readonly number: number;
  readonly transactions: readonly SignedTransaction[];
  /** Statuses of the receipts, in order. */
  readonly statuses: readonly number[];
}

function blockAfter(parent: Block, { number, transactions, statuses }: Content): Block {
  const receipts = transactions.map((it, index) => receiptOf(it, statuses[index] ?? 0));
  const rules = { version: NEWEST_VERSION, suite };
  const rooted = receipts.map((receipt) => ({
    raw: new Uint8Array(0),
    hash: receiptHash(receipt, NEWEST_VERSION, suite),
  }));
  const header = {
    ...parent.header,
    parentHash: parent.hash,
    number,
    timestamp: BigInt(1_600_000_000_000 + number),
    extraData: [],
    sealer: 1,
    sealerList: [nodeIdOf("a1"), OWN_ID, nodeIdOf("c3")],
    transactionsRoot: transactionsRoot(transactions, rules),
    receiptsRoot: receiptsRoot(rooted, rules),
  };
  const seals = [0, 2].map((index) => ({ index, signature: new Uint8Array(65).fill(index + 1) }));
  return { header, hash: headerHash(header, suite), seals, transactions, receipts };
}

/** Blocks 0 to 2. Transaction 3 of block 2 reverted. */
export function smallChain(): readonly Block[] {
  const header = genesisHeader("1-mark", 1_600_000_000_000n);
  const none = { seals: [], transactions: [], receipts: [] };
  const genesis: Block = { header, hash: headerHash(header, suite), ...none };
  const creation = smallTransaction({ nonce: 1n, to: null });
  const call = smallTransaction({ nonce: 2n });
  const first = blockAfter(genesis, { number: 1, transactions: [creation, call], statuses: [] });
  const calls = [3n, 4n, 5n, 6n, 7n].map((nonce) => smallTransaction({ nonce }));
  const statuses = [0, 0, 0, 22];
  return [genesis, first, blockAfter(first, { number: 2, transactions: calls, statuses })];
}
