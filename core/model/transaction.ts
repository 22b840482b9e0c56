/** Transactions: fields, strict decoding, encoding, hashes. Source: tx-block-codec 2 */
import { concatBytes, EMPTY_BYTES, fixedUintBytes, isAllZero } from "../bytes/bytes.ts";
import { addressOf, hashOf, idBytes } from "../bytes/hex.ts";
import type { Address, Hash } from "../bytes/ids.ts";
import { encodeRlp, RlpReader, wrapRlpList, type RlpInput } from "../bytes/rlp.ts";
import { SECP256K1_ORDER } from "../crypto/standard.ts";
import type { CryptoSuite } from "../crypto/suite.ts";
import { invariant } from "../fault/invariant.ts";

/**
 * The decoded fields of a transaction. Integers are 256-bit unsigned. Source: tx-block-codec 2.1
 */
export interface Transaction {
  readonly nonce: bigint;
  readonly gasPrice: bigint;
  readonly gas: bigint;
  readonly blockLimit: bigint;
  /** Receiver; null for a contract creation. */
  readonly to: Address | null;
  readonly value: bigint;
  readonly input: Uint8Array;
  readonly chainId: bigint;
  readonly groupId: bigint;
  readonly extraData: Uint8Array;
  /**
   * Serialised signature: r(32) s(32) v(1) on secp256k1, r(32) s(32) public key(64) on SM2.
   * Source: tx-block-codec 1
   */
  readonly signature: Uint8Array;
  /** The canonical RLP of all items: what is stored, forwarded and hashed. */
  readonly raw: Uint8Array;
  /** H(raw). */
  readonly hash: Hash;
}

/** A transaction whose sender is known: recovered once per process, kept from pool to ledger. */
export interface SignedTransaction extends Transaction {
  readonly from: Address;
}

/** One of this many bytes takes the main thread milliseconds to hash: that is done elsewhere. */
export const LONG_TRANSACTION_BYTES = 256 * 1024;

/** The fields that are signed. */
export type TransactionFields = Omit<Transaction, "signature" | "raw" | "hash">;

/** Why bytes are not a transaction. Source: tx-block-codec 2.1, 2.2; rpc-semantics 8 */
export type UndecodableReason = "BadRLP" | "InvalidTransactionFormat" | "InvalidSignature";

type TransactionDecoding =
  | { readonly ok: true; readonly transaction: Transaction }
  | { readonly ok: false; readonly reason: UndecodableReason };

/** Items that are signed, and all items. Source: tx-block-codec 2.1 */
const SIGNED_ITEMS = 10;
const ADDRESS_BYTES = 20;
const HALF_BYTES = 32;
const SM2_KEY_BYTES = 64;
/** v is this much above the recovery id. Source: tx-block-codec 2.2 */
const V_BASE = 27;
const ORDER = fixedUintBytes(SECP256K1_ORDER, HALF_BYTES);
const ABOVE_HALF_ORDER = fixedUintBytes(SECP256K1_ORDER / 2n + 1n, HALF_BYTES);

const BAD_RLP = { ok: false, reason: "BadRLP" } as const;
const BAD_FORMAT = { ok: false, reason: "InvalidTransactionFormat" } as const;
const BAD_SIGNATURE = { ok: false, reason: "InvalidSignature" } as const;

/** What admission examines. */
type EagerFields = Pick<
  Transaction,
  "nonce" | "blockLimit" | "chainId" | "groupId" | "raw" | "hash"
>;

/** Where the fields that few readers ask for start in the bytes; and how much two of them hold. */
interface Places {
  readonly gasPrice: number;
  readonly gas: number;
  readonly to: number;
  readonly value: number;
  readonly input: number;
  readonly extraData: number;
  /** Bytes of input and extraData. */
  readonly dataBytes: number;
  /** Behind the signed part, where the last three items begin. */
  readonly signature: number;
}

/**
 * Signatures are copied into slabs: an array of more than 64 bytes costs an allocation outside the
 * heap. They are short-lived, and no part of a slab is given out twice.
 */
const SLAB_BYTES = 16 * 1024;
let slab = new Uint8Array(0);
let slabUsed = 0;

