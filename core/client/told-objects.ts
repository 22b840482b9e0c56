/**
 * Objects that a node told, read into their forms before anything is checked: the members that are
 * known, each in its one spelling, and those that repeat another member written anew from it. What
 * checks of such an object show is then true of the whole.
 *
 * Source: interface 2; rpc-semantics 3.2, 6
 */
import type {
  ReceiptWithProof,
  TransactionWithProof,
  ProofRules,
  TrailStep,
} from "./told-terms.ts";
import { fromHex, isAddress, isHash, isNodeId, toHex, toPrefixedHex } from "../bytes/hex.ts";
import { quantity } from "../bytes/quantity.ts";
import type { CryptoSuite } from "../crypto/suite.ts";
import { transactionStatusName } from "../fault/transaction-status.ts";
import { version } from "../model/version.ts";
import { ProofFault } from "./client-fault.ts";
import type {
  BlockHeader,
  Hex,
  PendingTransaction,
  Proof,
  Receipt,
  Transaction,
} from "./rpc-objects.ts";

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

/** The members of one object by their types. */
class Reader {
  readonly #what: string;
  readonly #told: Told;

  constructor(what: string, value: unknown) {
    this.#what = what;
    this.#told = toldMembers(value, what);
  }

  has(name: string): boolean {
    return this.#told[name] !== undefined;
  }

