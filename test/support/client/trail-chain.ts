/** Chains whose sealers come and go, as a node shows them: headers, seals, calls, receipts. */
import type { ReceiptWithProof } from "../../../core/client/told-objects.ts";
import assert from "node:assert/strict";
import { encodeCall } from "../../../core/abi/encode.ts";
import { utf8Bytes } from "../../../core/bytes/byte-string.ts";
import { fromHex, nodeIdOf } from "../../../core/bytes/hex.ts";
import {
  type Address,
  type Hash,
  type NodeId,
  ZERO_ADDRESS,
  ZERO_HASH,
} from "../../../core/bytes/ids.ts";
import { ProofFault, type ProofReason } from "../../../core/client/client-fault.ts";
import type { BlockHeader, Proof, Receipt, Transaction } from "../../../core/client/rpc-objects.ts";
import { CONSENSUS_ADDRESS, sealerChange } from "../../../core/client/sealer-changes.ts";
import type { TrailSource } from "../../../core/client/sealer-trail.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import type { Block } from "../../../core/model/block.ts";
import { genesisHeader } from "../../../core/model/genesis.ts";
import { type Header, headerHash } from "../../../core/model/header.ts";
import { receiptHash } from "../../../core/model/receipt.ts";
import { receiptsRoot, transactionsRoot } from "../../../core/model/roots.ts";
import { itemProof } from "../codecs/proofs.ts";
import { signTransaction, withSender } from "../../../core/model/transaction.ts";
import { NEWEST_VERSION } from "../../../core/model/version.ts";
import {
  presentHeader,
  presentProof,
  presentReceipt,
  presentTransaction,
} from "../../../core/rpc/present.ts";

/** A call of the consensus contract; `refused` ones change nothing. */
export interface RoleCall {
  readonly role: "addSealer" | "addObserver" | "remove";
  readonly name: string;
  readonly refused?: boolean;
  /** Its input ends before it names anybody. */
  readonly cut?: boolean;
}

/** What a block holds, and who makes it. Sealers are named by letters. */
export interface BlockPlan {
  readonly calls?: readonly RoleCall[];
  /** Calls of an ordinary contract next to them. */
  readonly others?: number;
  /** Creations of contracts behind them. */
  readonly creations?: number;
  /** Who signs; a quorum from the end of the list by default: those that came last. */
  readonly signers?: string;
  /** Instead of the list that the blocks before lead to. */
  readonly sealers?: string;
}

/** A block as it is told. */
export interface ToldBlock {
  readonly header: BlockHeader;
  readonly transactions: readonly Transaction[];
  readonly receipts: ReadonlyMap<string, ReceiptWithProof>;
}

const CONTRACT = `0x${"c0de".repeat(10)}` as Address;
const RULES = { version: NEWEST_VERSION };

/** The key of a sealer. */
export function keyOf(name: string, suite: CryptoSuite): Uint8Array {
  return suite.hash(utf8Bytes(`sealer ${name}`));
}

/** The node ID of a sealer. */
export function idOf(name: string, suite: CryptoSuite): NodeId {
  return nodeIdOf(suite.publicKey(keyOf(name, suite)));
}

/** Node IDs of sealers, by the letters of a text. */
export function idsOf(names: string, suite: CryptoSuite): readonly NodeId[] {
  return [...names].map((name) => idOf(name, suite));
}

function inputOf({ role, name, cut }: RoleCall, suite: CryptoSuite): Uint8Array {
  const input = encodeCall(`${role}(string)`, [idOf(name, suite)], suite.hash);
  return cut ? input.subarray(0, 40) : input;
}

function word(value: number): Uint8Array {
  return Uint8Array.from({ length: 32 }, (_, i) => (i === 31 ? value : 0));
}

function bodyOf(number: number, plan: BlockPlan, suite: CryptoSuite) {
  const { calls = [], others = 0, creations = 0 } = plan;
  const key = keyOf("sender", suite);
  const from = suite.address(suite.publicKey(key));
  const inputs = [
    ...calls.map((call) => ({ to: CONSENSUS_ADDRESS as Address, input: inputOf(call, suite) })),
    ...Array.from({ length: others }, () => ({ to: CONTRACT, input: utf8Bytes("do") })),
    ...Array.from({ length: creations }, () => ({ to: null, input: utf8Bytes("code") })),
  ];
  const transactions = inputs.map(({ to, input }, i) => {
    const fields = {
      nonce: BigInt(number * 1_000 + i),
      gasPrice: 1n,
      gas: 300_000n,
      blockLimit: 500n,
      to,
      value: 0n,
      input,
      chainId: 1n,
      groupId: 1n,
      extraData: new Uint8Array(0),
    };
    return withSender(signTransaction(fields, key, suite), from);
  });
  const receipts = inputs.map((_, i) => ({
    root: ZERO_HASH,
    gasUsed: 21_000n,
    contractAddress: ZERO_ADDRESS,
    logsBloom: new Uint8Array(256),
    status: 0,
    output: word(calls[i]?.refused ? 0 : 1),
    remainGas: 0n,
    logs: [],
  }));
  return { transactions, receipts };
}

