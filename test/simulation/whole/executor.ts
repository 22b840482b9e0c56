/** Puts virtual time between a node and its executor. */
import type { ExecuteOutcome, Executor } from "../../../core/ports/executor.ts";
import type { Agenda } from "./agenda.ts";

/** How an executor is slowed. */
export interface DelayOptions {
  readonly agenda: Agenda;
  /** Virtual milliseconds that the next execution takes. */
  readonly delay: () => number;
  /** Asked at each effect; false: nothing more comes back. */
  readonly isAlive: () => boolean;
}

/** An executor whose executions take their time and may be cancelled meanwhile. */
export function delayedExecutor(inner: Executor, options: DelayOptions): Executor {
  const { agenda, delay, isAlive } = options;
  let latest = 0;
  let wake: (() => void) | undefined;
  const cancel = (): void => {
    latest++;
    wake?.();
    inner.cancel();
  };
  const alive = async <Result>(result: Result): Promise<Result> =>
    isAlive() ? result : new Promise<never>(() => undefined);
  return {
    async execute(request): Promise<ExecuteOutcome> {
      cancel();
      const own = latest;
      const ms = delay();
      if (ms > 0) {
        await new Promise<void>((resume) => {
          wake = resume;
          agenda.after(ms, resume);
        });
      }
      if (own !== latest)
        return alive({ ok: false, reason: "cancelled", heavy: request.hashes[0] });
      return alive(await inner.execute(request));
    },
    cancel,
    write: async (hash, seals) => {
      await inner.write(hash, seals);
      return alive(undefined);
    },
    call: async (request) => alive(await inner.call(request)),
    close: async () => {
      cancel();
      await inner.close();
    },
  };
}
