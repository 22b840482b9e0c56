/** PBFT as a table: what each phase does at each event. Source: pbft 14, 16 */
import { compile, type Table } from "../../protocol/table.ts";
import * as arrival from "./arrival.ts";
import * as decision from "./decision.ts";
import * as execution from "./execution.ts";
import type { PbftEvents } from "./input.ts";
import * as lostVotes from "./lost-votes.ts";
import * as membership from "./membership.ts";
import * as prepare from "./prepare.ts";
import { answerStale, statusWhenDue } from "./resend.ts";
import { isSealer, type PbftPhase } from "./state.ts";
import * as viewChange from "./view-change.ts";
import * as vote from "./vote.ts";

const FUNCTIONS = {
  ...arrival,
  ...decision,
  ...execution,
  ...lostVotes,
  ...membership,
  ...prepare,
  ...viewChange,
  ...vote,
  answerStale,
  statusWhenDue,
  isSealer,
};

/** What is due, whatever the node does. */
const DUE = ["statusWhenDue", "retryBody", "catchUpWhenDue"] as const;
const OBSERVED = [{ run: ["ignoreAsObserver"] }] as const;
/** Who is silent since the block was decided has no part in the round any more. */
const DECIDED = [{ guard: "isSealer", run: ["ignoreAsDecided"] }] as const;
const TAKE_BLOCK = [{ guard: "isSealed", target: "catchingUp", run: ["takeBlock"] }] as const;
/** Before Q want a later view, more than f others do. Source: pbft 16.3.6, 16.3.7 */
const JOIN = { guard: "mustJoin", target: "viewChanging", run: ["join"] } as const;
const TIME_OUT = [
  { guard: "isTimedOut", target: "viewChanging", run: ["leaveInVain", ...DUE] },
] as const;
const CERTIFIED_OTHERWISE = {
  guard: "isCertifiedOtherwise",
  target: "stopped",
  run: ["stopOverCertificate"],
} as const;
const CONTRADICTS_ITSELF = {
  guard: "contradictsItself",
  target: "stopped",
  run: ["stopOverOwnSign"],
} as const;

