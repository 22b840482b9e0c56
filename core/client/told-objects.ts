/**
 * Objects that a node told, read into their forms before anything is checked: the members that are
 * known, each in its one spelling, and those that repeat another member written anew from it. What
 * checks of such an object show is then true of the whole.
 *
 * Source: interface 2; rpc-semantics 3.2, 6
 */
import { fromHex, isAddress, isHash, isNodeId, toHex, toPrefixedHex } from "../bytes/hex.ts";
import { quantity } from "../bytes/quantity.ts";
import type { CryptoSuite } from "../crypto/suite.ts";
import { transactionStatusName } from "../fault/transaction-status.ts";
import { type Version, version } from "../model/version.ts";
import { ProofFault } from "./client-fault.ts";
import type {
  BlockHeader,
  Hex,
  PendingTransaction,
  Proof,
  ProvedReceipt,
  Receipt,
  Transaction,
} from "./rpc-objects.ts";
import type { RpcSchema } from "./rpc-schema.ts";

/** A header that is trusted. */
export interface TrailStep {
  readonly number: number;
  readonly hash: Hex;
  readonly parentHash: Hex;
  /** Node IDs. */
  readonly sealers: readonly string[];
}

/** What a chain's hashes depend on. */
export interface ProofRules {
  readonly suite: CryptoSuite;
  /** The compatibility version: receipts have another form from 2.9.0 on. */
  readonly version: Version;
}

/** What getTransactionByHashWithProof answers. */
export type TransactionWithProof = NonNullable<
  RpcSchema["getTransactionByHashWithProof"]["result"]
>;

/**
 * What getTransactionReceiptByHashWithProof answers. From 2.9.0 on the hash of a receipt covers its
 * `remainGas`, which only getTransactionReceipt tells: give it too, or it counts as 0, as it is
 * where nobody is charged for gas.
 */
export interface ReceiptWithProof {
  readonly transactionReceipt: ProvedReceipt & { readonly remainGas?: Hex };
  readonly receiptProof: Proof;
}

type Told = Readonly<Record<string, unknown>>;

function malformed(what: string): ProofFault {
  return new ProofFault("malformed", `${what} does not have the form of its type`);
}

/** The members of an object. @throws ProofFault when it is none */
export function toldMembers(value: unknown, what: string): Told {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Told;
  throw malformed(what);
}

/** Longer lists are in no object of a chain, and are not read. */
const MOST_ITEMS = 1_000_000;

/** The items of a list. @throws ProofFault when it is none, or has more than a million */
export function toldList(value: unknown, what: string): readonly unknown[] {
  // Where a list has no item, checks of each item would not look.
  if (Array.isArray(value) && value.length <= MOST_ITEMS) return [...(value as unknown[])];
  throw malformed(what);
}

/** The texts of a list. @throws ProofFault */
export function toldTexts(value: unknown, what: string): readonly string[] {
  const list = toldList(value, what);
  if (list.every((item) => typeof item === "string")) return list as readonly string[];
  throw malformed(what);
}

/** Reads a value that is called `what` in faults. @throws ProofFault when it has another form */
type Form<Value> = (value: unknown, what: string) => Value;

const readQuantity: Form<Hex> = (value, what) => {
  if (typeof value === "string" && /^0x[0-9a-f]{1,64}$/.test(value)) {
    return quantity(BigInt(value)) as Hex;
  }
  throw malformed(what);
};

/** A number that is reported as such, or as a quantity. */
const readCount: Form<number> = (value, what) => {
  const count = typeof value === "number" ? value : Number(readQuantity(value, what));
  if (Number.isSafeInteger(count) && count >= 0) return count;
  throw malformed(what);
};

/** As {@link readCount}, to be reported as a quantity. */
const readIndex: Form<Hex> = (value, what) => quantity(readCount(value, what)) as Hex;

const readBytes: Form<Hex> = (value, what) => {
  const bytes = typeof value === "string" ? fromHex(value) : undefined;
  if (bytes !== undefined) return toPrefixedHex(bytes) as Hex;
  throw malformed(what);
};

