/** Roots over a block's transactions and receipts, by version. Source: tx-block-codec 8 */
import { hashOf, putHash } from "../bytes/hex.ts";
import type { Hash } from "../bytes/ids.ts";
import { encodeRlp } from "../bytes/rlp.ts";
import { merkleRootOf } from "../crypto/merkle.ts";
import type { CryptoSuite } from "../crypto/suite.ts";
import { encodeOffsetTable } from "./offset-table.ts";
import { version, type Version } from "./version.ts";

/** From here on roots are Merkle roots and proofs exist. Source: tx-block-codec 8.2, 8.3 */
export const MERKLE_FROM: Version = version(2, 2, 0);

/** What roots depend on besides the items. */
export interface RootRules {
  readonly version: Version;
  readonly suite: CryptoSuite;
}

/** The items of a block that a root is made of, in block order. */
interface RootedItem {
  /** The transaction's or receipt's encoding. */
  readonly raw: Uint8Array;
  /** Hash of the encoding. */
  readonly hash: Hash;
}

/** The header's transactionsRoot. Source: tx-block-codec 8.2, 8.3 */
export function transactionsRoot(items: readonly RootedItem[], rules: RootRules): Hash {
  if (rules.version >= MERKLE_FROM) return rootOfHashes(items, rules.suite);
  return hashOf(rules.suite.hash(encodeOffsetTable(items.map(({ raw }) => raw))));
}

/** The header's receiptsRoot. Source: tx-block-codec 8.2, 8.3 */
export function receiptsRoot(items: readonly RootedItem[], rules: RootRules): Hash {
  if (rules.version >= MERKLE_FROM) return rootOfHashes(items, rules.suite);
  return hashOf(rules.suite.hash(encodeRlp(items.map(({ raw }) => ({ rlp: raw })))));
}

function rootOfHashes(items: readonly { readonly hash: Hash }[], suite: CryptoSuite): Hash {
  const put = (index: number, target: Uint8Array, at: number) => {
    const item = items[index];
    if (item) putHash(item.hash, target, at);
  };
  return hashOf(merkleRootOf(items.length, put, suite.hash));
}
