/** Nothing that a test, a soak or a benchmark started outlives it. */
import type { ChildProcess } from "node:child_process";

/** Exit codes of a program that a signal ended. */
const SIGNAL_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** Ends a child together with this process, also when that ends in the middle of its work. */
export function endWithUs(child: ChildProcess): void {
  const end = () => void child.kill("SIGKILL");
  process.once("exit", end);
  child.once("exit", () => process.off("exit", end));
}

/** A signal ends this process by way of its exit handlers, so that its children end too. */
export function exitOnSignals(): void {
  for (const [signal, code] of Object.entries(SIGNAL_CODES))
    process.once(signal, () => process.exit(code));
}

/**
 * As {@link exitOnSignals} for a worker of the runner, which forbids `process.exit`; and when the
 * runner has gone. Tests that emit a signal give no name with it.
 */
export function setUpLaneEnd(): void {
  const end = () => {
    process.emit("exit", 1);
    process.kill(process.pid, "SIGKILL");
  };
  for (const signal of Object.keys(SIGNAL_CODES))
    process.on(signal, (name?: string) => name !== undefined && end());
  process.once("disconnect", end);
}