/** Told hashes, proofs and places of a block's items. */
function toldItems(
  block: Body,
  place: { blockHash: Hash; blockNumber: number },
  suite: CryptoSuite,
) {
  const hashes = block.receipts.map((it) => receiptHash(it, NEWEST_VERSION, suite));
  const located = block.transactions.map((transaction, index) => ({
    transaction,
    ...place,
    index,
  }));
  const receipts = located.map((it, index): [string, ReceiptWithProof] => {
    const receipt = block.receipts[index];
    if (receipt === undefined) throw new RangeError("a receipt for each");
    const told = {
      transactionReceipt: presentReceipt({ ...it, receipt }) as unknown as Receipt,
      receiptProof: presentProof(itemProof(hashes, index, suite)) as unknown as Proof,
    };
    return [it.transaction.hash, told];
  });
  return {
    transactions: located.map((it) => presentTransaction(it) as unknown as Transaction),
    receipts: new Map(receipts),
  };
}

type Body = ReturnType<typeof bodyOf>;

function quorumFromTheEnd(list: string): string {
  return list.slice(Math.floor((list.length - 1) / 3));
}

function after(list: string, calls: readonly RoleCall[]): string {
  let names = list;
  for (const { role, name, refused } of calls) {
    if (refused) continue;
    names = names.replace(name, "");
    if (role === "addSealer") names += name;
  }
  return names;
}

/** A chain that a node reports. */
export class TrailChain {
  readonly suite: CryptoSuite;
  /** By number. */
  readonly blocks: ToldBlock[] = [];
  /** The same as a ledger holds them. */
  readonly models: Block[] = [];
  /** Letters of the sealers of the next block. */
  names: string;

  constructor(suite: CryptoSuite, names: string, mark = "1") {
    this.suite = suite;
    this.names = names;
    const list = idsOf(names, suite).map((id) => `${id},`);
    const text = `${mark}-${list.join("")}-pbft-storage-0-1000-300000000-3`;
    const header = genesisHeader(text, 1_600_000_000_000n);
    this.#add(header, { transactions: [], receipts: [] }, "");
  }

  /** A chain that is the same up to a block. */
  branch(number: number, names: string): TrailChain {
    const other = new TrailChain(this.suite, names);
    other.blocks.splice(0, Number.POSITIVE_INFINITY, ...this.blocks.slice(0, number + 1));
    other.models.splice(0, Number.POSITIVE_INFINITY, ...this.models.slice(0, number + 1));
    return other;
  }

  /** Adds a block. */
  add(plan: BlockPlan = {}): this {
    const { suite } = this;
    const names = plan.sealers ?? this.names;
    const parent = this.blocks.at(-1)?.header;
    const number = this.blocks.length;
    const body = bodyOf(number, plan, suite);
    const hashes = body.receipts.map((it) => receiptHash(it, NEWEST_VERSION, suite));
    const raw = new Uint8Array(0);
    const header: Header = {
      ...genesisHeader("", 1_600_000_000_000n + BigInt(number)),
      parentHash: (parent?.hash ?? ZERO_HASH) as Hash,
      number,
      extraData: [],
      sealerList: [...idsOf(names, suite)].sort(),
      transactionsRoot: transactionsRoot(body.transactions, { ...RULES, suite }),
      receiptsRoot: receiptsRoot(
        hashes.map((hash) => ({ raw, hash })),
        { ...RULES, suite },
      ),
    };
    this.#add(header, body, plan.signers ?? quorumFromTheEnd(names));
    this.names = after(names, plan.calls ?? []);
    return this;
  }

  /** Adds blocks of ordinary transactions. */
  grow(count: number): this {
    for (let i = 0; i < count; i++) this.add({ others: 1 });
    return this;
  }

  #add(header: Header, body: Body, signers: string): void {
    const { suite } = this;
    const hash = headerHash(header, suite);
    const digest = fromHex(hash) ?? new Uint8Array(0);
    const seals = [...signers].map((name) => ({
      index: header.sealerList.indexOf(idOf(name, suite)),
      signature: suite.sign(digest, keyOf(name, suite)),
    }));
    const told = toldItems(body, { blockHash: hash, blockNumber: header.number }, suite);
    const shown = presentHeader({ header, hash, seals }, true) as unknown as BlockHeader;
    this.blocks.push({ header: shown, ...told });
    this.models.push({ header, hash, seals, ...body });
  }

  /** The header of a number. */
  header(number: number): BlockHeader {
    const block = this.blocks[number];
    if (block === undefined) throw new RangeError(`no block ${number}`);
    return block.header;
  }
}

/** What was asked of a node. */
export interface Asked {
  headers: number;
  blocks: number;
}

/** The chain as a source that counts; `chain` may be replaced on the way. */
export function chainSource(told: { chain: TrailChain }): TrailSource & { readonly asked: Asked } {
  const asked = { headers: 0, blocks: 0 };
  return {
    asked,
    header: async (number) => {
      asked.headers++;
      return told.chain.header(number);
    },
    changes: async (header, before) => {
      asked.blocks++;
      const block = told.chain.blocks[header.number];
      if (block === undefined) return undefined;
      return sealerChange({ ...block, header }, before, { ...RULES, suite: told.chain.suite });
    },
  };
}

/** What a proof is refused for. */
export async function refuses(work: Promise<unknown>, reason: ProofReason): Promise<void> {
  await assert.rejects(work, (fault: unknown) => {
    assert.ok(fault instanceof ProofFault, String(fault));
    assert.equal(fault.reason, reason, fault.message);
    return true;
  });
}
