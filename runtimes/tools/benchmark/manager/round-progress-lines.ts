/** Tells where a round stands while it runs. Source: benchmark 2, 7 */
import type { PushedProgress } from "../observers/prometheus-observer.ts";
import type { WorkerPool } from "./worker-pool.ts";

/** How progress is told. */
export interface ProgressTerms {
  readonly intervalMs: number;
  /** A line for people; undefined for none. */
  readonly line: ((text: string) => void) | undefined;
  /** Figures for a gateway; undefined for none. */
  readonly push: ((round: string, progress: PushedProgress) => Promise<void>) | undefined;
}

interface Counted {
  readonly submitted: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly latencyMs: number;
}

const NOTHING: Counted = { submitted: 0, succeeded: 0, failed: 0, latencyMs: 0 };
const MS_PER_SECOND = 1_000;

function countedOf(pool: WorkerPool): Counted {
  return pool.workers.reduce(
    (sum, { update }) => ({
      submitted: sum.submitted + (update?.submitted ?? 0),
      succeeded: sum.succeeded + (update?.succeeded ?? 0),
      failed: sum.failed + (update?.failed ?? 0),
      latencyMs: sum.latencyMs + (update?.stats.latency.totalMs ?? 0),
    }),
    NOTHING,
  );
}

/** `[transfer Round 1 Transaction Info] - Submitted: 10 Succ: 8 Fail:0 Unfinished:2` */
function lineOf(label: string, index: number, { submitted, succeeded, failed }: Counted): string {
  const unfinished = Math.max(0, submitted - succeeded - failed);
  const counts = `Submitted: ${submitted} Succ: ${succeeded} Fail:${failed}`;
  return `[${label} Round ${index} Transaction Info] - ${counts} Unfinished:${unfinished}`;
}

function progressOf(before: Counted, now: Counted, seconds: number): PushedProgress {
  const { submitted, succeeded, failed } = now;
  const ended = succeeded + failed - before.succeeded - before.failed;
  const done = succeeded - before.succeeded;
  return {
    submitted,
    succeeded,
    failed,
    tps: ended / seconds,
    submitRate: (submitted - before.submitted) / seconds,
    latencySeconds: done > 0 ? (now.latencyMs - before.latencyMs) / done / MS_PER_SECOND : 0,
  };
}

/** Begins to tell; the function ends it. */
export function startProgress(
  pool: WorkerPool,
  { intervalMs, line, push }: ProgressTerms,
  { label, index }: { readonly label: string; readonly index: number },
): () => void {
  let before = NOTHING;
  const tell = (): void => {
    const now = countedOf(pool);
    line?.(lineOf(label, index, now));
    void push?.(label, progressOf(before, now, intervalMs / MS_PER_SECOND));
    before = now;
  };
  const timer = line || push ? setInterval(tell, intervalMs) : undefined;
  return () => clearInterval(timer);
}
