/**
 * Rows that the protocols forbid. Each is added to its table in turn, and schedules must notice:
 * `rows.test.ts` and `npm run soak -- rows`.
 */
import type { AddedRow } from "./added.ts";

/** What a protocol forbids. */
export interface Forbidden {
  readonly rows: readonly AddedRow[];
  /** What is reported of the schedule that notices. */
  readonly found: RegExp;
}

/** By what a node does that has these rows. */
export type ForbiddenRows = Readonly<Record<string, Forbidden>>;

const SEALER = "member.sealer";
const CHANGING = `${SEALER}.viewChanging`;

/** Goes on voting in a view that it gave up (`--mutate silence`). Source: pbft 16.3.6 */
export const SPEAKS_ON: readonly AddedRow[] = [
  { state: CHANGING, event: "always", row: { guard: "canLock", run: ["lock"] } },
  { state: CHANGING, event: "always", row: { guard: "canSign", run: ["sign"] } },
  {
    state: CHANGING,
    event: "always",
    row: { guard: "isFinal", target: "committed", run: ["decideLast"] },
  },
];

/** Climbs from view to view alone (`--mutate climb`). Source: pbft 16.3.6 */
export const CLIMBS_ALONE: readonly AddedRow[] = [
  { state: CHANGING, event: "tick", row: { guard: "isTimedOut", run: ["leaveInVain"] } },
];

/** What else PBFT forbids; the two above are looked for where they show soon. Source: pbft 16.3 */
export const PBFT_FORBIDDEN: ForbiddenRows = {
  "accepts a second proposal": {
    rows: [{ state: `${SEALER}.prePrepared`, event: "prepare", row: { run: ["accept"] } }],
    found: /prepare, use none, led to counted/,
  },
  "locks without a quorum": {
    rows: [
      {
        state: `${SEALER}.prePrepared`,
        event: "always",
        row: { guard: "canSign", target: "prepared", run: ["sign", "lock"] },
      },
    ],
    found: /STALL/,
  },
  "enters a view without proof": {
    rows: [
      { state: SEALER, event: "viewCertificate", row: { target: "idle", run: ["enterProven"] } },
    ],
    found: /viewCertificate, use none, led to persist/,
  },
  "goes back to a view that it gave up": {
    rows: [{ state: CHANGING, event: "status", row: { target: "idle" } }],
    found: /idle is where it stands/,
  },
  "takes a block without seals": {
    rows: [{ state: SEALER, event: "block", row: { target: "catchingUp", run: ["takeBlock"] } }],
    found: /writes a block with tooFewSeals/,
  },
  "leaves a view in which a block is final": {
    rows: [
      {
        state: "member.decided",
        event: "tick",
        row: { guard: "isSealer", target: "viewChanging", run: ["leaveInVain"] },
      },
    ],
    found: /viewChanging is where it stands/,
  },
  "votes as an observer": {
    rows: [
      {
        state: "member.observer",
        event: "prepare",
        row: { guard: "isAcceptable", target: "prePrepared", run: ["accept"] },
      },
    ],
    found: /prepare, use compact, led to assemble/,
  },
  "forgets its lock when it begins again": {
    rows: [
      { state: "member.observer", event: "always", row: { guard: "isSealer", target: "idle" } },
    ],
    found: /idle is where it stands/,
  },
  "writes again what is being written": {
    rows: [{ state: "member.decided", event: "tick", row: { guard: "isSealer", run: ["write"] } }],
    found: /only executed blocks are written/,
  },
};

