/** Puts virtual time between a node and its executor. */
import type { ExecuteOutcome, Executor } from "../../../../core/ports/executor.ts";

/** How executions are slowed. */
export interface SlowOptions {
  /** Passes the time of an execution; calls back, and can be called off. */
  readonly after: (run: () => void) => () => void;
  /** False: the power is gone, nothing more comes back. */
  readonly isAlive: () => boolean;
}

/** An executor whose executions take their time and may be cancelled meanwhile. */
export function slowExecutor(inner: Executor, { after, isAlive }: SlowOptions): Executor {
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
      await new Promise<void>((resume) => {
        const callOff = after(resume);
        wake = () => {
          callOff();
          resume();
        };
      });
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