/** Texts that have one spelling. */
function readText<Text extends string>(isOne: (value: unknown) => boolean): Form<Text> {
  return (value, what) => {
    if (isOne(value)) return value as Text;
    throw malformed(what);
  };
}

const readHash = readText<Hex>(isHash);
const readAddress = readText<Hex>(isAddress);
const readAddressOrNull: Form<Hex | null> = (value, what) =>
  value === null ? null : readAddress(value, what);

function listOf<Item>(form: Form<Item>): Form<readonly Item[]> {
  return (value, what) => toldList(value, what).map((item) => form(item, what));
}

const readNodeIds = listOf(readText<string>(isNodeId));

type Forms = Readonly<Record<string, Form<unknown>>>;
type Read<Members extends Forms> = {
  readonly [Name in keyof Members]: ReturnType<Members[Name]>;
};

/** The members of an object by their forms, in their order. @throws ProofFault */
function readObject<Members extends Forms>(
  value: unknown,
  what: string,
  members: Members,
): Read<Members> {
  const told = toldMembers(value, what);
  const read = Object.entries(members).map(([name, form]) => {
    return [name, form(told[name], `${name} of ${what}`)] as const;
  });
  return Object.fromEntries(read) as Read<Members>;
}

const readSeal: Form<{ readonly index: Hex; readonly signature: Hex }> = (value) =>
  readObject(value, "a seal", { index: readIndex, signature: readBytes });

/** A header. @throws ProofFault */
export function toldHeader(value: unknown): BlockHeader {
  const header = readObject(value, "a header", {
    dbHash: readHash,
    extraData: listOf(readBytes),
    gasLimit: readQuantity,
    gasUsed: readQuantity,
    hash: readHash,
    logsBloom: readBytes,
    number: readCount,
    parentHash: readHash,
    receiptsRoot: readHash,
    sealer: readIndex,
    sealerList: readNodeIds,
    stateRoot: readHash,
    timestamp: readQuantity,
    transactionsRoot: readHash,
  });
  const seals = toldMembers(value, "a header")["signatureList"];
  if (seals === undefined) return header;
  return { ...header, signatureList: listOf(readSeal)(seals, "signatureList of a header") };
}

const HALF_BYTES = 32;

const readStep: Form<TrailStep> = (value) =>
  readObject(value, "a step", {
    number: readCount,
    hash: readHash,
    parentHash: readHash,
    sealers: readNodeIds,
  });

/** The steps of a trail that was kept, in the order of their numbers. @throws ProofFault */
export function toldTrailSteps(value: unknown): readonly TrailStep[] {
  const { steps } = readObject(value, "a kept trail", { steps: listOf(readStep) });
  const isAscending = steps.every(({ number }, i) => number > (steps[i - 1]?.number ?? -1));
  if (!isAscending) throw malformed("the order of a kept trail");
  return steps;
}

/** What of a header ties transactions and receipts to it. */
export type HeaderRoots = Pick<
  BlockHeader,
  "hash" | "number" | "receiptsRoot" | "transactionsRoot"
>;

/** The roots of a header, the rest of which is not examined. @throws ProofFault */
export function toldRoots(value: unknown): HeaderRoots {
  return readObject(value, "a header", {
    hash: readHash,
    number: readCount,
    receiptsRoot: readHash,
    transactionsRoot: readHash,
  });
}

/** r, s and v are cut from the signature, which is what is checked. */
function readSignature(value: unknown, what: string, suite: CryptoSuite): Transaction["signature"] {
  const { signature: text } = readObject(value, what, { signature: readBytes });
  const bytes = fromHex(text) ?? new Uint8Array(0);
  // Codecs take what they need of a longer one: the rest would be shown by nothing.
  if (bytes.length !== suite.signatureBytes) throw malformed("signature of a transaction");
  const last = bytes.subarray(2 * HALF_BYTES);
  const v = last.length === 1 ? quantity(last[0] ?? 0) : toPrefixedHex(last);
  return {
    r: `0x${toHex(bytes, 0, HALF_BYTES)}`,
    s: `0x${toHex(bytes, HALF_BYTES, 2 * HALF_BYTES)}`,
    signature: text,
    v: v as Hex,
  };
}

