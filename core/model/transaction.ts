/** Transactions: fields, strict decoding, encoding, hashes. Source: tx-block-codec 2 */
import { compareBytes, EMPTY_BYTES, fixedUintBytes, isAllZero } from "../bytes/bytes.ts";
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

/**
 * A transaction whose sender is known: recovered once per process, kept beside it from pool to
 * ledger.
 */
export interface SignedTransaction extends Transaction {
  readonly from: Address;
}

/** The fields that are signed. */
export type TransactionFields = Omit<Transaction, "signature" | "raw" | "hash">;

/** Why bytes are not a transaction. Source: tx-block-codec 2.1, 2.2; rpc-semantics 8 */
export type UndecodableReason = "BadRLP" | "InvalidTransactionFormat" | "InvalidSignature";

/** What came of decoding. */
export type TransactionDecoding =
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
const HALF_ORDER = fixedUintBytes(SECP256K1_ORDER / 2n, HALF_BYTES);

const BAD_RLP = { ok: false, reason: "BadRLP" } as const;
const BAD_FORMAT = { ok: false, reason: "InvalidTransactionFormat" } as const;
const BAD_SIGNATURE = { ok: false, reason: "InvalidSignature" } as const;

/** The ten signed fields and whether they are in their only form. */
interface SignedPart {
  readonly fields: TransactionFields;
  readonly canonical: boolean;
}

/**
 * Decodes the 13-item form that every chain from 2.0.0-rc2 on uses. The result holds views of the
 * bytes. The signature is well-formed, but nobody has recovered it yet.
 *
 * Source: tx-block-codec 2.1, 2.2, 2.3
 */
export function decodeTransaction(raw: Uint8Array, suite: CryptoSuite): TransactionDecoding {
  if (raw.length === 0) return BAD_FORMAT;
  const outer = new RlpReader(raw);
  if (!outer.next() || !outer.complete()) return BAD_RLP;
  if (!outer.isList) return BAD_FORMAT;
  const items = new RlpReader(raw, outer.payloadStart, outer.payloadEnd);
  const part = readSignedPart(items);
  if ("ok" in part) return part;
  const carriesKey = suite.name === "national";
  const v = carriesKey ? items.string() : items.uintBytes(1);
  const r = items.uintBytes(HALF_BYTES);
  const s = items.uintBytes(HALF_BYTES);
  if (items.failed || v.length > SM2_KEY_BYTES) return BAD_RLP;
  if (items.hasNext()) return BAD_FORMAT;
  const signature = carriesKey ? joinCarried(v, r, s) : joinRecoverable(v, r, s);
  if (!signature) return BAD_SIGNATURE;
  const { fields } = part;
  const canonical = part.canonical && (!carriesKey || v.length === SM2_KEY_BYTES);
  const kept = canonical ? raw : encodeTransaction(fields, signature);
  const hash = hashOf(suite.hash(kept));
  return { ok: true, transaction: assemble(fields, { signature, raw: kept, hash }) };
}

/** Written out, because on the hot path a spread of ten fields costs more than decoding them. */
function assemble(
  fields: TransactionFields,
  rest: Pick<Transaction, "signature" | "raw" | "hash">,
): Transaction {
  return {
    nonce: fields.nonce,
    gasPrice: fields.gasPrice,
    gas: fields.gas,
    blockLimit: fields.blockLimit,
    to: fields.to,
    value: fields.value,
    input: fields.input,
    chainId: fields.chainId,
    groupId: fields.groupId,
    extraData: fields.extraData,
    signature: rest.signature,
    raw: rest.raw,
    hash: rest.hash,
  };
}

