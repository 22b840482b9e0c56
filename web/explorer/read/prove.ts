/** Has what the pages show proved: asks the node for proofs, and checks them. */
import type { BlockHeader, Receipt } from "../../../core/client/rpc-objects.ts";
import { loadSuite } from "../../data/chain.ts";
import { takeStep } from "../../data/turn.ts";
import type { Standing } from "../../data/trust.ts";
import {
  type Check,
  checkHeader,
  checkTransaction,
  checkTransactions,
  headerOf,
  signedBy,
  type Told,
} from "./check.ts";
import type { Place } from "./place.tsx";
import type { Executed, WholeBlock } from "./reads.ts";
import { standingOf, trustHere } from "./use-trust.ts";

/** Of which group of which chain. */
type Ground = Pick<Place, "chain" | "reads" | "groupId">;

async function trustAndRules(place: Ground) {
  const { suiteName, version } = place.chain.facts;
  const [trust, suite] = await Promise.all([trustHere(place), loadSuite(suiteName)]);
  return { trust, rules: { suite, version } };
}

/** What came of the checks of a transaction. */
export interface ProvedTransaction {
  readonly checks: readonly Check[];
  /** Undefined where the node gives no proof. */
  readonly told: Told | undefined;
  readonly standing: Standing | undefined;
}

/**
 * Checks a transaction and its receipt as they are shown: the node is asked for the proofs and the
 * header only.
 */
export async function proveTransaction(
  place: Ground,
  { transaction, receipt }: Executed & { readonly receipt: Receipt },
): Promise<ProvedTransaction> {
  const { reads, groupId } = place;
  const { hash, blockNumber } = transaction;
  const [ofTransaction, ofReceipt, header, { trust, rules }] = await Promise.all([
    reads.request("getTransactionByHashWithProof", [groupId, hash]),
    reads.request("getTransactionReceiptByHashWithProof", [groupId, hash]),
    reads.request("getBlockHeaderByNumber", [groupId, Number(blockNumber), true]),
    trustAndRules(place),
  ]);
  if (ofTransaction === null || ofReceipt === null) {
    const missing: Check = { name: "transaction", verdict: "warn", why: undefined };
    return { checks: [missing], told: undefined, standing: await standingOf(trust) };
  }
  const { txProof } = ofTransaction;
  const { receiptProof } = ofReceipt;
  const told = { transaction, receipt, txProof, receiptProof, header };
  const checks = await checkTransaction(told, (it) => trust.certify(it), rules);
  return { checks, told, standing: await standingOf(trust) };
}

/** What came of the checks of a block. */
export interface ProvedBlock {
  readonly checks: readonly Check[];
  readonly header: BlockHeader;
  /** Numbers of the sealers that signed it; undefined where too few signatures verify. */
  readonly signed: ReadonlySet<number> | undefined;
  readonly standing: Standing | undefined;
}

/** Checks a block as it is shown. */
export async function proveBlock(place: Ground, block: WholeBlock): Promise<ProvedBlock> {
  const { trust, rules } = await trustAndRules(place);
  const header = headerOf(block);
  const checks = [
    ...(await checkHeader(header, (it) => trust.certify(it), rules)),
    await checkTransactions(block, rules, takeStep),
  ];
  const hasSeals = checks.some(({ name, verdict }) => name === "seals" && verdict === "good");
  const signed = hasSeals ? signedBy(header, rules) : undefined;
  return { checks, header, signed, standing: await standingOf(trust) };
}