/** A sealer takes part in its round until a block is final; the rest is alike in each phase. */
export const PBFT_TABLE: Table<PbftPhase, PbftEvents, typeof FUNCTIONS> = {
  id: "consensus",
  field: "phase",
  functions: FUNCTIONS,
  states: {
    member: {
      on: {
        tick: [{ run: DUE }],
        prepare: OBSERVED,
        sign: OBSERVED,
        commit: OBSERVED,
        viewChange: OBSERVED,
        viewCertificate: OBSERVED,
        status: [{ run: ["takeStatus"] }],
        lostMessages: [{ run: ["abstainAfterLoss"] }],
        ownMessage: [{ run: ["ignoreOwnMessage"] }],
        stray: [{ run: ["ignoreStray"] }],
        outdated: [{ run: ["ignoreOutdated"] }],
        // No node who is behind is helped by an observer.
        stale: [{ guard: "isSealer", run: ["answerStale"] }, {}],
        proposal: [{ run: ["dropProposal"] }],
        assembled: [{ run: ["noteAssembled"] }],
        executed: [{ run: ["noteExecuted"] }],
        written: [
          // Who votes above it is told by its list.
          { guard: "isNewBlock", target: "observer", run: ["advanceHead"] },
          // Of two that wrote the same block the second reports nothing new.
          {},
        ],
        block: [{ run: ["ignoreBlock"] }],
        // A node that votes already, or whose block is being written, learns nothing new.
        votingRole: [{}],
        peersChanged: [{ run: ["notePeers"] }],
        // What follows from them is done by the rows below.
        keptTaken: [{}],
      },
      always: [
        { guard: "isOtherWanted", run: ["beginWork"] },
        { guard: "canExecute", run: ["execute"] },
      ],
      states: {
        observer: {
          on: {
            start: [{ run: ["begin"] }],
            block: TAKE_BLOCK,
            votingRole: [{ guard: "mustAbstain", run: ["abstain"] }, { run: ["joinIn"] }],
          },
          // A sealer goes on where its record says it stood.
          always: [
            { guard: "hasLeftView", target: "viewChanging" },
            { guard: "hasLocked", target: "prepared" },
            { guard: "hasAccepted", target: "prePrepared" },
            { guard: "isSealer", target: "idle" },
          ],
        },
        sealer: {
          on: {
            prepare: [
              { guard: "opensWithProposal", target: "prePrepared", run: ["enterProven", "accept"] },
              { guard: "opensItsView", target: "idle", run: ["enterProven", "refuse"] },
              { run: ["refuse"] },
            ],
            sign: [
              { guard: "provesOtherResult", target: "stopped", run: ["stopOverSign"] },
              { run: ["countSign"] },
            ],
            commit: [
              { guard: "makesFinal", target: "committed", run: ["countCommit", "decide"] },
              { run: ["countCommit"] },
            ],
            viewChange: [
              { guard: "holdsOtherLock", target: "stopped", run: ["stopOverLock"] },
              { run: ["countViewChange"] },
            ],
            viewCertificate: [
              { guard: "certifiesView", target: "idle", run: ["enterProven"] },
              { run: ["ignoreCertificate"] },
            ],
            lostMessages: [{ target: "observer", run: ["abstainAfterLoss"] }],
            block: TAKE_BLOCK,
            votingRole: [{ guard: "mustAbstain", target: "observer", run: ["abstain"] }],
          },
          states: {
            idle: {
              on: {
                tick: TIME_OUT,
                prepare: [{ guard: "isAcceptable", target: "prePrepared", run: ["accept"] }],
                proposal: [{ guard: "isOwnProposal", target: "prePrepared", run: ["propose"] }],
              },
              always: [
                CERTIFIED_OTHERWISE,
                JOIN,
                { guard: "canAsk", run: ["askForProposal"] },
                { guard: "canProposeAgain", target: "prePrepared", run: ["proposeAgain"] },
              ],
            },
            prePrepared: {
              on: {
                tick: TIME_OUT,
                // After a restart only R is known of what it signed.
                prepare: [{ guard: "isAcceptable", run: ["accept"] }],
              },
              always: [
                { guard: "isRoundEmpty", target: "viewChanging", run: ["leaveEmpty"] },
                JOIN,
                CERTIFIED_OTHERWISE,
                { guard: "canSign", run: ["sign"] },
                CONTRADICTS_ITSELF,
                { guard: "canLock", target: "prepared", run: ["lock"] },
              ],
            },
            prepared: {
              on: { tick: TIME_OUT, prepare: [{ guard: "isAcceptable", run: ["accept"] }] },
              // Its own commit vote may have been the last one.
              always: [
                { guard: "isFinal", target: "committed", run: ["decideLast"] },
                JOIN,
                CONTRADICTS_ITSELF,
              ],
            },
            // Silent in every view below the one it wants: it neither signs nor locks.
            viewChanging: {
              on: { tick: [{ guard: "isTimedOut", run: ["repeatViewChange", ...DUE] }] },
              always: [JOIN, { guard: "hasViewQuorum", target: "idle", run: ["enterWanted"] }],
            },
          },
        },
        // No node's vote is needed any more, so it is the same for an observer.
        decided: {
          on: {
            prepare: DECIDED,
            sign: DECIDED,
            commit: DECIDED,
            viewCertificate: DECIDED,
            viewChange: [{ guard: "isSealer", run: ["countViewChange"] }],
            block: [{ guard: "isSealed", run: ["takeBlock"] }],
            votingRole: [{ guard: "mustAbstain", run: ["abstain"] }],
          },
          always: [
            { guard: "isRefused", target: "stopped", run: ["stopOverRefusal"] },
            { guard: "isExecutedOtherwise", target: "stopped", run: ["stopOverResult"] },
            { guard: "canWrite", run: ["write"] },
          ],
          states: { committed: {}, catchingUp: {} },
        },
      },
    },
    stopped: {},
  },
};

/** The table ready to run. */
export const PBFT = compile(PBFT_TABLE);
