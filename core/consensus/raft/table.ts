/** Raft as a table: what each role does at each event. Source: raft 5, 8 */
import { compile, type Table } from "../../protocol/table.ts";
import * as election from "./election.ts";
import * as execution from "./execution.ts";
import type { RaftEvents } from "./input.ts";
import * as replication from "./replication.ts";
import type { RaftPhase } from "./state.ts";
import { isLed, setDeadline } from "./timer.ts";
import { putRecordFirst } from "./step-context.ts";

const FUNCTIONS = { ...election, ...execution, ...replication, isLed, setDeadline, putRecordFirst };

const SUSPENDED = [{ run: ["noteSender", "ignoreSuspended"] }] as const;
const TICK = ["retryBody", "catchUp"] as const;
/** Whoever speaks of a higher term is followed, or may lead. Source: raft 8 */
const NEWER = { guard: "isNewerTerm", target: "follower" } as const;

/** A sealer with a role takes part; what it works on, and what it writes, is the same in each. */
export const RAFT_TABLE: Table<RaftPhase, RaftEvents, typeof FUNCTIONS> = {
  id: "raft",
  field: "role",
  functions: FUNCTIONS,
  states: {
    member: {
      on: {
        tick: [{ run: TICK }],
        stray: [{ run: ["ignoreStray"] }],
        proposal: [{ run: ["dropAsNotLeader"] }],
        assembled: [{ run: ["noteAssembled"] }],
        executed: [{ run: ["noteExecuted"] }],
        // Of two that wrote the same block the second reports nothing new.
        written: [{ guard: "isNewBlock", run: ["advanceHead"] }, {}],
        block: [{ run: ["takeBlock"] }],
        votingRole: [{ run: ["takeVotingRole"] }],
        peer: [{ run: ["notePeer"] }],
        syncing: [{ run: ["noteSyncing"] }],
        rest: [{ run: ["putRecordFirst", "setDeadline"] }],
      },
      always: [
        { guard: "isWorkIdle", run: ["dropWork"] },
        { guard: "isOtherWanted", run: ["beginWork"] },
        { guard: "canExecute", run: ["execute"] },
        { guard: "isOwnRefused", target: "stopped", run: ["stopGroup", "putRecordFirst"] },
        { guard: "isRefused", run: ["distrustRefused"] },
        { guard: "isExecutedOtherwise", run: ["distrustExecuted"] },
        { guard: "canWrite", run: ["write"] },
      ],
      states: {
        suspended: {
          on: {
            start: [{ run: ["begin"] }],
            preVote: SUSPENDED,
            preVoteReply: SUSPENDED,
            vote: SUSPENDED,
            voteReply: SUSPENDED,
            append: SUSPENDED,
            acknowledgement: SUSPENDED,
          },
          always: [
            { guard: "mayFollow", target: "follower", run: ["standBack"] },
            { guard: "mustStandBack", run: ["standBack"] },
          ],
        },
        follower: {
          on: {
            tick: [
              { guard: "electsItself", target: "leader", run: ["electItself", "lead", ...TICK] },
              { guard: "electionIsDue", target: "preCandidate", run: ["askAround", ...TICK] },
            ],
            preVote: [
              { guard: "isLed", run: ["noteSender", "refusePreVote"] },
              { guard: "isNewerTerm", run: ["noteSender", "follow", "takeTerm", "answerPreVote"] },
              { run: ["noteSender", "answerPreVote"] },
            ],
            preVoteReply: [
              { guard: "isNewerTerm", run: ["noteSender", "follow", "takeTerm", "ignoreStale"] },
              { run: ["noteSender", "ignoreStale"] },
            ],
            vote: [
              { guard: "isLed", run: ["noteSender", "refuseVote"] },
              { guard: "isNewerTerm", run: ["noteSender", "follow", "takeTerm", "answerVote"] },
              { run: ["noteSender", "answerVote"] },
            ],
            voteReply: [
              { guard: "isNewerTerm", run: ["noteSender", "follow", "takeTerm", "ignoreStale"] },
              { run: ["noteSender", "ignoreStale"] },
            ],
            append: [
              {
                guard: "isNewerTerm",
                run: ["noteSender", "follow", "takeTerm", "takeFirstAppend"],
              },
              { guard: "isFormerLeader", run: ["noteSender", "refuseAppend"] },
              { guard: "isSecondLeader", run: ["noteSender", "ignoreSecondLeader"] },
              { guard: "leadsAheadOfTime", run: ["noteSender", "ignoreAheadOfTime"] },
              { run: ["noteSender", "takeAppend"] },
            ],
            acknowledgement: [
              { guard: "isNewerTerm", run: ["noteSender", "follow", "takeTerm", "ignoreAnswer"] },
              { run: ["noteSender", "ignoreAnswer"] },
            ],
          },
          always: [
            { guard: "mustSuspend", target: "suspended", run: ["follow"] },
            { guard: "mustStandBack", run: ["follow"] },
            { guard: "canStoreIncoming", run: ["storeIncoming"] },
            { guard: "hasWaitingEntry", run: ["takeWaiting"] },
            { guard: "isCommitNoticed", run: ["decideAsLeader"] },
          ],
        },
        electing: {
          on: {
            tick: [
              {
                guard: "electionIsDue",
                target: "preCandidate",
                run: ["waitLonger", "askAround", ...TICK],
              },
            ],
            preVote: [
              { ...NEWER, run: ["noteSender", "standBack", "takeTerm", "answerPreVote"] },
              { run: ["noteSender", "answerPreVote"] },
            ],
            vote: [
              { ...NEWER, run: ["noteSender", "standBack", "takeTerm", "answerVote"] },
              { run: ["noteSender", "answerVote"] },
            ],
            preVoteReply: [
              { ...NEWER, run: ["noteSender", "standBack", "takeTerm", "ignoreStale"] },
              { run: ["noteSender", "ignoreStale"] },
            ],
            voteReply: [
              { ...NEWER, run: ["noteSender", "standBack", "takeTerm", "ignoreStale"] },
              { run: ["noteSender", "ignoreStale"] },
            ],
            append: [
              { ...NEWER, run: ["noteSender", "standBack", "takeTerm", "takeFirstAppend"] },
              { guard: "isFormerLeader", run: ["noteSender", "refuseAppend"] },
              { guard: "leadsAheadOfTime", run: ["noteSender", "ignoreAheadOfTime"] },
              { target: "follower", run: ["noteSender", "takeAppend"] },
            ],
            acknowledgement: [
              { ...NEWER, run: ["noteSender", "standBack", "takeTerm", "ignoreAnswer"] },
              { run: ["noteSender", "ignoreAnswer"] },
            ],
          },
          always: [
            { guard: "mustSuspend", target: "suspended", run: ["standBack"] },
            { guard: "mustStandBack", target: "follower", run: ["standBack"] },
          ],
          states: {
            preCandidate: {
              on: {
                preVoteReply: [
                  { ...NEWER, run: ["noteSender", "standBack", "takeTerm", "ignoreStale"] },
                  { guard: "answersOtherTerm", run: ["noteSender", "ignoreStale"] },
                  {
                    guard: "makesMajority",
                    target: "candidate",
                    run: ["noteSender", "countGrant", "askForVotes"],
                  },
                  { run: ["noteSender", "countGrant"] },
                ],
              },
            },
            candidate: {
              on: {
                voteReply: [
                  { ...NEWER, run: ["noteSender", "standBack", "takeTerm", "ignoreStale"] },
                  { guard: "isOlderTerm", run: ["noteSender", "ignoreStale"] },
                  {
                    guard: "makesMajority",
                    target: "leader",
                    run: ["noteSender", "countGrant", "lead"],
                  },
                  { run: ["noteSender", "countGrant"] },
                ],
              },
            },
          },
        },
        leader: {
          on: {
            leaseExpired: [{ target: "follower", run: ["yieldLease"] }],
            // Within the lease a majority hears this node: none of it votes for another one.
            preVote: [{ run: ["noteSender", "refusePreVote"] }],
            vote: [{ run: ["noteSender", "refuseVote"] }],
            preVoteReply: [
              { ...NEWER, run: ["noteSender", "yieldToTerm", "takeTerm", "ignoreStale"] },
              { run: ["noteSender", "ignoreStale"] },
            ],
            voteReply: [
              { ...NEWER, run: ["noteSender", "yieldToTerm", "takeTerm", "ignoreStale"] },
              { run: ["noteSender", "ignoreStale"] },
            ],
            append: [
              { ...NEWER, run: ["noteSender", "yieldToTerm", "takeTerm", "takeFirstAppend"] },
              { guard: "isFormerLeader", run: ["noteSender", "refuseAppend"] },
              { run: ["noteSender", "ignoreSecondLeader"] },
            ],
            acknowledgement: [
              { ...NEWER, run: ["noteSender", "yieldToTerm", "takeTerm", "ignoreAnswer"] },
              { guard: "isOlderTerm", run: ["noteSender", "ignoreStale"] },
              { guard: "standsElsewhere", run: ["noteSender", "ignoreOtherHead"] },
              { run: ["noteSender", "countStored"] },
            ],
            proposal: [
              { guard: "isOfOtherTerm", run: ["dropAsNotLeader"] },
              { guard: "isWrongProposal", run: ["dropAsWrong"] },
              { guard: "isAheadOfTime", target: "follower", run: ["dropAsAhead", "yieldAhead"] },
              { guard: "isEmpty", run: ["skipEmpty"] },
              { run: ["takeProposal"] },
            ],
            rest: [{ run: ["heartbeatWhenDue", "putRecordFirst", "setDeadline"] }],
          },
          always: [
            { guard: "mustSuspend", target: "suspended", run: ["yieldOffice"] },
            { guard: "mustStandBack", target: "follower", run: ["yieldOffice"] },
            { guard: "isFreshRefused", run: ["dropFresh"] },
            { guard: "isFreshExecuted", run: ["storeFresh"] },
            { guard: "isStoredByMajority", run: ["decideAlone"] },
            { guard: "canPropose", run: ["askForProposal"] },
          ],
        },
      },
    },
    stopped: {},
  },
};

/** The table ready to run. */
export const RAFT = compile(RAFT_TABLE);
