/** Headers as a leader proposes them. */
import { ZERO_HASH } from "../../../core/bytes/ids.ts";
import type { Header } from "../../../core/model/header.ts";
import type { RootRules } from "../../../core/model/roots.ts";
import { NEWEST_VERSION } from "../../../core/model/version.ts";
import { STANDARD_SUITE } from "../suites.ts";

/** What roots and hashes follow. */
export const PROPOSAL_RULES: RootRules = { suite: STANDARD_SUITE, version: NEWEST_VERSION };

/** A header with what execution fills in empty. */
export function proposalHeader(changes: Partial<Header> = {}): Header {
  return {
    parentHash: ZERO_HASH,
    stateRoot: ZERO_HASH,
    transactionsRoot: ZERO_HASH,
    receiptsRoot: ZERO_HASH,
    dbHash: ZERO_HASH,
    logsBloom: new Uint8Array(256),
    number: 1,
    gasLimit: 0n,
    gasUsed: 0n,
    timestamp: 1n,
    extraData: [],
    sealer: 0,
    sealerList: [],
    ...changes,
  };
}
