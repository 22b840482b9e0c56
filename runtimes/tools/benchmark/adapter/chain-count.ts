/** What the chain itself counted of a round. */
import type { ChainCount } from "../../../shared/benchmark/round-result.ts";
import type { Chain } from "./chain.ts";

/** A moment of the chain. */
export interface ChainMoment {
  readonly block: number;
  readonly transactions: number;
}

interface Told {
  readonly blockNumber: string;
  readonly txSum: string;
}

/** Blocks of the chain's group, transactions of all its groups; undefined when no node answers. */
export async function chainMoment(chain: Chain): Promise<ChainMoment | undefined> {
  const own = await groupMoment(chain, chain.groupId);
  let transactions = own?.transactions ?? 0;
  for (const groupId of chain.groupIds) {
    if (groupId === chain.groupId) continue;
    const further = await groupMoment(chain, groupId);
    if (further === undefined) return undefined;
    transactions += further.transactions;
  }
  return own && { block: own.block, transactions };
}

/** By the node that is ahead: a receipt is known as soon as one node has the block. */
async function groupMoment({ lanes }: Chain, groupId: number): Promise<ChainMoment | undefined> {
  const call = { method: "getTotalTransactionCount", params: [groupId] };
  const answers = await Promise.all(
    lanes.map((lane) => lane.request(call).catch(() => undefined) as Promise<Told | undefined>),
  );
  const moments = answers.flatMap((told) =>
    told ? [{ block: Number(told.blockNumber), transactions: Number(told.txSum) }] : [],
  );
  return moments.sort((a, b) => b.block - a.block)[0];
}

/** What happened between two moments. */
export function countBetween(
  before: ChainMoment | undefined,
  after: ChainMoment | undefined,
): ChainCount | null {
  if (before === undefined || after === undefined) return null;
  return {
    firstBlock: before.block + 1,
    lastBlock: after.block,
    transactions: after.transactions - before.transactions,
  };
}
