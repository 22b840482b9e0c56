#!/usr/bin/env node
/** The command `chain-node`. */
import { CommanderError } from "commander";
import { FolderFault } from "../folder/folder-fault.ts";
import { createProgram } from "./args.ts";
import { BUILD_INFO } from "./build-info.ts";
import { devSentence, plainSentence } from "./fault-sentence.ts";
import { keepYoungGenerationSmall } from "./young-generation.ts";

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