/** What is signed of a transaction, and by whom; its place is left out. @throws ProofFault */
export function toldSigned(value: unknown, suite: CryptoSuite): PendingTransaction {
  return readObject(value, "a transaction", {
    blockLimit: readQuantity,
    chainId: readQuantity,
    extraData: readBytes,
    from: readAddress,
    gas: readQuantity,
    gasPrice: readQuantity,
    groupId: readQuantity,
    hash: readHash,
    input: readBytes,
    nonce: readQuantity,
    signature: (signature, what) => readSignature(signature, what, suite),
    to: readAddressOrNull,
    value: readQuantity,
  });
}

const PLACE = { blockHash: readHash, blockNumber: readIndex, transactionIndex: readIndex };

/** A transaction of the ledger. @throws ProofFault */
export function toldTransaction(value: unknown, suite: CryptoSuite): Transaction {
  return { ...toldSigned(value, suite), ...readObject(value, "a transaction", PLACE) };
}

const readLog: Form<Receipt["logs"][number]> = (value) =>
  readObject(value, "a log", { address: readAddress, data: readBytes, topics: listOf(readHash) });

/** The hash of a receipt covers what gas remained from here on. Source: tx-block-codec 5 */
const REMAIN_GAS_FROM = version(2, 9, 0);

/**
 * A receipt. `statusMsg` is the name of its status. `remainGas` is zero below version 2.9.0, where
 * receipts have none, whatever is told.
 *
 * @throws ProofFault
 */
export function toldReceipt(value: unknown, rules: Pick<ProofRules, "version">): Receipt {
  const hasGas = rules.version >= REMAIN_GAS_FROM && hasRemainGas(value);
  const receipt = readObject(value, "a receipt", {
    status: readIndex,
    blockHash: readHash,
    blockNumber: readIndex,
    contractAddress: readAddress,
    from: readAddress,
    gasUsed: readQuantity,
    input: readBytes,
    logs: listOf(readLog),
    logsBloom: readBytes,
    output: readBytes,
    remainGas: hasGas ? readQuantity : () => "0x0" as const,
    root: readHash,
    to: readAddressOrNull,
    transactionHash: readHash,
    transactionIndex: readIndex,
  });
  return { ...receipt, statusMsg: transactionStatusName(Number(receipt.status)) };
}

function hasRemainGas(receipt: unknown): boolean {
  return toldMembers(receipt, "a receipt")["remainGas"] !== undefined;
}

function toldProof(value: unknown): Proof {
  return toldList(value, "a proof").map((item) => {
    const { left, right } = toldMembers(item, "a level of a proof");
    return { left: toldTexts(left, "a proof"), right: toldTexts(right, "a proof") };
  });
}

/** A transaction and its proof. @throws ProofFault */
export function toldTransactionWithProof(value: unknown, suite: CryptoSuite): TransactionWithProof {
  const told = toldMembers(value, "a transaction with its proof");
  const transaction = toldTransaction(told["transaction"], suite);
  return { transaction, txProof: toldProof(told["txProof"]) };
}

/** Whether a receipt's hash covers remaining gas that is not told with it. Source: decision 32 */
export function lacksRemainGas(
  { transactionReceipt }: ReceiptWithProof,
  rules: Pick<ProofRules, "version">,
): boolean {
  return rules.version >= REMAIN_GAS_FROM && !hasRemainGas(transactionReceipt);
}

/** A receipt, of which the forms of all members are known, and its proof. */
export interface ToldReceiptWithProof {
  readonly transactionReceipt: Receipt;
  readonly receiptProof: Proof;
}

/** A receipt and its proof. @throws ProofFault */
export function toldReceiptWithProof(
  value: unknown,
  rules: Pick<ProofRules, "version">,
): ToldReceiptWithProof {
  const told = toldMembers(value, "a receipt with its proof");
  const transactionReceipt = toldReceipt(told["transactionReceipt"], rules);
  return { transactionReceipt, receiptProof: toldProof(told["receiptProof"]) };
}
