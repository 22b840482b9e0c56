/** What a client needs of its runtime. Entries fill it in; core knows no platform. */
import type { Clock } from "../ports/clock.ts";
import type { Entropy } from "../ports/entropy.ts";
import { AbortedFault } from "./client-fault.ts";

/** Time and randomness. */
export interface ClientPlatform {
  readonly clock: Clock;
  readonly entropy: Entropy;
}

/** The part of an `AbortSignal` that is used. */
export interface Signal {
  readonly aborted: boolean;
  readonly reason?: unknown;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** How long something may take, and what ends it earlier. */
export interface WaitOptions {
  /** Milliseconds. */
  readonly timeoutMs?: number;
  /** An `AbortSignal`. */
  readonly signal?: Signal;
}

/** @throws AbortedFault when the signal was given */
export function throwIfAborted(signal: Signal | undefined): void {
  if (signal?.aborted) throw new AbortedFault("aborted", { cause: signal.reason });
}

/** Settles as the work does, or goes on without it at the signal. @throws AbortedFault */
export async function abortable<T>(work: Promise<T>, signal: Signal | undefined): Promise<T> {
  if (signal === undefined) return await work;
  throwIfAborted(signal);
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(new AbortedFault("aborted", { cause: signal.reason }));
    signal.addEventListener("abort", stop);
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/**
 * The result of work; undefined when it takes longer, which goes on unheard then, or when there is
 * none. The timer ends with what it waits for.
 */
export async function within<Result>(
  work: Promise<Result> | undefined,
  clock: Clock,
  ms: number,
): Promise<Result | undefined> {
  let cancel = (): void => undefined;
  const late = new Promise<undefined>((resolve) => {
    cancel = clock.after(ms, () => resolve(undefined));
  });
  try {
    return await Promise.race(work ? [work, late] : [late]);
  } finally {
    cancel();
  }
}

/** Waits. @throws AbortedFault when the signal is given meanwhile */
export async function pause(clock: Clock, delayMs: number, signal?: Signal): Promise<void> {
  throwIfAborted(signal);
  await new Promise<void>((resolve, reject) => {
    const stop = (): void => {
      cancel();
      reject(new AbortedFault("aborted", { cause: signal?.reason }));
    };
    const cancel = clock.after(delayMs, () => {
      signal?.removeEventListener("abort", stop);
      resolve();
    });
    signal?.addEventListener("abort", stop);
  });
}
