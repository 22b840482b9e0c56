/** What the monitor finds at nodes. Source: generator 10.3 */

/** Which check found something. */
type Check = "process" | "memory" | "processor" | "metrics" | "rpc" | "peers" | "height" | "log";

/** Something that a person should learn of. */
export interface Finding {
  /** Name of the node's folder. */
  readonly node: string;
  /** Undefined when it is about the whole node. */
  readonly group?: number;
  readonly check: Check;
  /** A sentence without its full stop. */
  readonly says: string;
}

/** A finding as a line: `node0 group 1: peers: ...`. */
export function findingText({ node, group, check, says }: Finding): string {
  return `${node}${group === undefined ? "" : ` group ${group}`}: ${check}: ${says}`;
}

/** Asks a node for the result of a method; throws when there is none. */
export type Ask = (url: string, method: string, params: readonly unknown[]) => Promise<unknown>;
