/** The work of commands by their names; each is loaded when it is given. */
import type { CommandWork } from "./command-line.ts";

/** Of the commands around ledgers. */
export const LEDGER_WORK: Readonly<Record<string, CommandWork>> = {
  replay: async () => (await import("./replay.ts")).runReplay,
  export: async () => (await import("./export.ts")).runExport,
  check: async () => (await import("./check/check.ts")).runCheck,
  repair: async () => (await import("./check/repair.ts")).runRepair,
  snapshot: async () => (await import("./snapshot.ts")).runSnapshot,
  restore: async () => (await import("./restore.ts")).runRestore,
  import: async () => (await import("./import.ts")).runImport,
  clean: async () => (await import("./clean.ts")).runClean,
};

/** Of the commands around networks and single nodes of a chain. */
export const NETWORK_WORK: Readonly<Record<string, CommandWork>> = {
  "network up": async () => (await import("../../tools/network/up.ts")).runUp,
  "network down": async () => (await import("../../tools/network/clean.ts")).runDown,
  "network status": async () => (await import("../../tools/network/look.ts")).runStatus,
  "network inspect": async () => (await import("../../tools/network/look.ts")).runInspect,
  "network logs": async () => (await import("../../tools/network/logs/logs.ts")).runLogs,
  "network add-node": async () => (await import("../../tools/network/additions.ts")).runAddNode,
  "network add-group": async () => (await import("../../tools/network/additions.ts")).runAddGroup,
  "network upgrade": async () => (await import("../../tools/network/upgrade.ts")).runUpgrade,
  "network clean": async () => (await import("../../tools/network/clean.ts")).runClean,
  "network manifests": async () => (await import("../../tools/network/manifests.ts")).runManifests,
  "node add": async () => (await import("../../tools/network/node-add.ts")).runNodeAdd,
};

/** Of the commands of gateways. */
export const EDGE_WORK: Readonly<Record<string, CommandWork>> = {
  gateway: async () => (await import("./gateway.ts")).runGateway,
  "edge dev": async () => (await import("./gateway.ts")).runEdgeDev,
  "edge build": async () => (await import("./gateway.ts")).runEdgeBuild,
};