/** What Raft forbids. Source: raft 3, 6, 7, 8 */
export const RAFT_FORBIDDEN: ForbiddenRows = {
  "leads without a majority of votes": {
    rows: [
      {
        state: "member.electing.candidate",
        event: "voteReply",
        row: { target: "leader", run: ["noteSender", "countGrant", "lead"] },
      },
    ],
    found: /both lead term/,
  },
  "leads without asking anybody": {
    rows: [
      {
        state: "member.follower",
        event: "tick",
        row: { guard: "electionIsDue", target: "leader", run: ["electItself", "lead"] },
      },
    ],
    found: /both lead term/,
  },
  "leads after a pre-vote": {
    rows: [
      {
        state: "member.electing.preCandidate",
        event: "preVoteReply",
        row: {
          guard: "makesMajority",
          target: "leader",
          run: ["noteSender", "countGrant", "lead"],
        },
      },
    ],
    found: /both lead term/,
  },
  "leads on when its lease is over": {
    rows: [{ state: "member.leader", event: "leaseExpired", row: { run: ["lead"] } }],
    found: /seals without a majority/,
  },
  "leads on in a higher term": {
    rows: [
      {
        state: "member.leader",
        event: "append",
        row: { guard: "isNewerTerm", run: ["noteSender", "takeTerm"] },
      },
    ],
    found: /a leader issues under its term/,
  },
  "votes for every candidate": {
    rows: [
      {
        state: "member.follower",
        event: "vote",
        row: { run: ["noteSender", "takeTerm", "answerVote"] },
      },
    ],
    found: /votes twice in term/,
  },
  "follows a former leader": {
    rows: [
      {
        state: "member.follower",
        event: "append",
        row: { guard: "isFormerLeader", run: ["noteSender", "takeAppend"] },
      },
    ],
    found: /LOST at height/,
  },
  "decides what no other node has stored": {
    rows: [
      {
        state: "member.leader",
        event: "always",
        row: { guard: "isFreshExecuted", run: ["storeFresh", "decideAlone"] },
      },
    ],
    found: /FORK at height/,
  },
  "decides what it has stored for a leader": {
    rows: [
      {
        state: "member.follower",
        event: "always",
        row: { guard: "canStoreIncoming", run: ["storeIncoming", "decideAlone"] },
      },
    ],
    found: /FORK at height/,
  },
  "proposes as a follower": {
    rows: [
      {
        state: "member.follower",
        event: "always",
        row: { guard: "canPropose", run: ["askForProposal"] },
      },
      { state: "member.follower", event: "proposal", row: { run: ["takeProposal"] } },
    ],
    found: /seals without a majority/,
  },
  "takes part while it is suspended": {
    rows: [
      {
        state: "member.suspended",
        event: "vote",
        row: { run: ["noteSender", "takeTerm", "answerVote"] },
      },
    ],
    found: /votes twice in term/,
  },
};

/** What block sync forbids. Source: sync 4, 9 */
export const SYNC_FORBIDDEN: ForbiddenRows = {
  "takes for verified what has arrived": {
    rows: [
      {
        state: "running.behind",
        event: "blocks",
        row: { run: ["takeBlocks", "verifyNext", "noteVerified"] },
      },
    ],
    found: /only verified blocks are imported/,
  },
  "asks for blocks while it is idle": {
    rows: [
      {
        state: "running.idle",
        event: "always",
        row: { guard: "canRequest", run: ["requestNext"] },
      },
    ],
    found: /an idle node has no request under way/,
  },
  "ends a download without giving up its requests": {
    rows: [
      {
        state: "running.behind.downloading",
        event: "always",
        row: { guard: "hasNothingToGet", target: "idle" },
      },
    ],
    found: /an idle node has no request under way/,
  },
  "ends a download while blocks are imported": {
    rows: [
      {
        state: "running.behind.importing",
        event: "tick",
        row: { target: "idle", run: ["endDownload"] },
      },
    ],
    found: /importing: the shell works on a run/,
  },
  "blames the sender for an import that has to wait": {
    rows: [
      {
        state: "running.behind.importing",
        event: "imported",
        row: { guard: "isOfThisImport", target: "requesting", run: ["blameSender"] },
      },
    ],
    found: /an honest node is taken for Byzantine: badBlock/,
  },
  "takes every packet for a lie": {
    rows: [{ state: "running", event: "blocks", row: { run: ["convictForGarbage"] } }],
    found: /an honest node is taken for Byzantine: malformed/,
  },
  "stops over a block that a peer forged": {
    rows: [
      {
        state: "running.behind",
        event: "verified",
        row: { target: "stopped", run: ["stopPlanner"] },
      },
    ],
    found: /no honest node stops/,
  },
  "waits for its own votes again and again": {
    rows: [{ state: "running", event: "tick", row: { run: ["awaitOwnVotes"] } }],
    found: /not every node comes to rest/,
  },
};
