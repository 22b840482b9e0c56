/**
 * Goes through a store while its group runs, again and again: slowly, so that no caller waits for
 * it.
 * Source: decision 30
 */
import { StoreFault } from "../../../core/fault/store-fault.ts";
import type { StorePassView } from "../../../core/ports/store.ts";
import type { PassPage } from "./store-pass.ts";

/** A node that starts has other work first. */
const BEGIN_MS = 2_000;
/** A page is followed by a pause of this many times its length: a hundredth of one processor. */
const REST = 99;
/** Between two passes, and while an older store is brought up to checksums. */
const BETWEEN_MS = 60 * 60 * 1000;
const UNSEALED_MS = 10_000;

/** Waits this many ms; rejects when the signal says so. A process does not stay for it. */
export type Pause = (ms: number, signal: AbortSignal) => Promise<unknown>;

/** What is gone through. */
export interface PassedStore {
  readonly isSealed: boolean;
  pass(): AsyncGenerator<PassPage>;
}

/** The pauses of a pass; others than those of a node are for tests. */
export interface PassPace {
  /** Before the first one. */
  readonly beginMs?: number;
  /** After a page, as a multiple of the time that it took. */
  readonly rest?: number;
  /** Between two passes. */
  readonly betweenMs?: number;
}

/** How a pass is run. */
export interface BackgroundPassOptions extends PassPace {
  readonly pause: Pause;
  /** Takes what is wrong first; the pass ends with it. */
  readonly onDamage: (fault: StoreFault) => void;
}

/** A look through a store that goes on. */
export interface BackgroundPass {
  view(): StorePassView;
  /** Resolves when nothing is read any more. */
  stop(): Promise<void>;
}

/** Goes on until it is stopped. */
export function passInBackground(
  store: PassedStore,
  options: BackgroundPassOptions,
): BackgroundPass {
  const { onDamage, pause, beginMs = BEGIN_MS, rest = REST, betweenMs = BETWEEN_MS } = options;
  const ended = new AbortController();
  const { signal } = ended;
  let view: StorePassView = { passes: 0, bytes: 0, endedMs: undefined };
  const sleep = (ms: number) => pause(ms, signal);

  async function once(): Promise<void> {
    let start = performance.now();
    for await (const { bytes } of store.pass()) {
      view = { ...view, bytes: view.bytes + bytes };
      await sleep((performance.now() - start) * rest);
      start = performance.now();
    }
    view = { passes: view.passes + 1, bytes: 0, endedMs: Date.now() };
  }

  async function run(): Promise<void> {
    await sleep(beginMs);
    while (!signal.aborted) {
      if (store.isSealed) await once();
      await sleep(store.isSealed ? betweenMs : UNSEALED_MS);
    }
  }

  const done = run().catch((cause: unknown) => {
    if (signal.aborted) return;
    if (!(cause instanceof StoreFault)) throw cause;
    onDamage(cause);
  });
  return {
    view: () => view,
    async stop() {
      ended.abort();
      await done;
    },
  };
}