  #form(name: string): ProofFault {
    return malformed(`${name} of ${this.#what}`);
  }

  quantity(name: string): Hex {
    const value = this.#told[name];
    if (typeof value === "string" && /^0x[0-9a-f]{1,64}$/.test(value)) {
      return quantity(BigInt(value)) as Hex;
    }
    throw this.#form(name);
  }

  /** A number that is told as such, or as a quantity. */
  count(name: string): number {
    const value = this.#told[name];
    const count = typeof value === "number" ? value : Number(this.quantity(name));
    if (Number.isSafeInteger(count) && count >= 0) return count;
    throw this.#form(name);
  }

  /** As {@link count}, to be told as a quantity. */
  index(name: string): Hex {
    return quantity(this.count(name)) as Hex;
  }

  bytes(name: string, value = this.#told[name]): Hex {
    const bytes = typeof value === "string" ? fromHex(value) : undefined;
    if (bytes !== undefined) return toPrefixedHex(bytes) as Hex;
    throw this.#form(name);
  }

  hash(name: string, value = this.#told[name]): Hex {
    if (isHash(value)) return value as string as Hex;
    throw this.#form(name);
  }

  address(name: string): Hex {
    const value = this.#told[name];
    if (isAddress(value)) return value as string as Hex;
    throw this.#form(name);
  }

  addressOrNull(name: string): Hex | null {
    return this.#told[name] === null ? null : this.address(name);
  }

  list<Item>(name: string, read: (item: unknown) => Item): readonly Item[] {
    return toldList(this.#told[name], `${name} of ${this.#what}`).map(read);
  }

  nodeIds(name: string): readonly string[] {
    return this.list(name, (item) => {
      if (isNodeId(item)) return item as string;
      throw this.#form(name);
    });
  }

  member(name: string): Reader {
    return new Reader(`${name} of ${this.#what}`, this.#told[name]);
  }
}

function readSeal(value: unknown) {
  const seal = new Reader("a seal", value);
  return { index: seal.index("index"), signature: seal.bytes("signature") };
}

/** A header. @throws ProofFault */
export function toldHeader(value: unknown): BlockHeader {
  const told = new Reader("a header", value);
  const header = {
    dbHash: told.hash("dbHash"),
    extraData: told.list("extraData", (item) => told.bytes("extraData", item)),
    gasLimit: told.quantity("gasLimit"),
    gasUsed: told.quantity("gasUsed"),
    hash: told.hash("hash"),
    logsBloom: told.bytes("logsBloom"),
    number: told.count("number"),
    parentHash: told.hash("parentHash"),
    receiptsRoot: told.hash("receiptsRoot"),
    sealer: told.index("sealer"),
    sealerList: told.nodeIds("sealerList"),
    stateRoot: told.hash("stateRoot"),
    timestamp: told.quantity("timestamp"),
    transactionsRoot: told.hash("transactionsRoot"),
  };
  if (!told.has("signatureList")) return header;
  return { ...header, signatureList: told.list("signatureList", readSeal) };
}

const HALF_BYTES = 32;

/** The steps of a trail that was kept, in the order of their numbers. @throws ProofFault */
export function toldTrailSteps(value: unknown): readonly TrailStep[] {
  let below = -1;
  return new Reader("a kept trail", value).list("steps", (item) => {
    const told = new Reader("a step", item);
    const number = told.count("number");
    if (number <= below) throw malformed("the order of a kept trail");
    below = number;
    const [hash, parentHash] = [told.hash("hash"), told.hash("parentHash")];
    return { number, hash, parentHash, sealers: told.nodeIds("sealers") };
  });
}

/** What of a header ties transactions and receipts to it. */
export type HeaderRoots = Pick<
  BlockHeader,
  "hash" | "number" | "receiptsRoot" | "transactionsRoot"
>;

/** The roots of a header, the rest of which is not looked at. @throws ProofFault */
export function toldRoots(value: unknown): HeaderRoots {
  const told = new Reader("a header", value);
  return {
    hash: told.hash("hash"),
    number: told.count("number"),
    receiptsRoot: told.hash("receiptsRoot"),
    transactionsRoot: told.hash("transactionsRoot"),
  };
}

/** r, s and v are cut from the signature, which is what is checked. */
function readSignature(told: Reader, suite: CryptoSuite): Transaction["signature"] {
  const text = told.bytes("signature");
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
  const told = new Reader("a transaction", value);
  return {
    blockLimit: told.quantity("blockLimit"),
    chainId: told.quantity("chainId"),
    extraData: told.bytes("extraData"),
    from: told.address("from"),
    gas: told.quantity("gas"),
    gasPrice: told.quantity("gasPrice"),
    groupId: told.quantity("groupId"),
    hash: told.hash("hash"),
    input: told.bytes("input"),
    nonce: told.quantity("nonce"),
    signature: readSignature(told.member("signature"), suite),
    to: told.addressOrNull("to"),
    value: told.quantity("value"),
  };
}

/** A transaction of the ledger. @throws ProofFault */
export function toldTransaction(value: unknown, suite: CryptoSuite): Transaction {
  const told = new Reader("a transaction", value);
  return {
    ...toldSigned(value, suite),
    blockHash: told.hash("blockHash"),
    blockNumber: told.index("blockNumber"),
    transactionIndex: told.index("transactionIndex"),
  };
}

function readLog(value: unknown): Receipt["logs"][number] {
  const log = new Reader("a log", value);
  return {
    address: log.address("address"),
    data: log.bytes("data"),
    topics: log.list("topics", (item) => log.hash("topics", item)),
  };
}

/** The hash of a receipt covers what gas remained from here on. Source: tx-block-codec 5 */
const REMAIN_GAS_FROM = version(2, 9, 0);

/**
 * A receipt. `statusMsg` is the name of its status. `remainGas` is zero below version 2.9.0, where
 * receipts have none, whatever is told.
 *
 * @throws ProofFault
 */
export function toldReceipt(value: unknown, rules: Pick<ProofRules, "version">): Receipt {
  const told = new Reader("a receipt", value);
  const status = told.count("status");
  const hasGas = rules.version >= REMAIN_GAS_FROM;
  return {
    blockHash: told.hash("blockHash"),
    blockNumber: told.index("blockNumber"),
    contractAddress: told.address("contractAddress"),
    from: told.address("from"),
    gasUsed: told.quantity("gasUsed"),
    input: told.bytes("input"),
    logs: told.list("logs", readLog),
    logsBloom: told.bytes("logsBloom"),
    output: told.bytes("output"),
    remainGas: hasGas && told.has("remainGas") ? told.quantity("remainGas") : "0x0",
    root: told.hash("root"),
    status: quantity(status) as Hex,
    statusMsg: transactionStatusName(status),
    to: told.addressOrNull("to"),
    transactionHash: told.hash("transactionHash"),
    transactionIndex: told.index("transactionIndex"),
  };
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

/**
 * Whether the hash of a receipt covers what gas remained, which is not told beside the proof.
 * Source: decision 32
 */
export function lacksRemainGas(
  { transactionReceipt }: ReceiptWithProof,
  rules: Pick<ProofRules, "version">,
): boolean {
  if (rules.version < REMAIN_GAS_FROM) return false;
  return !new Reader("a receipt", transactionReceipt).has("remainGas");
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
