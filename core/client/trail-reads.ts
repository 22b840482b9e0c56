/** What a trail of sealers asks a node for, and how a client begins one. */
import type { CryptoSuite } from "../crypto/suite.ts";
import { type ChainView, toldNumber } from "./chain-view.ts";
import { ProofFault } from "./client-fault.ts";
import type { TypedRequest } from "./rpc-methods.ts";
import type { BlockHeader, Hex } from "./rpc-objects.ts";
import type { NumberText } from "./rpc-schema.ts";
import { callsConsensus, sealerChange } from "./sealer-changes.ts";
import { type KeptTrail, SealerTrail, type TrailSource } from "./sealer-trail.ts";
import {
  lacksRemainGas,
  toldHeader,
  toldList,
  toldMembers,
  toldReceipt,
  toldReceiptWithProof,
  type ToldReceiptWithProof,
  toldTransaction,
  type ReceiptWithProof,
  type ProofRules,
} from "./told-objects.ts";

/** Blocks with more transactions are not looked into for changes. */
const MOST_TRANSACTIONS = 1_000;
/** Nor are those with more calls of the consensus contract. */
const MOST_CALLS = 64;

/** What is asked, and of which group. */
interface TrailReads {
  readonly request: TypedRequest;
  readonly groupId: number;
}

/** A header of the node with its signatures. @throws ProofFault when the answer is none */
export async function askHeader(
  { request, groupId }: TrailReads,
  number: NumberText,
): Promise<BlockHeader> {
  return toldHeader(await request("getBlockHeaderByNumber", [groupId, number, true]));
}

/**
 * A receipt with its proof, and with the gas that remained where its hash covers it; null when the
 * node knows of none.
 *
 * @throws ProofFault
 */
export async function askReceiptWithProof(
  { request, groupId }: TrailReads,
  hash: Hex,
  rules: ProofRules,
): Promise<ToldReceiptWithProof | null> {
  const told = await request("getTransactionReceiptByHashWithProof", [groupId, hash]);
  if (told === null) return null;
  const answer = toldReceiptWithProof(told, rules);
  if (!lacksRemainGas(told, rules)) return answer;
  const plain = toldReceipt(await request("getTransactionReceipt", [groupId, hash]), rules);
  const transactionReceipt = { ...answer.transactionReceipt, remainGas: plain.remainGas };
  return { ...answer, transactionReceipt };
}

/** The source of a trail over requests; `rules` is asked when a block is looked into. */
export function trailSource(reads: TrailReads, rules: () => Promise<ProofRules>): TrailSource {
  const { request, groupId } = reads;
  return {
    header: (number) => askHeader(reads, number),
    async changes(header, before) {
      const params = [groupId, header.number, true] as const;
      const block = toldMembers(await request("getBlockByNumber", params), "a block");
      const list = toldList(block["transactions"], "transactions of a block");
      if (list.length > MOST_TRANSACTIONS) return undefined;
      const known = await rules();
      const transactions = list.map((it) => toldTransaction(it, known.suite));
      const calls = transactions.filter(callsConsensus);
      if (calls.length > MOST_CALLS) return undefined;
      const receipts = new Map<string, ReceiptWithProof>();
      for (const { hash } of calls) {
        const receipt = await askReceiptWithProof(reads, hash, known);
        if (receipt !== null) receipts.set(hash, receipt);
      }
      return sealerChange({ header, transactions, receipts }, before, known);
    },
  };
}

/** What hashes of a chain depend on. */
export async function rulesOf({ suite, view }: RulesSource): Promise<ProofRules> {
  return { suite, version: (await view.facts()).version };
}

/** What a client trusts before it has seen anything of a chain. */
export type TrailRoot =
  /** Those who seal now, or sealed a block. */
  | { readonly sealers: readonly string[]; readonly blockNumber?: number }
  /** The hash of block 0, which names the first sealers. */
  | { readonly genesisHash: Hex }
  /** What an earlier trail has found. */
  | KeptTrail;

/** Where the rules of a chain are known from. */
interface RulesSource {
  readonly suite: CryptoSuite;
  readonly view: ChainView;
}

/** What trails and checked reads of a client are made with. */
export interface FollowParts extends TrailReads, RulesSource {}

/**
 * Begins a trail, or goes on with one that was kept.
 *
 * @throws ProofFault when the node does not show the chain that is trusted
 */
export async function followSealers(root: TrailRoot, parts: FollowParts): Promise<SealerTrail> {
  const { suite, request, groupId } = parts;
  const source = trailSource(parts, () => rulesOf(parts));
  if ("steps" in root) return new SealerTrail(root, { suite, source });
  const genesis = await source.header(0);
  if ("genesisHash" in root) {
    const trail = SealerTrail.fromGenesis(genesis, { suite, source });
    if (trail.genesisHash === root.genesisHash.toLowerCase()) return trail;
    throw new ProofFault("fork", `the first block is ${genesis.hash}, not ${root.genesisHash}`);
  }
  const height = async () =>
    toldNumber(await request("getBlockNumber", [groupId]), "getBlockNumber");
  const number = root.blockNumber ?? Number(await height());
  if (!(number > 0)) {
    throw new ProofFault("seals", "block 0 has no signatures: trust its hash instead");
  }
  const header = await source.header(number);
  return await SealerTrail.fromSealers({ genesis, header }, root.sealers, { suite, source });
}
