/** A caller that checks what nodes report, by the protocol of the group. */
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import type { GenesisConfig } from "../../../core/model/config.ts";
import { RaftWords } from "./raft-words.ts";
import { SaidWords } from "./said-words.ts";

/** Checks each message of consensus as it leaves. */
export type Words = SaidWords | RaftWords;

/** The checker of a group. */
export function wordsOf(genesis: GenesisConfig, suite: CryptoSuite): Words {
  return genesis.consensusType === "raft" ? new RaftWords() : new SaidWords(genesis, suite);
}
