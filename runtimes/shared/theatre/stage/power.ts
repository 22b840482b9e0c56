/** Ports of a node over virtual time: once the power is gone, nothing more comes back of them. */
import type { ExecuteOutcome, Executor } from "../../../../core/ports/executor.ts";
import type { Network } from "../../../../core/ports/network.ts";

interface SlowOptions {
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
    async execute(request, onHeavy): Promise<ExecuteOutcome> {
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
      return alive(await inner.execute(request, onHeavy));
    },
    cancel,
    write: async (hash, seals) => {
      await inner.write(hash, seals);
      return alive(undefined);
    },
    call: async (request, asker) => alive(await inner.call(request, asker)),
    close: async () => {
      cancel();
      await inner.close();
    },
  };
}

/** A network that is cut off once the power is gone. */
export function guardedNetwork(network: Network, isAlive: () => boolean): Network {
  return {
    self: network.self,
    peers: () => network.peers(),
    start: (events) =>
      network.start({
        message: (message) => isAlive() && events.message(message),
        peerUp: (peer) => isAlive() && events.peerUp(peer),
        peerDown: (peer) => isAlive() && events.peerDown(peer),
      }),
    send: (to, message) => {
      if (isAlive()) network.send(to, message);
    },
    stop: async () => {
      if (isAlive()) await network.stop();
    },
  };
}
