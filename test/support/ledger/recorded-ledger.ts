/**
 * Blocks of the recorded chain as model objects; every transaction and block hash is recomputed on
 * the way.
 */
import assert from "node:assert/strict";
import { hexBytes } from "../../../core/bytes/hex.ts";
import type { Address, Hash, NodeId } from "../../../core/bytes/ids.ts";
import type { Block } from "../../../core/model/block.ts";
import { headerHash } from "../../../core/model/header.ts";
import type { Header, Seal } from "../../../core/model/header.ts";
import type { Receipt } from "../../../core/model/receipt.ts";
import {
  encodeTransaction,
  type SignedTransaction,
  decodeTransaction,
  withSender,
} from "../../../core/model/transaction.ts";
import { STANDARD_SUITE as suite } from "../suites.ts";

/** The members of recorded results that are read here. */
interface Recorded {
  readonly [member: string]: string;
}
interface RecordedBlock {
  readonly number: number;
  readonly block: Recorded & { readonly transactions: unknown };
  readonly header: Recorded & {
    readonly extraData: unknown;
    readonly sealerList: unknown;
    readonly signatureList: unknown;
  };
  readonly receipts: readonly (Recorded & { readonly logs: unknown })[];
}

/** A block from what a ledger or single answers recorded of it. */
export function recordedBlock(recorded: object): Block {
  return readBlock(recorded as RecordedBlock);
}

function readBlock(recorded: RecordedBlock): Block {
  const header = readHeader(recorded);
  const hash = recorded.header["hash"] as Hash;
  assert.equal(headerHash(header, suite), hash);
  const seals = recorded.header.signatureList as unknown as readonly Recorded[];
  const transactions = recorded.block.transactions as unknown as readonly Recorded[];
  return {
    header,
    hash,
    seals: seals.map(readSeal),
    transactions: transactions.map(readTransaction),
    receipts: recorded.receipts.map(readReceipt),
  };
}

function member(object: Recorded, name: string): string {
  const value = object[name];
  assert.ok(value !== undefined, `recorded member ${name}`);
  return value;
}

function readHeader({ number, header }: RecordedBlock): Header {
  const hashMember = (name: string): Hash => member(header, name) as Hash;
  return {
    parentHash: hashMember("parentHash"),
    stateRoot: hashMember("stateRoot"),
    transactionsRoot: hashMember("transactionsRoot"),
    receiptsRoot: hashMember("receiptsRoot"),
    dbHash: hashMember("dbHash"),
    logsBloom: hexBytes(member(header, "logsBloom")),
    number,
    gasLimit: BigInt(member(header, "gasLimit")),
    gasUsed: BigInt(member(header, "gasUsed")),
    timestamp: BigInt(member(header, "timestamp")),
    extraData: (header.extraData as unknown as readonly string[]).map(hexBytes),
    sealer: Number(member(header, "sealer")),
    sealerList: header.sealerList as unknown as readonly NodeId[],
  };
}

function readSeal(seal: Recorded): Seal {
  return { index: Number(member(seal, "index")), signature: hexBytes(member(seal, "signature")) };
}

function readTransaction(recorded: Recorded): SignedTransaction {
  const number = (name: string): bigint => BigInt(member(recorded, name));
  const hash = member(recorded, "hash");
  const input = hexBytes(member(recorded, "input"));
  const { signature } = recorded["signature"] as unknown as { readonly signature: string };
  const creation = /^0x0+$/.test(member(recorded, "to"));
  const fields = {
    nonce: number("nonce"),
    gasPrice: number("gasPrice"),
    gas: number("gas"),
    blockLimit: number("blockLimit"),
    value: number("value"),
    input,
    chainId: number("chainId"),
    groupId: number("groupId"),
    extraData: hexBytes(member(recorded, "extraData")),
  };
  // The recording shows creations and calls of the zero address alike; only one has the hash.
  const receivers = creation ? [null, member(recorded, "to")] : [member(recorded, "to")];
  for (const to of receivers) {
    const raw = encodeTransaction({ ...fields, to: to as Address | null }, hexBytes(signature));
    const decoded = decodeTransaction(raw, suite);
    if (decoded.ok && decoded.transaction.hash === hash) {
      return withSender(decoded.transaction, member(recorded, "from") as Address);
    }
  }
  throw new Error(`transaction ${hash} does not encode to its hash`);
}

function readReceipt(recorded: RecordedBlock["receipts"][number]): Receipt {
  const logs = recorded.logs as unknown as readonly (Recorded & { topics: unknown })[];
  return {
    root: member(recorded, "root") as Hash,
    gasUsed: BigInt(member(recorded, "gasUsed")),
    contractAddress: member(recorded, "contractAddress") as Address,
    logsBloom: hexBytes(member(recorded, "logsBloom")),
    status: Number(member(recorded, "status")),
    output: hexBytes(member(recorded, "output")),
    remainGas: BigInt(member(recorded, "remainGas")),
    logs: logs.map((log) => ({
      address: member(log, "address") as Address,
      topics: log.topics as unknown as readonly Hash[],
      data: hexBytes(member(log, "data")),
    })),
  };
}
