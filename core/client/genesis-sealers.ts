/** The sealers that a group began with, as its first block names them. Source: tx-block-codec 10 */
import { fromHex } from "../bytes/hex.ts";
import type { BlockHeader } from "./rpc-objects.ts";

/** The group, its sealers, and the protocol that all of them seal by. */
const MARK = /^\d+-((?:[0-9a-f]{128},)+)-(pbft|raft)-/i;

/**
 * The sealers in the mark of a genesis header, in the mark's order; undefined for another form of
 * mark, as that of groups in which only some of the sealers seal.
 */
export function genesisSealers({ extraData }: BlockHeader): readonly string[] | undefined {
  const bytes = fromHex(extraData[0] ?? "");
  if (bytes === undefined) return undefined;
  const mark = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  const ids = MARK.exec(mark)?.[1];
  return ids?.toLowerCase().split(",").slice(0, -1);
}
