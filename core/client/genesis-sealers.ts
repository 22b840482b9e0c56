/** The sealers that a group began with, as its first block names them. Source: tx-block-codec 10 */
import { byteString } from "../bytes/byte-string.ts";
import { fromHex } from "../bytes/hex.ts";
import type { BlockHeader } from "./rpc-objects.ts";

/** The group, its sealers, and the protocol that all of them seal by. */
const MARK = /^\d+-((?:[0-9a-f]{128},)+)-(pbft|raft)-/i;

/** A mark of a thousand sealers is shorter. A long one would overflow the stack of the pattern. */
const MOST_BYTES = 200_000;

/**
 * The sealers in the mark of a genesis header, in the mark's order; undefined for another form of
 * mark, as that of groups in which only some of the sealers seal.
 */
export function genesisSealers({ extraData }: BlockHeader): readonly string[] | undefined {
  const bytes = fromHex(extraData[0] ?? "");
  if (bytes === undefined || bytes.length > MOST_BYTES) return undefined;
  const ids = MARK.exec(byteString(bytes))?.[1];
  return ids?.toLowerCase().split(",").slice(0, -1);
}
