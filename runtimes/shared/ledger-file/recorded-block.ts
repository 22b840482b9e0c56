/**
 * A line of a recorded ledger: a block, its header and its receipts as the interface shows them.
 * Source: interface 2
 */
import { hexBytes, isNodeId } from "../../../core/bytes/hex.ts";
import type { Hash, NodeId } from "../../../core/bytes/ids.ts";
import { readAddress, readHash, readHexBytes, readU256 } from "../../../core/bytes/quantity.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import type { Block } from "../../../core/model/block.ts";
import type { Header, Seal } from "../../../core/model/header.ts";
import {
  decodeTransaction,
  encodeTransaction,
  type Transaction,
  type TransactionFields,
} from "../../../core/model/transaction.ts";
import { presentBlock, presentHeader, presentReceipt } from "../../../core/rpc/present.ts";
import { isObject, type Json, type JsonObject, parseJson } from "../../../core/rpc/json.ts";
import { LedgerFileFault } from "./ledger-file-fault.ts";

/** What a line says. */
export interface RecordedBlock {
  readonly number: number;
  readonly header: JsonObject;
  readonly block: JsonObject;
  readonly transactions: readonly JsonObject[];
  readonly receipts: readonly JsonObject[];
}

/** A transaction whose bytes were put together from its fields. */
export interface RecordedTransaction {
  readonly recordedHash: string;
  readonly transaction: Transaction;
}

const BLOOM_BYTES = 256;

/**
 * Reads a line.
 *
 * @param line its number in the file, from 1
 * @throws LedgerFileFault when it is not of this form
 */
export function readRecordedBlock(text: string, line: number): RecordedBlock {
  const value = parseJson(text);
  const wrong = (what: string) => new LedgerFileFault(`line ${line}: ${what}`);
  if (!isObject(value)) throw wrong("one JSON object per line is wanted");
  const { number, header, block, receipts } = value;
  if (typeof number !== "number" || !Number.isSafeInteger(number) || number < 0)
    throw wrong("`number` is not the number of a block");
  if (!isObject(header)) throw wrong("`header` is missing");
  if (!isObject(block)) throw wrong("`block` is missing");
  const transactions = objectsOf(block["transactions"]);
  if (!transactions) throw wrong("`block.transactions` is not a list of whole transactions");
  const receiptList = objectsOf(receipts);
  if (!receiptList) throw wrong("`receipts` is not a list of receipts");
  return { number, header, block, transactions, receipts: receiptList };
}

function objectsOf(value: Json | undefined): readonly JsonObject[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const objects: JsonObject[] = [];
  for (const item of value as readonly Json[]) {
    if (!isObject(item)) return undefined;
    objects.push(item);
  }
  return objects;
}

/** Reads fields of one object; each fault names block, object and field. */
class FieldReader {
  readonly #object: JsonObject;
  readonly #place: string;

  constructor(object: JsonObject, place: string) {
    this.#object = object;
    this.#place = place;
  }

  #read<Value>(name: string, wanted: string, read: (text: string) => Value | undefined): Value {
    const text = this.#object[name];
    const value = typeof text === "string" ? read(text) : undefined;
    if (value !== undefined) return value;
    throw new LedgerFileFault(`${this.#place}.${name}: ${wanted} is wanted`);
  }

  uint(name: string): bigint {
    return this.#read(name, "a quantity like 0x1f", readU256);
  }

  /** A quantity that a number holds exactly. */
  index(name: string): number {
    const exact = (text: string) => {
      const value = readU256(text);
      const fits = value !== undefined && value <= BigInt(Number.MAX_SAFE_INTEGER);
      return fits ? Number(value) : undefined;
    };
    return this.#read(name, "a small quantity like 0x1f", exact);
  }

  hash(name: string): Hash {
    return this.#read(name, "a hash", readHash);
  }

  bytes(name: string): Uint8Array {
    return this.#read(name, "0x and hexadecimal digits", readHexBytes);
  }

  bloom(name: string): Uint8Array {
    const bytes = this.bytes(name);
    if (bytes.length === BLOOM_BYTES) return bytes;
    throw new LedgerFileFault(`${this.#place}.${name}: ${BLOOM_BYTES} bytes are wanted`);
  }

  list(name: string): readonly Json[] {
    const value = this.#object[name];
    if (Array.isArray(value)) return value as readonly Json[];
    throw new LedgerFileFault(`${this.#place}.${name}: a list is wanted`);
  }

  texts(name: string, wanted: string, accepts: (text: string) => boolean): readonly string[] {
    return this.list(name).map((item) => {
      if (typeof item === "string" && accepts(item)) return item;
      throw new LedgerFileFault(`${this.#place}.${name}: ${wanted} are wanted`);
    });
  }
}

