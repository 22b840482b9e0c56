/** The work of each action; loaded when it is asked for. */
import type { ActionName } from "./flags.ts";
import type { Action } from "./context.ts";

/** Actions that are not computed before they write. */
export type UnplannedName = "version" | "downloadProgram" | "downloadConsole";

/** What is written by actions, by their names. */
export const ACTIONS: Readonly<Record<Exclude<ActionName, UnplannedName>, () => Promise<Action>>> =
  {
    buildInstallPackage: async () => (await import("./actions/packages.ts")).buildInstallPackage,
    buildPackageOnly: async () => (await import("./actions/packages.ts")).buildPackageOnly,
    createGroupGenesis: async () => (await import("./actions/genesis.ts")).createGroupGenesis,
    createGroupGenesisWithNodeId: async () =>
      (await import("./actions/genesis.ts")).createGroupGenesisWithNodeId,
    generateChainCertificate: async () => (await import("./actions/certificates.ts")).generateChain,
    generateAgencyCertificate: async () =>
      (await import("./actions/certificates.ts")).generateAgency,
    generateNodeCertificate: async () => (await import("./actions/certificates.ts")).generateNode,
    generateSdkCertificate: async () => (await import("./actions/certificates.ts")).generateSdk,
    generateAllCertificates: async () => (await import("./actions/certificates.ts")).generateAll,
    generateAgencyRequest: async () => (await import("./actions/requests.ts")).generateRequest,
    signAgencyRequest: async () => (await import("./actions/requests.ts")).signRequest,
    deployPrivateKey: async () => (await import("./actions/node-edits.ts")).deployPrivateKey,
    mergeConfig: async () => (await import("./actions/node-edits.ts")).mergeConfig,
    addPeers: async () => (await import("./actions/node-edits.ts")).addPeers,
    addGroup: async () => (await import("./actions/genesis.ts")).addGroup,
    getSdkFile: async () => (await import("./actions/sdk.ts")).getSdkFile,
    createToolFolder: async () => (await import("./tool-folder.ts")).createToolFolder,
  };
