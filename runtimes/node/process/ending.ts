/** How a command that runs until it is told to ends: signals, failures, readers that left. */
import { reasonOf } from "../../folder/folder-fault.ts";

/**
 * A second signal this long after the first one ends the process without waiting. At a terminal,
 * npm and npx pass on the signal that the process gets anyway.
 */
const PATIENCE_MS = { session: 2_000, server: 300 } as const;
/** So for SIGTERM, which a wrapper may pass on late, and a script sends again after a minute. */
const TERM_PATIENCE_MS = 30_000;
/** Exit code after an impatient interrupt, by convention. */
const INTERRUPTED = 130;

/** A reader that went away (a pipe to head) must not end the chain. */
export function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
}

/** Resolves with the exit code once a signal asked for the end, or a node failed. */
export function untilAsked(kind: "session" | "server"): {
  readonly end: Promise<number>;
  readonly fail: (cause: unknown) => void;
} {
  let fail: (cause: unknown) => void = () => {};
  const end = new Promise<number>((resolve) => {
    let askedAt = 0;
    const ask = (patienceMs: number) => {
      const now = performance.now();
      if (askedAt === 0) {
        askedAt = now;
        resolve(0);
      } else if (now - askedAt > patienceMs) process.exit(INTERRUPTED);
    };
    process.on("SIGINT", () => ask(PATIENCE_MS[kind]));
    process.on("SIGTERM", () => ask(TERM_PATIENCE_MS));
    // The terminal was closed. For a server without one, as under nohup, it says nothing.
    const hasTerminal = process.stdin.isTTY === true || process.stdout.isTTY === true;
    process.on("SIGHUP", () => {
      if (hasTerminal || kind === "session") ask(PATIENCE_MS[kind]);
    });
    fail = (cause) => {
      const message = reasonOf(cause);
      process.stderr.write(`a node cannot go on: ${message}\n`);
      resolve(1);
    };
  });
  return { end, fail };
}
