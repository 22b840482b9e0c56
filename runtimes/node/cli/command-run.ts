/** Runs the command `chain-node` to its end: what it is told, and the code it ends with. */
import { CommanderError } from "commander";
import { FolderFault } from "../../folder/folder-fault.ts";
import { type Commands, createProgram } from "./args.ts";
import { BUILD_INFO } from "../machine/build-info.ts";
import { devSentence, plainSentence } from "./fault-sentence.ts";
import { keepYoungGenerationSmall } from "../machine/young-generation.ts";

/** Arguments that cannot be: told apart from work that failed. */
const USAGE_CODE = 2;

/** The exit code of a fault; the parser has said its sentence already. */
async function codeOf(
  cause: unknown,
  sentenceOf: (cause: unknown) => string | Promise<string>,
): Promise<number> {
  if (cause instanceof CommanderError) return cause.exitCode === 0 ? 0 : USAGE_CODE;
  process.stderr.write(`${await sentenceOf(cause)}\n`);
  return cause instanceof FolderFault && cause.kind === "argument" ? USAGE_CODE : 1;
}

/**
 * Each command is loaded when it is given: what all of them load takes a second. Those that can end
 * in another way than by a fault tell their code.
 */
function lateCommands(ended: (code: number) => void): Commands {
  return {
    dev: async (options) => {
      const { runDev } = await import("./dev.ts");
      ended(await runDev(options));
    },
    start: async (options) => {
      const mayGrow = keepYoungGenerationSmall();
      const { runStart } = await import("./start-command.ts");
      ended(await runStart(options, mayGrow));
    },
    init: async (folder, options) => {
      const { runInit } = await import("./init.ts");
      await runInit(folder, options);
    },
    status: async (folder, options) => {
      const { runStatus } = await import("./status.ts");
      ended(await runStatus(folder, options));
    },
    doctor: async (folder, options) => {
      const { runDoctor } = await import("./doctor.ts");
      ended(await runDoctor(folder, options));
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
      ended(await runReplay(file, options));
    },
    export: async (file, options) => {
      const { runExport } = await import("./export.ts");
      await runExport(file, options);
    },
    check: async (folder, options) => {
      const { runCheck } = await import("./check.ts");
      ended(await runCheck(folder, options));
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
  };
}

/** Does what the arguments say; gives the exit code. */
export async function runCommand(args: readonly string[]): Promise<number> {
  let code = 0;
  const commands = lateCommands((given) => {
    code = given;
  });
  try {
    await createProgram(BUILD_INFO.version, commands).parseAsync(args, { from: "user" });
    return code;
  } catch (cause) {
    return codeOf(cause, args[0] === "dev" ? devSentence : plainSentence);
  }
}
