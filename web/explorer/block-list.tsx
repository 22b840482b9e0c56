/** Lists of blocks: all of a group, of which only what is on the screen is asked for. */
import { useCallback, useEffect, useReducer, useRef } from "preact/hooks";
import { HashText } from "../parts/hash-text.tsx";
import { VirtualList } from "../parts/virtual-list.tsx";
import { numberText } from "../format.ts";
import { text } from "../texts.ts";
import { placeOf } from "./read/addresses.ts";
import { NodeText, Time, usePlace } from "./read/place.tsx";
import type { ChainReads } from "./read/reads.ts";

const ROW_HEIGHT = 42;
/** Questions that run at once: what has left the screen meanwhile is not asked for. */
const MOST_RUNNING = 6;
/** What a node did not answer is asked for again after a while. */
const RETRY_MS = 3_000;

/** Asks for the blocks that are on the screen. */
class BlockFetcher {
  readonly #reads: ChainReads;
  readonly #tell: () => void;
  readonly #running = new Set<number>();
  readonly #failedAt = new Map<number, number>();
  #first = 0;
  #last = -1;
  #isOver = false;

  constructor(reads: ChainReads, tell: () => void) {
    this.#reads = reads;
    this.#tell = tell;
  }

  /** The numbers that are wanted now. */
  want(first: number, last: number): void {
    this.#first = first;
    this.#last = last;
    this.#go();
  }

  stop(): void {
    this.#isOver = true;
  }

  #next(): number | undefined {
    const now = performance.now();
    for (let number = this.#last; number >= this.#first; number--) {
      if (this.#reads.known(number) !== undefined || this.#running.has(number)) continue;
      if (now - (this.#failedAt.get(number) ?? Number.NEGATIVE_INFINITY) > RETRY_MS) return number;
    }
    return undefined;
  }

  #go(): void {
    while (!this.#isOver && this.#running.size < MOST_RUNNING) {
      const number = this.#next();
      if (number === undefined) return;
      this.#running.add(number);
      this.#reads
        .summary(number)
        .then(
          () => this.#failedAt.delete(number),
          () => {
            this.#failedAt.set(number, performance.now());
            setTimeout(() => this.#go(), RETRY_MS + 1);
          },
        )
        .finally(() => {
          this.#running.delete(number);
          if (!this.#isOver) this.#tell();
          this.#go();
        });
    }
  }
}

/** Renders again, at most once per frame. */
function useRedraw(): () => void {
  const [, redraw] = useReducer((count: number, _: undefined) => count + 1, 0);
  const asked = useRef(false);
  return useCallback(() => {
    if (asked.current) return;
    asked.current = true;
    requestAnimationFrame(() => {
      asked.current = false;
      redraw(undefined);
    });
  }, []);
}

function useFetcher(reads: ChainReads) {
  const redraw = useRedraw();
  const fetcher = useRef<BlockFetcher | undefined>(undefined);
  const owner = useRef<ChainReads | undefined>(undefined);
  if (owner.current !== reads) {
    fetcher.current?.stop();
    fetcher.current = new BlockFetcher(reads, redraw);
    owner.current = reads;
  }
  useEffect(() => () => fetcher.current?.stop(), []);
  return fetcher;
}

function BlockRow({ number }: { readonly number: number }) {
  const { groupId, reads } = usePlace();
  const block = reads.known(number);
  return (
    <div class="block-row">
      <a class="numeric" href={placeOf(groupId, "block", String(number))}>
        {numberText(number)}
      </a>
      {block === undefined ? (
        <span class="soft">…</span>
      ) : (
        <>
          <Time at={block.time} short />
          <span class="numeric">
            {text("explorer.block.count", { count: numberText(block.transactions) })}
          </span>
          <span class="wide">{block.sealer && <NodeText id={block.sealer} plain />}</span>
          <span class="wide">
            <HashText value={block.hash} plain />
          </span>
        </>
      )}
    </div>
  );
}

function BlockHead() {
  return (
    <div class="block-row head" aria-hidden="true">
      <span class="numeric">{text("explorer.block")}</span>
      <span>{text("explorer.time")}</span>
      <span class="numeric">{text("explorer.tx.short")}</span>
      <span class="wide">{text("explorer.sealer")}</span>
      <span class="wide">{text("explorer.hash")}</span>
    </div>
  );
}

/** All blocks of the group, the latest first. */
export function BlockList({ height }: { readonly height: number }) {
  const { reads } = usePlace();
  const fetcher = useFetcher(reads);
  const onVisible = useCallback(
    (first: number, last: number) => fetcher.current?.want(height - last, height - first),
    [height, fetcher],
  );
  return (
    <VirtualList
      count={height + 1}
      rowHeight={ROW_HEIGHT}
      label={text("explorer.page.blocks")}
      head={<BlockHead />}
      growsAtTop
      height="max(300px, calc(100vh - 250px))"
      onVisible={onVisible}
      row={(index) => <BlockRow number={height - index} />}
    />
  );
}

/** The latest few blocks. */
export function LatestBlocks(props: { readonly height: number; readonly count: number }) {
  const { height, count } = props;
  const { reads } = usePlace();
  const fetcher = useFetcher(reads);
  const last = Math.max(0, height - count + 1);
  useEffect(() => fetcher.current?.want(last, height), [height, last, fetcher]);
  const numbers = Array.from({ length: height - last + 1 }, (_, i) => height - i);
  return (
    <ul class="latest">
      {numbers.map((number) => (
        <li key={number}>
          <BlockRow number={number} />
        </li>
      ))}
    </ul>
  );
}
