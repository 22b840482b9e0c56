#!/usr/bin/env node
/** The command `chain-node`. */
import { CommanderError } from "commander";
import { StoreFault } from "../../core/fault/store-fault.ts";
import { ConfigFault } from "../folder/config-fault.ts";
import { FolderFault } from "../folder/folder-fault.ts";
import { LedgerFileFault } from "../shared/ledger-file/ledger-file-fault.ts";
import { CopyFault } from "../shared/p2p/copy-fault.ts";
import { SnapshotFault } from "../shared/snapshot/chunk.ts";
import { createProgram } from "./args.ts";
import { BUILD_INFO } from "./build-info.ts";
import { ListenFault, type ListenProblem } from "./listen-fault.ts";
import { RequestFault } from "./json-rpc.ts";
import { keepYoungGenerationSmall } from "./young-generation.ts";

/** What a user of `dev` should do about a data folder that cannot be used. */
const NEXT_STEP: Partial<Record<StoreFault["kind"], string>> = {
  foreign: "Choose another folder with --data, or run with --ephemeral.",
  locked: "Stop the other process, or choose another folder with --data.",
  version: "Use the release that wrote it, or choose another folder with --data.",
  corrupt: "Restore it from a copy, start over with --reset, or choose another folder with --data.",
  io: "Check the disk, or choose another folder with --data.",
  unwritable: "Choose a folder you may write with --data, or run with --ephemeral.",
};

/** What a user of `dev` should do about an address that cannot be listened on. */
const LISTEN_STEP: Readonly<Record<ListenProblem, string>> = {
  inUse:
    "Stop the other program, or choose another port with --port, " +
    "for SDKs with --channel-port (one port per node).",
  notAllowed: "Choose another port with --port.",
  noSuchAddress: "Choose another address with --host.",
  failed: "Choose another address with --host, or another port with --port.",
};

function withNextStep(sentence: string, next: string | undefined): string {
  const whole = sentence.endsWith(".") ? sentence : `${sentence}.`;
  return next ? `${whole} ${next}` : whole;
}

/** Who has a port that is in use, where that can be seen. */
async function listenSentence({ problem, port, message }: ListenFault): Promise<string> {
  if (problem !== "inUse" || port === undefined) return message;
  const { portHolder, processText } = await import("./processes.ts");
  const holder = await portHolder(port);
  if (!holder || holder.pid === process.pid) return message;
  return message.replace("another program", () => processText(holder));
}

/** A fault of `dev`, with the option that helps. */
async function devSentence(cause: unknown): Promise<string> {
  if (cause instanceof StoreFault) {
    return withNextStep(cause.message, NEXT_STEP[cause.kind]);
  }
  if (cause instanceof ListenFault)
    return withNextStep(await listenSentence(cause), LISTEN_STEP[cause.problem]);
  return plainSentence(cause);
}

/** A fault whose message says all: of commands that read config.ini, the key to change. */
function plainSentence(cause: unknown): string {
  const isOurs =
    cause instanceof CopyFault ||
    cause instanceof FolderFault ||
    cause instanceof LedgerFileFault ||
    cause instanceof ConfigFault ||
    cause instanceof ListenFault ||
    cause instanceof RequestFault ||
    cause instanceof SnapshotFault ||
    cause instanceof StoreFault;
  if (isOurs) return cause.message;
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
}

let sentenceOf: (cause: unknown) => string | Promise<string> = plainSentence;

/** Arguments that cannot be: told apart from work that failed. */
const USAGE_CODE = 2;

/** The exit code; the parser has said its sentence already. */
async function endWith(cause: unknown): Promise<number> {
  if (cause instanceof CommanderError) return cause.exitCode === 0 ? 0 : USAGE_CODE;
  process.stderr.write(`${await sentenceOf(cause)}\n`);
  return cause instanceof FolderFault && cause.kind === "argument" ? USAGE_CODE : 1;
}

// Each command is loaded when it is given: what all of them load takes a second.
const program = createProgram(BUILD_INFO.version, {
  dev: async (options) => {
    sentenceOf = devSentence;
    const { runDev } = await import("./dev.ts");
    process.exitCode = await runDev(options);
  },
  start: async (options) => {
    const mayGrow = keepYoungGenerationSmall();
    const { runStart } = await import("./start-command.ts");
    process.exitCode = await runStart(options, mayGrow);
  },
  init: async (folder, options) => {
    const { runInit } = await import("./init.ts");
    await runInit(folder, options);
  },
  status: async (folder, options) => {
    const { runStatus } = await import("./observe/status.ts");
    process.exitCode = await runStatus(folder, options);
  },
  doctor: async (folder, options) => {
    const { runDoctor } = await import("./observe/doctor.ts");
    process.exitCode = await runDoctor(folder, options);
  },
  role: async (node, options) => {
    const { runRole } = await import("./role.ts");
    await runRole(node, options);
  },
  confirm: async (folder, options) => {
    const { runConfirm } = await import("./confirm.ts");
    await runConfirm(folder, options);
  },
  replay: async (file, options) => {
    const { runReplay } = await import("./replay.ts");
    process.exitCode = await runReplay(file, options);
  },
  export: async (file, options) => {
    const { runExport } = await import("./export.ts");
    await runExport(file, options);
  },
  check: async (folder, options) => {
    const { runCheck } = await import("./check.ts");
    process.exitCode = await runCheck(folder, options);
  },
  snapshot: async (folder, options) => {
    const { runSnapshot } = await import("./snapshot.ts");
    await runSnapshot(folder, options);
  },
  restore: async (file, folder, options) => {
    const { runRestore } = await import("./restore.ts");
    await runRestore(file, folder, options);
  },
  import: async (file, folder, options) => {
    const { runImport } = await import("./import.ts");
    await runImport(file, folder, options);
  },
  certIssue: async (options) => {
    const { runCertIssue } = await import("./cert.ts");
    await runCertIssue(options);
  },
  certRenew: async (folder, options) => {
    const { runCertRenew } = await import("./cert.ts");
    await runCertRenew(folder, options);
  },
});

try {
  await program.parseAsync();
} catch (cause) {
  process.exitCode = await endWith(cause);
}
// Worker threads that hang must not keep a finished process alive.
process.exit();