function freshBytes(length: number): Uint8Array {
  if (slabUsed + length > slab.length) {
    slab = new Uint8Array(SLAB_BYTES);
    slabUsed = 0;
  }
  slabUsed += length;
  return slab.subarray(slabUsed - length, slabUsed);
}

/**
 * A transaction over its canonical bytes. What admission examines is decoded once; the other
 * fields are read when they are asked for, because a node decodes every transaction but executes
 * it in another thread, and views and integers that nobody reads were a fifth of what it allocates.
 */
class EncodedTransaction implements Transaction {
  readonly nonce: bigint;
  readonly blockLimit: bigint;
  readonly chainId: bigint;
  readonly groupId: bigint;
  readonly raw: Uint8Array;
  readonly hash: Hash;
  protected readonly places: Places;
  protected readonly signatureBytes: number;

  constructor(eager: EagerFields, places: Places, signatureBytes: number) {
    this.nonce = eager.nonce;
    this.blockLimit = eager.blockLimit;
    this.chainId = eager.chainId;
    this.groupId = eager.groupId;
    this.raw = eager.raw;
    this.hash = eager.hash;
    this.places = places;
    this.signatureBytes = signatureBytes;
  }

  get gasPrice(): bigint {
    return new RlpReader(this.raw, this.places.gasPrice).uint();
  }

  get gas(): bigint {
    return new RlpReader(this.raw, this.places.gas).uint();
  }

  get to(): Address | null {
    const receiver = new RlpReader(this.raw, this.places.to).string();
    return receiver.length === 0 ? null : addressOf(receiver);
  }

  get value(): bigint {
    return new RlpReader(this.raw, this.places.value).uint();
  }

  get input(): Uint8Array {
    return new RlpReader(this.raw, this.places.input).string();
  }

  get extraData(): Uint8Array {
    return new RlpReader(this.raw, this.places.extraData).string();
  }

  /** Bytes of input and extraData, which are not read for that. */
  get dataBytes(): number {
    return this.places.dataBytes;
  }

  get signature(): Uint8Array {
    const items = new RlpReader(this.raw, this.places.signature);
    const signature = freshBytes(this.signatureBytes);
    items.next();
    items.putPayload(signature, this.signatureBytes);
    if (this.signatureBytes === 2 * HALF_BYTES + 1)
      signature[2 * HALF_BYTES] = (signature[2 * HALF_BYTES] ?? 0) - V_BASE;
    for (let end = HALF_BYTES; end <= 2 * HALF_BYTES; end += HALF_BYTES) {
      items.next();
      items.putPayload(signature, end);
    }
    return signature;
  }

  withSender(from: Address): SignedTransaction {
    return new RecoveredTransaction(this, this.places, this.signatureBytes, from);
  }
}

class RecoveredTransaction extends EncodedTransaction implements SignedTransaction {
  readonly from: Address;

  constructor(eager: EagerFields, places: Places, signatureBytes: number, from: Address) {
    super(eager, places, signatureBytes);
    this.from = from;
  }
}

/** Hashes of a transaction that were computed elsewhere. */
export interface TransactionHashes {
  readonly hash: Hash;
  /** What {@link signingDigest} gives. */
  readonly signing: Uint8Array;
}

const known = new WeakMap<Uint8Array, TransactionHashes>();

/** Has the hashes of canonical bytes, of these alone, computed no more. */
export function rememberHashes(raw: Uint8Array, hashes: TransactionHashes): void {
  known.set(raw, hashes);
}

/**
 * Decodes the 13-item form that every chain from 2.0.0-rc2 on uses. The result is a view of the
 * bytes. The signature is well-formed, but nobody has recovered it yet.
 *
 * @param hash of these bytes in their canonical form, where it is known: long ones take a while
 * Source: tx-block-codec 2.1, 2.2, 2.3
 */
