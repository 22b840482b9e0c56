/** Blocks to execute, from recorded ledgers or from recorded requests and receipts alone. */
import assert from "node:assert/strict";
import { hexBytes } from "../../core/bytes/hex.ts";
import { type Address, type Hash, type NodeId, ZERO_HASH } from "../../core/bytes/ids.ts";
import { EMPTY_BLOOM } from "../../core/crypto/bloom.ts";
import type { CryptoSuite } from "../../core/crypto/suite.ts";
import type { GenesisConfig } from "../../core/model/config.ts";
import { transactionsRoot } from "../../core/model/roots.ts";
import { decodeTransaction } from "../../core/model/transaction.ts";
import type { Version } from "../../core/model/version.ts";
import { type ReplayFiles, replayBlocks } from "../support/ledger/replay.ts";
import { type Exchange, get, methodOf, paramsOf, parse } from "./exchange.ts";
import type { PlannedBlock } from "./moving-chain.ts";

/** All blocks of a recorded ledger, and the hash of its genesis block. */
export function blocksOfLedger(files: ReplayFiles, suite: CryptoSuite) {
  const [genesis, ...blocks] = replayBlocks(files, suite);
  assert.ok(genesis);
  return {
    genesisHash: genesis.expected.hash,
    blocks: blocks.map(({ number, request, seals, expected }): PlannedBlock => {
      return { number, request, seals, hash: expected.hash, isWhole: true };
    }),
  };
}

/** What the blocks of a group without a recorded ledger need besides its exchanges. */
export interface GroupRules {
  readonly suite: CryptoSuite;
  readonly version: Version;
  readonly genesis: GenesisConfig;
}

/** Blocks of a group that had one transaction in each, in order. */
export function blocksOfExchanges(exchanges: readonly Exchange[], rules: GroupRules) {
  const raws = new Map<string, Uint8Array>();
  const blocks = new Map<number, PlannedBlock>();
  const headers = recordedHeaders(exchanges);
  for (const exchange of exchanges) {
    const result = get(parse(exchange.response.body ?? ""), "result");
    if (methodOf(exchange) === "sendRawTransaction") {
      raws.set(String(result), hexBytes(String(paramsOf(exchange)[1])));
    }
    if (methodOf(exchange) !== "getTransactionReceipt" || !result) continue;
    const raw = raws.get(String(get(result, "transactionHash")));
    const number = Number(get(result, "blockNumber"));
    assert.ok(raw, exchange.case);
    const hash = get(result, "blockHash") as Hash;
    const from = get(result, "from") as Address;
    blocks.set(number, plannedBlock({ number, raw, hash, from }, headers.get(number), rules));
  }
  const sorted = [...blocks.values()].sort((left, right) => left.number - right.number);
  for (const [index, { number }] of sorted.entries())
    assert.equal(number, index + 1, "blocks without a gap");
  return sorted;
}

/** Blocks that were listed, by number. */
function recordedHeaders(exchanges: readonly Exchange[]): ReadonlyMap<number, object> {
  const listed = exchanges.filter((it) => methodOf(it) === "getBlockByNumber");
  const results = listed.map((it) => get(parse(it.response.body ?? ""), "result"));
  const found = results.filter((it) => typeof it === "object" && it !== null) as object[];
  return new Map(found.map((it) => [Number(get(it, "number")), it]));
}

interface Sent {
  readonly number: number;
  readonly raw: Uint8Array;
  readonly hash: Hash;
  readonly from: Address;
}

/** A block with one transaction; without its header, a time and a sealer are made up. */
export function plannedBlock(
  { number, raw, hash, from }: Sent,
  header: object | undefined,
  { suite, version, genesis }: GroupRules,
): PlannedBlock {
  const decoded = decodeTransaction(raw, suite);
  assert.ok(decoded.ok);
  const items = [{ raw, hash: decoded.transaction.hash }];
  const proposed = {
    parentHash: ZERO_HASH,
    stateRoot: ZERO_HASH,
    transactionsRoot: transactionsRoot(items, { version, suite }),
    receiptsRoot: ZERO_HASH,
    dbHash: ZERO_HASH,
    logsBloom: EMPTY_BLOOM,
    number,
    gasLimit: 0n,
    gasUsed: 0n,
    timestamp: header === undefined ? BigInt(number) : BigInt(String(get(header, "timestamp"))),
    extraData: [],
    sealer: header === undefined ? 0 : Number(get(header, "sealer")),
    sealerList:
      header === undefined ? genesis.sealers : (get(header, "sealerList") as readonly NodeId[]),
  };
  return {
    number,
    request: {
      header: proposed,
      transactions: [raw],
      hashes: items.map((it) => it.hash),
      senders: [from],
    },
    seals: [],
    hash,
    isWhole: header !== undefined,
  };
}