function readSignedPart(items: RlpReader): SignedPart | typeof BAD_RLP | typeof BAD_FORMAT {
  const nonce = items.uint();
  const gasPrice = items.uint();
  const gas = items.uint();
  const blockLimit = items.uint();
  // An empty list reads as an empty receiver; the only form is the empty string.
  if (!items.next()) return BAD_RLP;
  const toIsList = items.isList;
  const receiver = items.payload();
  const isCall = receiver.length === ADDRESS_BYTES && !toIsList;
  if (!isCall && receiver.length > 0) return BAD_RLP;
  const to = isCall ? addressOf(receiver) : null;
  const value = items.uint();
  if (!items.next()) return BAD_RLP;
  if (items.isList) return BAD_FORMAT;
  const input = items.payload();
  const chainId = items.uint();
  const groupId = items.uint();
  if (!items.next()) return BAD_RLP;
  // A list reads as no extra data; the only form of that is the empty string.
  const extraIsList = items.isList;
  const extraData = extraIsList ? EMPTY_BYTES : items.payload();
  return {
    fields: { nonce, gasPrice, gas, blockLimit, to, value, input, chainId, groupId, extraData },
    canonical: !toIsList && !extraIsList,
  };
}

/** r s and recovery id, when the three items may be a signature. Source: tx-block-codec 2.2 */
function joinRecoverable(v: Uint8Array, r: Uint8Array, s: Uint8Array): Uint8Array | undefined {
  const recoveryId = (v[0] ?? 0) - V_BASE;
  if (recoveryId !== 0 && recoveryId !== 1) return undefined;
  const signature = new Uint8Array(2 * HALF_BYTES + 1);
  if (!placeScalars(signature, r, s)) return undefined;
  if (compareBytes(signature.subarray(HALF_BYTES, 2 * HALF_BYTES), HALF_ORDER) > 0)
    return undefined;
  signature[2 * HALF_BYTES] = recoveryId;
  return signature;
}

/** r s and public key, when the three items may be a signature. Source: tx-block-codec 2.2 */
function joinCarried(v: Uint8Array, r: Uint8Array, s: Uint8Array): Uint8Array | undefined {
  if (isAllZero(v)) return undefined;
  const signature = new Uint8Array(2 * HALF_BYTES + SM2_KEY_BYTES);
  if (!placeScalars(signature, r, s)) return undefined;
  if (compareBytes(signature.subarray(HALF_BYTES, 2 * HALF_BYTES), ORDER) >= 0) return undefined;
  signature.set(v, signature.length - v.length);
  return signature;
}

/** Writes both, right-aligned; false when one is zero or r is not below the order. */
function placeScalars(signature: Uint8Array, r: Uint8Array, s: Uint8Array): boolean {
  if (r.length === 0 || s.length === 0) return false;
  signature.set(r, HALF_BYTES - r.length);
  signature.set(s, 2 * HALF_BYTES - s.length);
  return compareBytes(signature.subarray(0, HALF_BYTES), ORDER) < 0;
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
  const items = new RlpReader(raw).list();
  const start = items.position;
  for (let i = 0; i < SIGNED_ITEMS; i++) items.next();
  invariant(!items.failed, "the bytes are a decoded transaction");
  return suite.hash(wrapRlpList(raw.subarray(start, items.position)));
}

/**
 * The account that signed; undefined when the signature does not recover or verify.
 * Source: tx-block-codec 2.3
 */
export function recoverSender(transaction: Transaction, suite: CryptoSuite): Address | undefined {
  const publicKey = suite.recover(signingDigest(transaction.raw, suite), transaction.signature);
  return publicKey && suite.address(publicKey);
}

/** The transaction with its sender beside it. */
export function withSender(transaction: Transaction, from: Address): SignedTransaction {
  const { signature, raw, hash } = transaction;
  return Object.assign(assemble(transaction, { signature, raw, hash }), { from });
}

/** Signs the fields with a 32-byte key. Source: tx-block-codec 2.3 */
export function signTransaction(
  fields: TransactionFields,
  privateKey: Uint8Array,
  suite: CryptoSuite,
): Transaction {
  const digest = suite.hash(encodeRlp(signedItems(fields)));
  const signature = suite.sign(digest, privateKey);
  const raw = encodeTransaction(fields, signature);
  return assemble(fields, { signature, raw, hash: hashOf(suite.hash(raw)) });
}