export function decodeTransaction(
  raw: Uint8Array,
  suite: CryptoSuite,
  hash?: Hash,
): TransactionDecoding {
  if (raw.length === 0) return BAD_FORMAT;
  const outer = new RlpReader(raw);
  if (!outer.next() || !outer.complete()) return BAD_RLP;
  if (!outer.isList) return BAD_FORMAT;
  const items = new RlpReader(raw, outer.payloadStart, outer.payloadEnd);
  const part = readSignedPart(items);
  if ("ok" in part) return part;
  const carriesKey = suite.name === "national";
  const form = carriesKey ? checkCarried(items, raw) : checkRecoverable(items, raw);
  if (items.failed) return BAD_RLP;
  if (items.hasNext()) return BAD_FORMAT;
  if (form === "none") return BAD_SIGNATURE;
  if (part.canonical && form === "canonical") {
    part.raw = raw;
    part.hash = hash ?? known.get(raw)?.hash ?? hashOf(suite.hash(raw));
    const transaction = new EncodedTransaction(part, part.places, suite.signatureBytes);
    return { ok: true, transaction };
  }
  return decodeTransaction(canonicalBytes(raw, carriesKey), suite);
}

/** Becomes the eager fields of a transaction once bytes and hash are put to it. */
interface SignedPart extends Omit<EagerFields, "raw" | "hash"> {
  raw: Uint8Array;
  hash: Hash;
  readonly places: Places;
  /** Whether the fields are in their only form. */
  readonly canonical: boolean;
}

function readSignedPart(items: RlpReader): SignedPart | typeof BAD_RLP | typeof BAD_FORMAT {
  const nonce = items.uint();
  const gasPrice = items.position;
  items.enterUint();
  const gas = items.position;
  items.enterUint();
  const blockLimit = items.uint();
  const to = items.position;
  // An empty list reads as an empty receiver; the only form is the empty string.
  if (!items.next()) return BAD_RLP;
  const toIsList = items.isList;
  const toLength = items.payloadEnd - items.payloadStart;
  if (!(toLength === ADDRESS_BYTES && !toIsList) && toLength > 0) return BAD_RLP;
  const value = items.position;
  items.enterUint();
  const input = items.position;
  if (!items.next()) return BAD_RLP;
  if (items.isList) return BAD_FORMAT;
  const inputBytes = items.payloadEnd - items.payloadStart;
  const chainId = items.uint();
  const groupId = items.uint();
  const extraData = items.position;
  if (!items.next()) return BAD_RLP;
  // A list reads as no extra data; the only form of that is the empty string.
  const canonical = !toIsList && !items.isList;
  const dataBytes = inputBytes + items.payloadEnd - items.payloadStart;
  const signature = items.position;
  const places = { gasPrice, gas, to, value, input, extraData, dataBytes, signature };
  const [raw, hash] = [EMPTY_BYTES, "" as Hash];
  return { nonce, blockLimit, chainId, groupId, raw, hash, places, canonical };
}
/** What the last three items are. */
type SignatureForm = "canonical" | "padded" | "none";

/** v, r and s of secp256k1. Source: tx-block-codec 2.2 */
function checkRecoverable(items: RlpReader, raw: Uint8Array): SignatureForm {
  items.enterUint(1);
  const v = items.payloadEnd > items.payloadStart ? (raw[items.payloadStart] ?? 0) : 0;
  const r = isScalar(items, raw, ORDER);
  const s = isScalar(items, raw, ABOVE_HALF_ORDER);
  return (v === V_BASE || v === V_BASE + 1) && r && s ? "canonical" : "none";
}

/** Public key, r and s of SM2. Source: tx-block-codec 2.2 */
function checkCarried(items: RlpReader, raw: Uint8Array): SignatureForm {
  const key = items.string();
  if (key.length > SM2_KEY_BYTES) items.fail();
  const r = isScalar(items, raw, ORDER);
  const s = isScalar(items, raw, ORDER);
  if (isAllZero(key) || !r || !s) return "none";
  return key.length === SM2_KEY_BYTES ? "canonical" : "padded";
}

