/** The fewest transactions that still show a difference, by delta debugging. */
import type { OracleBlock, OracleTransaction } from "./oracle-process.ts";

/** Examines most; each records a ledger and replays it. */
const MOST_LOOKS = 600;

/** Whether these blocks still show it. */
export type Shows = (blocks: readonly OracleBlock[]) => Promise<boolean>;

interface Placed {
  readonly block: number;
  readonly transaction: OracleTransaction;
}

function blocksOf(placed: readonly Placed[], count: number): readonly OracleBlock[] {
  return Array.from({ length: count }, (_, block) => ({
    txs: placed.filter((it) => it.block === block).map(({ transaction }) => transaction),
  }));
}

/** Takes parts of transactions away as long as the rest shows the difference. */
export async function reduceBlocks(
  blocks: readonly OracleBlock[],
  shows: Shows,
): Promise<readonly OracleBlock[]> {
  let looks = 0;
  let kept: readonly Placed[] = blocks.flatMap(({ txs }, block) =>
    txs.map((transaction) => ({ block, transaction })),
  );
  // From the end: what comes last seldom matters to what came before.
  const sweep = async (size: number): Promise<boolean> => {
    const before = kept.length;
    for (let end = kept.length; end > 0 && looks < MOST_LOOKS; end -= size) {
      const rest = [...kept.slice(0, Math.max(0, end - size)), ...kept.slice(end)];
      looks += 1;
      if (rest.length > 0 && (await shows(blocksOf(rest, blocks.length)))) kept = rest;
    }
    return kept.length < before;
  };
  for (let size = Math.ceil(kept.length / 2); size > 1; size = Math.ceil(size / 2))
    await sweep(size);
  while (await sweep(1));
  return withoutEmpty(blocksOf(kept, blocks.length), shows);
}

/** Numbers of blocks count for some rules: empty ones go only where that changes nothing. */
async function withoutEmpty(
  blocks: readonly OracleBlock[],
  shows: Shows,
): Promise<readonly OracleBlock[]> {
  const full = blocks.filter(({ txs }) => txs.length > 0);
  return (await shows(full)) ? full : blocks;
}
