/**
 * Group 2 of the recorded chain, which ran Raft: its ledger was not recorded, but single answers
 * show block 2 whole and where its head stood. Hashes and roots of that block are recomputed.
 */
import assert from "node:assert/strict";
import { EMPTY_BYTES } from "../../core/bytes/bytes.ts";
import type { Hash, NodeId } from "../../core/bytes/ids.ts";
import { EMPTY_BLOOM } from "../../core/crypto/bloom.ts";
import { toPrefixedHex } from "../../core/bytes/hex.ts";
import { encodeReceipt, receiptHash } from "../../core/model/receipt.ts";
import { receiptsRoot } from "../../core/model/roots.ts";
import { decodeTransaction } from "../../core/model/transaction.ts";
import { NEWEST_VERSION } from "../../core/model/version.ts";
import type { GroupApi } from "../../core/api/node-api.ts";
import type { LedgerApi, LocatedReceipt } from "../../core/ports/ledger.ts";
import { dataGroup } from "../support/data-node.ts";
import { recordedBlock } from "../support/ledger/recorded-ledger.ts";
import { get, methodOf, paramsOf, parse, readExchanges } from "./exchange.ts";
import { STANDARD_SUITE as suite } from "../support/suites.ts";

const GROUP = 2;

/** What a method answered for the group. */
function factOf(method: string): unknown {
  const found = readExchanges(`methods/${method}.jsonl`).find(
    (it) => methodOf(it) === method && paramsOf(it)[0] === GROUP,
  );
  assert.ok(found, method);
  return get(parse(found.response.body ?? ""), "result");
}

/** Block 2 with its one transaction; the receipt must have the root of the header. */
function secondBlock() {
  const header = factOf("getBlockHeaderByNumber") as object;
  const [listed] = get(factOf("getBatchReceiptsByBlockNumberAndRange"), "transactionReceipts") as [
    object,
  ];
  const unlisted = {
    root: get(header, "stateRoot"),
    logsBloom: toPrefixedHex(EMPTY_BLOOM),
    remainGas: "0x0",
  };
  const block = recordedBlock({
    number: 2,
    header,
    block: { transactions: [factOf("getTransactionByBlockNumberAndIndex")] },
    receipts: [{ ...listed, ...unlisted }],
  });
  const items = block.receipts.map((receipt) => ({
    raw: encodeReceipt(receipt, NEWEST_VERSION),
    hash: receiptHash(receipt, NEWEST_VERSION, suite),
  }));
  const root = receiptsRoot(items, { version: NEWEST_VERSION, suite });
  assert.equal(root, block.header.receiptsRoot, "receipts root of block 2");
  return block;
}

/** The group on a node; the contract of its block 2 is the one that group 1 has there, too. */
export function raftGroup(nodeId: NodeId, code: LedgerApi["code"]): GroupApi {
  const ledger = ledgerOf(code);
  const status = get(factOf("getConsensusStatus"), "0");
  const sealers = [...(factOf("getGroupPeers") as readonly NodeId[])].sort();
  const head = ledger.head();
  return dataGroup(ledger, {
    groupId: GROUP,
    consensusType: "raft",
    consensusStatus: () => ({
      kind: "raft",
      accountType: 1,
      cfgErr: false,
      consensusedBlockNumber: head.number + 1,
      highestblockHash: head.hash,
      highestblockNumber: head.number,
      leader: {
        nodeId: get(status, "leaderId") as NodeId,
        index: Number(get(status, "leaderIdx")),
      },
      maxFaultyLeader: Math.floor((sealers.length - 1) / 2),
      nodeIndex: sealers.indexOf(nodeId),
      sealers,
      term: 1,
      role: "leader",
    }),
    syncStatus: () => ({
      isSyncing: false,
      knownHighestNumber: head.number,
      knownLatestHash: head.hash,
      peers: sealers
        .filter((it) => it !== nodeId)
        .map((it) => ({
          nodeId: it,
          number: head.number,
          genesisHash: ledger.genesisHash(),
          latestHash: head.hash,
        })),
    }),
    submit: async (raw) => {
      const decoded = decodeTransaction(raw, suite);
      assert.ok(!decoded.ok, "only broken bytes were sent to the group");
      return { ok: false, refusal: "undecodable", reason: decoded.reason };
    },
  });
}

function ledgerOf(code: LedgerApi["code"]): LedgerApi {
  const sync = factOf("getSyncStatus");
  const totals = factOf("getTotalTransactionCount");
  const block = secondBlock();
  const [transaction] = block.transactions;
  const [receipt] = block.receipts;
  assert.ok(transaction && receipt);
  const located: LocatedReceipt = {
    transaction,
    receipt,
    blockHash: block.hash,
    blockNumber: 2,
    index: 0,
  };
  const head = {
    number: Number(get(sync, "blockNumber")),
    hash: `0x${String(get(sync, "latestHash"))}` as Hash,
  };
  const ofBlock = <T>(hash: Hash, value: T): T | undefined =>
    hash === block.hash ? value : undefined;
  const ofTransaction = (hash: Hash) => (hash === transaction.hash ? located : undefined);
  return {
    head: () => head,
    genesisHash: () => `0x${String(get(sync, "genesisHash"))}` as Hash,
    hashOf: async (number) => ({ 2: block.hash, [head.number]: head.hash })[number],
    header: async (hash) => ofBlock(hash, block),
    block: async (hash) => ofBlock(hash, block),
    transactionAt: async (hash, index) => (index === 0 ? ofBlock(hash, located) : undefined),
    transaction: async (hash) => ofTransaction(hash),
    receipt: async (hash) => ofTransaction(hash),
    transactionProof: async () => [],
    receiptProof: async () => [],
    totals: async () => ({
      number: head.number,
      transactions: BigInt(String(get(totals, "txSum"))),
      failed: BigInt(String(get(totals, "failedTxSum"))),
    }),
    systemConfig: async (key) => (key === "tx_count_limit" ? "1000" : undefined),
    code: async (address) => (address === transaction.to ? code(address) : EMPTY_BYTES),
    sealers: async () => factOf("getGroupPeers") as readonly NodeId[],
    observers: async () => factOf("getObserverList") as readonly NodeId[],
  };
}
