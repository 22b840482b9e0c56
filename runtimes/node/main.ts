#!/usr/bin/env node
/** The command `chain-node`. */
import { StoreFault } from "../../core/fault/store-fault.ts";
import { createProgram } from "./args.ts";
import { BUILD_INFO } from "./build-info.ts";
import { runDev } from "./dev.ts";
import { ListenFault } from "./http-server.ts";

/** What a user should do about a data folder that cannot be used. */
const NEXT_STEP: Partial<Record<StoreFault["kind"], string>> = {
  foreign: "Choose another folder with --data, or run with --ephemeral.",
  locked: "Stop the other process, or choose another folder with --data.",
  version: "Use the release that wrote it, or start over with --reset.",
  corrupt: "Restore it from a copy, or start over with --reset.",
  unwritable: "Choose a folder you may write with --data, or run with --ephemeral.",
};

function sentenceOf(cause: unknown): string {
  if (cause instanceof StoreFault) {
    const next = NEXT_STEP[cause.kind];
    const sentence = cause.message.endsWith(".") ? cause.message : `${cause.message}.`;
    return next ? `${sentence} ${next}` : sentence;
  }
  if (cause instanceof ListenFault) return `${cause.message} Choose another port with --port.`;
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
}

const program = createProgram(BUILD_INFO.version, {
  dev: async (options) => {
    process.exitCode = await runDev(options);
  },
});

try {
  await program.parseAsync();
} catch (cause) {
  process.stderr.write(`${sentenceOf(cause)}\n`);
  process.exitCode = 1;
}
// Worker threads that hang must not keep a finished process alive.
process.exit();
