/** All lessons that are played in the theatre, in the order in which they build on each other. */
import { CATCHING_UP } from "./catching-up.ts";
import { GROUP_LIFE } from "./group-life.ts";
import type { Lesson } from "./lesson.ts";
import { PBFT_BYZANTINE } from "./pbft-byzantine.ts";
import { PBFT_NORMAL } from "./pbft-normal.ts";
import { PBFT_QUORUM } from "./pbft-quorum.ts";
import { PBFT_VIEW_CHANGE } from "./pbft-view-change.ts";
import { RAFT_ELECTION } from "./raft-election.ts";
import { RAFT_PARTITION } from "./raft-partition.ts";

/** The lessons. What a Merkle proof proves is a page of its own. */
export const LESSONS: readonly Lesson[] = [
  PBFT_NORMAL,
  PBFT_VIEW_CHANGE,
  PBFT_BYZANTINE,
  PBFT_QUORUM,
  RAFT_ELECTION,
  RAFT_PARTITION,
  CATCHING_UP,
  GROUP_LIFE,
];
