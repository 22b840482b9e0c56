/**
 * Codes that a client returns by itself, before it sends anything.
 * Source: interface 7.5; console 4.4
 */
import { utf8Bytes } from "../bytes/byte-string.ts";
import { isNodeId } from "../bytes/hex.ts";
import type { NodeId } from "../bytes/ids.ts";
import {
  type PrecompiledCodeName,
  precompiledCode,
  precompiledMessage,
} from "./precompiled-code.ts";

/** Codes that a client decides: -51100, -51102 to -51105, -51200, -51201. */
export type ClientCodeName = Extract<
  PrecompiledCodeName,
  | "invalidNodeId"
  | "nodeUnreachable"
  | "notGroupPeer"
  | "alreadySealer"
  | "alreadyObserver"
  | "contractVersionExists"
  | "contractVersionTooLong"
>;

/** The request cannot succeed, and nothing was sent. Source: interface 7.5 */
export class ClientCodeFault extends Error {
  override readonly name = "ClientCodeFault";
  /** Below 0, as in the table. */
  readonly code: number;
  readonly codeName: ClientCodeName;

  /** Its message is the text of the table. */
  constructor(codeName: ClientCodeName) {
    const code = precompiledCode(codeName);
    super(precompiledMessage(code));
    this.code = code;
    this.codeName = codeName;
  }
}

/**
 * A node ID: 128 hexadecimal digits.
 *
 * @returns in lower case, as nodes write it
 * @throws ClientCodeFault -51100
 */
export function requireNodeId(text: string): NodeId {
  const id = text.toLowerCase();
  if (isNodeId(id)) return id;
  throw new ClientCodeFault("invalidNodeId");
}

/** What a client asks a node about the roles in its group. */
export interface RoleQuestions {
  /** Sealers, in table order. */
  sealers(): Promise<readonly string[]>;
  /** Observers, in table order. */
  observers(): Promise<readonly string[]>;
  /** The node itself and the nodes that it is connected to. */
  connected(): Promise<readonly string[]>;
}

/**
 * Before a node becomes a sealer: it is not one yet, and it is reachable.
 *
 * @throws ClientCodeFault -51102, -51104. Source: console 4.4
 */
export async function requireMaySeal(ask: RoleQuestions, nodeId: string): Promise<void> {
  const [connected, sealers] = await Promise.all([ask.connected(), ask.sealers()]);
  // For a node that is a sealer already, whether it is connected does not matter.
  if (sealers.includes(nodeId)) throw new ClientCodeFault("alreadySealer");
  if (!connected.includes(nodeId)) throw new ClientCodeFault("nodeUnreachable");
}

/**
 * Before a node becomes an observer: it is not one yet.
 *
 * @throws ClientCodeFault -51105. Source: console 4.4
 */
export async function requireMayObserve(ask: RoleQuestions, nodeId: string): Promise<void> {
  const observers = await ask.observers();
  if (observers.includes(nodeId)) throw new ClientCodeFault("alreadyObserver");
}

/**
 * Before a node is removed: it is a sealer or an observer.
 *
 * @throws ClientCodeFault -51103. Source: console 4.4
 */
export async function requireMember(ask: RoleQuestions, nodeId: string): Promise<void> {
  const [sealers, observers] = await Promise.all([ask.sealers(), ask.observers()]);
  if (![...sealers, ...observers].includes(nodeId)) throw new ClientCodeFault("notGroupPeer");
}

/** Longest version of a contract by name, in bytes. Source: precompiles 2 */
export const MOST_VERSION_BYTES = 128;

/**
 * Before a contract is registered by name: its version is not too long.
 *
 * @throws ClientCodeFault -51201
 */
export function requireVersionLength(version: string): void {
  if (utf8Bytes(version).length > MOST_VERSION_BYTES)
    throw new ClientCodeFault("contractVersionTooLong");
}

/**
 * Before a contract is registered by name: this name and version are not taken.
 *
 * @param registered versions that the name has
 * @throws ClientCodeFault -51200
 */
export function requireNewVersion(registered: readonly string[], version: string): void {
  if (registered.includes(version)) throw new ClientCodeFault("contractVersionExists");
}
