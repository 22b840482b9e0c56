/** A network as its file describes it: what shall be there, whatever is there already. */
import type { SuiteName } from "../../../core/crypto/suite.ts";
import type { NodePorts } from "../../folder/chain-layout.ts";

/** What a node is in the groups that name no members of their own. */
export type MemberRole = "sealer" | "observer";

/**
 * Where a node runs: as a process that `network` starts, in a browser tab, or in an edge function.
 * The latter two are roles to be joined: the network has a certificate and a place in its groups
 * for them, and somebody else starts them.
 */
export type NodeRuntime = "node" | "tab" | "edge";

/** One node of a network. */
export interface NetworkNode {
  /** Its folder, and the name in its certificate. */
  readonly name: string;
  readonly agency: string;
  /** Where peers reach it. */
  readonly host: string;
  /** Undefined: chosen when its folder is written. */
  readonly ports: NodePorts | undefined;
  /** Where JSON-RPC and SDKs are listened for; the usual addresses when absent. */
  readonly rpcIp?: string | undefined;
  readonly channelIp?: string | undefined;
  readonly role: MemberRole;
  readonly runtime: NodeRuntime;
  /** Of a node whose key is elsewhere: a file in PEM, absolute, or a node ID. */
  readonly publicKey: string | undefined;
}

/** One group of a network. */
export interface NetworkGroup {
  readonly id: number;
  readonly consensus: "pbft" | "raft";
  /** Names of nodes, in the order of the file. */
  readonly sealers: readonly string[];
  readonly observers: readonly string[];
}

/** Who changes groups and peers of the nodes over HTTP. Source: decision 31 */
export type ManagementMode = "local" | "token";

/** A network. */
export interface NetworkSpec {
  /** Absolute path of the file, or of the folder with the classic ones. */
  readonly file: string;
  readonly form: "yaml" | "classic";
  /** Of the chain: also what units and services are called. */
  readonly name: string;
  readonly suite: SuiteName;
  /** Where certificates and nodes are; absolute. */
  readonly folder: string;
  /** Where automatic ports begin; `ws` only where browsers shall reach the nodes. */
  readonly basePorts: NodePorts;
  readonly management: ManagementMode;
  /** Name of the container image in manifests. */
  readonly image: string;
  readonly agencies: readonly string[];
  readonly nodes: readonly NetworkNode[];
  readonly groups: readonly NetworkGroup[];
}

/** Nodes that are processes on a host. */
export function servers({ nodes }: Pick<NetworkSpec, "nodes">): readonly NetworkNode[] {
  return nodes.filter(({ runtime }) => runtime === "node");
}

/** Nodes whose key and process are elsewhere. */
export function joiners({ nodes }: Pick<NetworkSpec, "nodes">): readonly NetworkNode[] {
  return nodes.filter(({ runtime }) => runtime !== "node");
}

/** All members of a group, the sealers first. */
export function membersOf({ sealers, observers }: NetworkGroup): readonly string[] {
  return [...sealers, ...observers];
}