/** Whether the next item is an integer from 1 to below a limit of 32 bytes. */
function isScalar(items: RlpReader, raw: Uint8Array, limit: Uint8Array): boolean {
  if (!items.enterUint(HALF_BYTES)) return false;
  const length = items.payloadEnd - items.payloadStart;
  if (length < HALF_BYTES) return length > 0;
  for (let i = 0; i < HALF_BYTES; i++) {
    const difference = (raw[items.payloadStart + i] ?? 0) - (limit[i] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

/** Positions among the items of what has more than one form. Source: tx-block-codec 2.1, 2.2 */
const TO_ITEM = 4;
const EXTRA_DATA_ITEM = 9;

/** The only form of bytes that decode. */
function canonicalBytes(raw: Uint8Array, carriesKey: boolean): Uint8Array {
  const items = new RlpReader(raw).list();
  let index = 0;
  const all = items.all((item): RlpInput => {
    const rlp = item.raw();
    const at = index++;
    if ((at === TO_ITEM || at === EXTRA_DATA_ITEM) && item.isList) return EMPTY_BYTES;
    if (at !== SIGNED_ITEMS || !carriesKey) return { rlp };
    const key = item.payload();
    return concatBytes(new Uint8Array(SM2_KEY_BYTES - key.length), key);
  });
  return encodeRlp(all);
}

function signedItems(fields: TransactionFields): RlpInput[] {
  return [
    fields.nonce,
    fields.gasPrice,
    fields.gas,
    fields.blockLimit,
    fields.to === null ? EMPTY_BYTES : idBytes(fields.to),
    fields.value,
    fields.input,
    fields.chainId,
    fields.groupId,
    fields.extraData,
  ];
}

/**
 * The RLP of the fields and a serialised signature of either suite. Source: tx-block-codec 2.1, 2.2
 */
export function encodeTransaction(fields: TransactionFields, signature: Uint8Array): Uint8Array {
  const last = signature.subarray(2 * HALF_BYTES);
  const v = last.length === SM2_KEY_BYTES ? last : V_BASE + (last[0] ?? 0);
  const r = withoutLeadingZeros(signature.subarray(0, HALF_BYTES));
  const s = withoutLeadingZeros(signature.subarray(HALF_BYTES, 2 * HALF_BYTES));
  return encodeRlp([...signedItems(fields), v, r, s]);
}

function withoutLeadingZeros(bytes: Uint8Array): Uint8Array {
  let start = 0;
  while (start < bytes.length && bytes[start] === 0) start++;
  return bytes.subarray(start);
}

/**
 * The digest that the sender signed: the hash of the first ten items as a list of their own.
 *
 * @param raw `Transaction.raw`: the items are taken from it as they are
 * Source: tx-block-codec 2.3
 */
export function signingDigest(raw: Uint8Array, suite: CryptoSuite): Uint8Array {
  const digest = known.get(raw)?.signing;
  if (digest) return digest;
  const items = new RlpReader(raw).list();
  const start = items.position;
  for (let i = 0; i < SIGNED_ITEMS; i++) items.next();
  invariant(!items.failed, "the bytes are a decoded transaction");
  return suite.hash(wrapRlpList(raw.subarray(start, items.position), digestRoom));
}

/** Where the signed part of most transactions is put together; the hash is done with it at once. */
const digestRoom = new Uint8Array(4 * 1024);

/** The account that signed; undefined when the signature is none. Source: tx-block-codec 2.3 */
export function recoverSender(transaction: Transaction, suite: CryptoSuite): Address | undefined {
  const publicKey = suite.recover(signingDigest(transaction.raw, suite), transaction.signature);
  return publicKey && suite.address(publicKey);
}

/** Bytes of input and extraData together. */
export function dataBytesOf(transaction: Pick<Transaction, "input" | "extraData">): number {
  if (transaction instanceof EncodedTransaction) return transaction.dataBytes;
  return transaction.input.length + transaction.extraData.length;
}

/** The transaction with its sender next to it. */
export function withSender(transaction: Transaction, from: Address): SignedTransaction {
  if (transaction instanceof EncodedTransaction) return transaction.withSender(from);
  return { ...transaction, from };
}

/** Signs the fields with a 32-byte key. Source: tx-block-codec 2.3 */
export function signTransaction(
  fields: TransactionFields,
  privateKey: Uint8Array,
  suite: CryptoSuite,
): Transaction {
  const digest = suite.hash(encodeRlp(signedItems(fields)));
  const raw = encodeTransaction(fields, suite.sign(digest, privateKey));
  const decoded = decodeTransaction(raw, suite);
  invariant(decoded.ok, "what was encoded decodes");
  return decoded.transaction;
}
