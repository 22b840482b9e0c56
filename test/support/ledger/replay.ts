/**
 * Recorded ledgers as input for the executor: proposals without anything that execution computes,
 * and next to them what the reference wrote. test/data/golden/README.md says how they were made.
 */
import assert from "node:assert/strict";
import { hexBytes } from "../../../core/bytes/hex.ts";
import { type Address, type Hash, type NodeId, ZERO_HASH } from "../../../core/bytes/ids.ts";
import { EMPTY_BLOOM } from "../../../core/crypto/bloom.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import type { GenesisConfig } from "../../../core/model/config.ts";
import type { Header, Seal } from "../../../core/model/header.ts";
import { decodeTransaction, encodeTransaction } from "../../../core/model/transaction.ts";
import { parseVersion, type Version } from "../../../core/model/version.ts";
import type { ExecuteRequest } from "../../../core/ports/executor.ts";
import { dataNames, readData, readDataLines } from "./data-files.ts";

/** A block to execute and what must come of it. */
export interface ReplayBlock {
  readonly number: number;
  /** What the executor sees: roots of state and receipts are zero. */
  readonly request: ExecuteRequest;
  readonly seals: readonly Seal[];
  readonly expected: ExpectedBlock;
}

/** What the reference recorded. */
export interface ExpectedBlock {
  readonly hash: Hash;
  readonly stateRoot: Hash;
  readonly receiptsRoot: Hash;
  readonly receipts: readonly ExpectedReceipt[];
}

/** A receipt in the form of the interface. */
export interface ExpectedReceipt {
  readonly transactionHash: string;
  readonly status: string;
  readonly gasUsed: string;
  readonly output: string;
  readonly contractAddress: string;
  readonly logs: readonly {
    readonly address: string;
    readonly data: string;
    readonly topics: readonly string[];
  }[];
}

interface RecordedTransaction {
  readonly [member: string]: unknown;
  readonly hash: Hash;
  readonly from: Address;
  readonly to: string | null;
  readonly signature: { readonly signature: string };
}

interface RecordedHeader {
  readonly hash: Hash;
  readonly parentHash: Hash;
  readonly transactionsRoot: Hash;
  readonly stateRoot: Hash;
  readonly receiptsRoot: Hash;
  readonly timestamp: string;
  readonly sealer: string;
  readonly extraData: readonly string[];
  readonly sealerList: readonly NodeId[];
  readonly signatureList: readonly { readonly index: string; readonly signature: string }[];
}

interface RecordedBlock {
  readonly number: number;
  readonly block: { readonly transactions: readonly RecordedTransaction[] };
  readonly header: RecordedHeader;
  readonly receipts: readonly ExpectedReceipt[];
}

/** Names of the files of a ledger in test/data. */
export interface ReplayFiles {
  /** One block in each line. */
  readonly ledger: string;
  readonly genesis: string;
}

/** The ledger of group 1 of the four-node chain. */
export const GROUP1: ReplayFiles = {
  ledger: "golden/replay/group1.jsonl",
  genesis: "golden/replay/group.1.genesis.txt",
};

/** A ledger and what the file next to it says of it. */
export interface RecordedLedger {
  readonly name: string;
  readonly files: ReplayFiles;
  readonly version: Version;
  /** Whether its hashes and signatures are those of the SM suite. */
  readonly isNational: boolean;
  /** Where they were counted. */
  readonly blocks: number | undefined;
  readonly transactions: number | undefined;
}

/** Every ledger of a folder below test/data/golden that has one genesis file for each. */
export function recordedLedgers(folder: string): readonly RecordedLedger[] {
  const names = dataNames(`golden/${folder}`).filter((name) => name.endsWith(".jsonl"));
  return names.map((ledger) => {
    const path = ledger.slice(0, -".jsonl".length);
    const meta = JSON.parse(readData(`${path}.meta.json`));
    const version = parseVersion(meta.supported_version);
    assert.ok(version, ledger);
    return {
      name: path.slice(path.lastIndexOf("/") + 1),
      files: { ledger, genesis: `${path}.genesis.txt` },
      version,
      isNational: meta.sm_crypto === true,
      blocks: meta.blocks,
      transactions: meta.transactions,
    };
  });
}

