/** Transactions that a walk down the blocks has met, with a button to walk on. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { failureText } from "../failure.ts";
import { numberText } from "../format.ts";
import { Button } from "../parts/button.tsx";
import { Problem } from "../parts/problem.tsx";
import { Told } from "../parts/proof-mark.tsx";
import { VirtualList } from "../parts/virtual-list.tsx";
import { text } from "../texts.ts";
import { usePlace } from "./read/place.tsx";
import { TransactionHead, TransactionRow } from "./transaction-list.tsx";
import { type Met, type Walk, walkOn } from "./read/walk.ts";

const ROW_HEIGHT = 42;
const SHOW_EVERY_MS = 250;

interface WalkedListProps {
  /** Names it: another one begins anew. */
  readonly id: string;
  readonly wants: (met: Met) => boolean;
  /** Height to begin at. */
  readonly from: number;
  readonly label: string;
  /** Said when nothing was met. */
  readonly empty: string;
}

interface WalkState {
  readonly walk: Walk;
  readonly isWalking: boolean;
  readonly failure: string | undefined;
}

/** A walk that can be stopped and gone on with. */
function useWalk({ id, wants, from }: WalkedListProps) {
  const { reads } = usePlace();
  const start: WalkState = { walk: { next: from, met: [] }, isWalking: false, failure: undefined };
  const [state, setState] = useState<WalkState>(start);
  const running = useRef<AbortController | undefined>(undefined);
  const go = useCallback(
    async (walk: Walk) => {
      running.current?.abort();
      const controller = new AbortController();
      running.current = controller;
      const { signal } = controller;
      let shownAt = performance.now();
      const show = (next: WalkState) => !signal.aborted && setState(next);
      let last = walk;
      const onStep = (now: Walk) => {
        last = now;
        if (performance.now() - shownAt < SHOW_EVERY_MS) return;
        shownAt = performance.now();
        show({ walk: now, isWalking: true, failure: undefined });
      };
      show({ walk, isWalking: true, failure: undefined });
      try {
        const done = await walkOn(reads, walk, { wants, onStep, signal });
        show({ walk: done, isWalking: false, failure: undefined });
      } catch (cause) {
        show({ walk: last, isWalking: false, failure: failureText(cause) });
      }
    },
    [reads, wants],
  );
  // Another id begins anew.
  useEffect(() => {
    void go({ next: from, met: [] });
    return () => running.current?.abort();
  }, [id, reads]);
  const stop = () => {
    running.current?.abort();
    setState({ ...state, isWalking: false });
  };
  return { state, go: () => void go(state.walk), stop };
}

/** The list. */
export function WalkedList(props: WalkedListProps) {
  const { state, go, stop } = useWalk(props);
  const { walk, isWalking, failure } = state;
  const { met, next } = walk;
  return (
    <Told>
      {met.length > 0 && (
        <VirtualList
          count={met.length}
          rowHeight={ROW_HEIGHT}
          label={props.label}
          height={`min(calc(100vh - 290px), ${(met.length + 1) * ROW_HEIGHT + 8}px)`}
          head={<TransactionHead withBlock />}
          row={(index) => {
            const line = met[index];
            return line === undefined ? null : <TransactionRow line={line} />;
          }}
        />
      )}
      {met.length === 0 && !isWalking && failure === undefined && (
        <p class="empty">{props.empty}</p>
      )}
      <Problem>{failure}</Problem>
      <p class="walk" aria-live="polite">
        <span class="soft">
          {next < 0
            ? text("explorer.walk.all")
            : text(isWalking ? "explorer.walk.at" : "explorer.walk.to", {
                number: numberText(Math.max(0, isWalking ? next : next + 1)),
              })}
        </span>{" "}
        {isWalking && <Button says="explorer.walk.stop" onClick={stop} />}
        {!isWalking && next >= 0 && <Button says="explorer.walk.on" onClick={go} />}
      </p>
    </Told>
  );
}
