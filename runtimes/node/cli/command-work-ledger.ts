/** The work of the commands around ledgers; each is loaded when it is given. */
import type { CommandWork } from "./command-line.ts";

/** By the name of the command. */
export const LEDGER_WORK: Readonly<Record<string, CommandWork>> = {
  replay: async () => (await import("./replay.ts")).runReplay,
  export: async () => (await import("./export.ts")).runExport,
  check: async () => (await import("./check.ts")).runCheck,
  snapshot: async () => (await import("./snapshot.ts")).runSnapshot,
  restore: async () => (await import("./restore.ts")).runRestore,
  import: async () => (await import("./import.ts")).runImport,
};