/** All blocks of a ledger; every transaction hash is recomputed on the way. */
export function replayBlocks(files: ReplayFiles, suite: CryptoSuite): readonly ReplayBlock[] {
  const recorded = readDataLines<RecordedBlock>(files.ledger);
  return recorded.map((block) => toReplayBlock(block, suite));
}

function toReplayBlock(recorded: RecordedBlock, suite: CryptoSuite): ReplayBlock {
  const { header, block, number } = recorded;
  return {
    number,
    request: {
      header: proposedHeader(recorded),
      transactions: block.transactions.map((transaction) => rawTransaction(transaction, suite)),
      hashes: block.transactions.map(({ hash }) => hash),
      senders: block.transactions.map(({ from }) => from),
    },
    seals: header.signatureList.map(({ index, signature }) => ({
      index: Number(index),
      signature: hexBytes(signature),
    })),
    expected: {
      hash: header.hash,
      stateRoot: header.stateRoot,
      receiptsRoot: header.receiptsRoot,
      receipts: recorded.receipts,
    },
  };
}

function proposedHeader({ header, number }: RecordedBlock): Header {
  return {
    parentHash: header.parentHash,
    stateRoot: ZERO_HASH,
    transactionsRoot: header.transactionsRoot,
    receiptsRoot: ZERO_HASH,
    dbHash: ZERO_HASH,
    logsBloom: EMPTY_BLOOM,
    number,
    gasLimit: 0n,
    gasUsed: 0n,
    timestamp: BigInt(header.timestamp),
    extraData: header.extraData.map(hexBytes),
    sealer: Number(header.sealer),
    sealerList: header.sealerList,
  };
}

/**
 * The bytes that hash to the recorded hash; a creation and a call of the zero address are recorded
 * alike.
 */
function rawTransaction(recorded: RecordedTransaction, suite: CryptoSuite): Uint8Array {
  const number = (name: string): bigint => BigInt(recorded[name] as string);
  const bytes = (name: string): Uint8Array => hexBytes(recorded[name] as string);
  const fields = {
    nonce: number("nonce"),
    gasPrice: number("gasPrice"),
    gas: number("gas"),
    blockLimit: number("blockLimit"),
    value: number("value"),
    input: bytes("input"),
    chainId: number("chainId"),
    groupId: number("groupId"),
    extraData: bytes("extraData"),
  };
  for (const to of [recorded.to, null]) {
    const raw = encodeTransaction(
      { ...fields, to: to as Address | null },
      hexBytes(recorded.signature.signature),
    );
    const decoded = decodeTransaction(raw, suite);
    if (decoded.ok && decoded.transaction.hash === recorded.hash) return raw;
  }
  throw new Error(`transaction ${recorded.hash} does not encode to its hash`);
}

/** Reads the genesis file of a ledger, by its name in test/data. */
export function replayGenesis(name: string): GenesisConfig {
  const text = readData(name);
  const entries = [...text.matchAll(/^\s*([\w.]+)\s*=\s*(\S+)\s*$/gm)];
  const value = (key: string): string => entries.find(([, name]) => name === key)?.[2] ?? "";
  return {
    groupId: Number(value("id")),
    timestamp: BigInt(value("timestamp")),
    consensusType: value("consensus_type") === "raft" ? "raft" : "pbft",
    sealers: entries
      .filter(([, name]) => name?.startsWith("node."))
      .map(([, , id]) => id as NodeId),
    maxTransactions: Number(value("max_trans_num")),
    gasLimit: BigInt(value("gas_limit")),
    consensusTimeoutSeconds: Number(value("consensus_timeout")),
    freeStorage: value("enable_free_storage") === "true",
  };
}
