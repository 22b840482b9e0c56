/** Identifiers as branded strings, compared with `===`. Source: rpc-semantics 3.2 */

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** A 32-byte hash: `0x` and 64 lower-case hexadecimal digits. */
export type Hash = Branded<"Hash">;
/** A 20-byte account address: `0x` and 40 lower-case hexadecimal digits. */
export type Address = Branded<"Address">;
/** A node's public key: 128 lower-case hexadecimal digits, no `0x`. */
export type NodeId = Branded<"NodeId">;
/** A group's number, 1 to 32767. */
export type GroupId = number;
/** Position in a sealer list, counted from 0; {@link NOT_A_SEALER} when absent. */
export type SealerIndex = number;

/** Index reported by a node that is not in the sealer list. Source: pbft 1 */
export const NOT_A_SEALER = 65_535;
/** The all-zero address. */
export const ZERO_ADDRESS = `0x${"0".repeat(40)}` as Address;
/** The all-zero hash. */
export const ZERO_HASH = `0x${"0".repeat(64)}` as Hash;

/** Whether two lists name the same in the same order. */
export function isSameList<Id extends string>(left: readonly Id[], right: readonly Id[]): boolean {
  if (left === right) return true;
  return left.length === right.length && left.every((id, index) => id === right[index]);
}