/** The header as it was recorded, with what execution computes. */
export function headerOf({ header, number }: RecordedBlock): Header {
  const reader = new FieldReader(header, `block ${number}: header`);
  const isHex = (text: string) => readHexBytes(text) !== undefined;
  return {
    parentHash: reader.hash("parentHash"),
    stateRoot: reader.hash("stateRoot"),
    transactionsRoot: reader.hash("transactionsRoot"),
    receiptsRoot: reader.hash("receiptsRoot"),
    dbHash: reader.hash("dbHash"),
    logsBloom: reader.bloom("logsBloom"),
    number,
    gasLimit: reader.uint("gasLimit"),
    gasUsed: reader.uint("gasUsed"),
    timestamp: reader.uint("timestamp"),
    extraData: reader.texts("extraData", "texts of hexadecimal digits", isHex).map(hexBytes),
    sealer: reader.index("sealer"),
    sealerList: reader.texts("sealerList", "node IDs", isNodeId) as NodeId[],
  };
}

/** Hash that the record gives the block. */
export function recordedHashOf({ header, number }: RecordedBlock): Hash {
  return new FieldReader(header, `block ${number}: header`).hash("hash");
}

/** The seals of the header. */
export function sealsOf({ header, number }: RecordedBlock): readonly Seal[] {
  const place = `block ${number}: header`;
  return new FieldReader(header, place).list("signatureList").map((item, i) => {
    if (!isObject(item)) throw new LedgerFileFault(`${place}.signatureList[${i}]: not a seal`);
    const reader = new FieldReader(item, `${place}.signatureList[${i}]`);
    return { index: reader.index("index"), signature: reader.bytes("signature") };
  });
}

/**
 * The transactions as bytes. A creation and a call of the zero address are recorded alike: the hash
 * tells; a hash that fits neither belongs to a record that was changed.
 */
export function transactionsOf(
  recorded: RecordedBlock,
  suite: CryptoSuite,
): readonly RecordedTransaction[] {
  return recorded.transactions.map((object, i) => {
    const place = `block ${recorded.number}: transactions[${i}]`;
    const reader = new FieldReader(object, place);
    const recordedHash = reader.hash("hash");
    const { fields, signature } = readTransaction(object, place);
    const zero = fields.to === null || BigInt(fields.to) === 0n;
    const variants = zero ? [{ ...fields, to: null }, fields] : [fields];
    const decoded = variants.flatMap((variant) => {
      const result = decodeTransaction(encodeTransaction(variant, signature), suite);
      return result.ok ? [result.transaction] : [];
    });
    const transaction = decoded.find(({ hash }) => hash === recordedHash) ?? decoded[0];
    if (!transaction) throw new LedgerFileFault(`${place} is not a transaction`);
    return { recordedHash, transaction };
  });
}

function readTransaction(object: JsonObject, place: string) {
  const reader = new FieldReader(object, place);
  const { to, signature } = object;
  const address = typeof to === "string" ? readAddress(to) : null;
  if (address === undefined) throw new LedgerFileFault(`${place}.to: an address is wanted`);
  if (!isObject(signature)) throw new LedgerFileFault(`${place}.signature is missing`);
  const fields: TransactionFields = {
    nonce: reader.uint("nonce"),
    gasPrice: reader.uint("gasPrice"),
    gas: reader.uint("gas"),
    blockLimit: reader.uint("blockLimit"),
    to: address,
    value: reader.uint("value"),
    input: reader.bytes("input"),
    chainId: reader.uint("chainId"),
    groupId: reader.uint("groupId"),
    extraData: reader.bytes("extraData"),
  };
  const signed = new FieldReader(signature, `${place}.signature`).bytes("signature");
  return { fields, signature: signed };
}

/** The receipts of a block as the interface shows them. */
export function presentReceipts({ receipts, transactions, header, hash }: Block): readonly Json[] {
  return receipts.flatMap((receipt, index) => {
    const transaction = transactions[index];
    const place = { blockHash: hash, blockNumber: header.number, index };
    return transaction ? [presentReceipt({ receipt, transaction, ...place })] : [];
  });
}

/** A block as a line of a recorded ledger, without its line break. */
export function recordOf(block: Block): string {
  return JSON.stringify({
    number: block.header.number,
    block: presentBlock(block, true),
    header: presentHeader(block, true),
    receipts: presentReceipts(block),
  });
}
