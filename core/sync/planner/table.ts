/** Block sync as a table: what each state does at each event. Source: sync 4, 9 */
import { compile, type Table } from "../../protocol/table.ts";
import * as announce from "./announce.ts";
import * as arrival from "./arrival.ts";
import * as download from "./download.ts";
import * as imports from "./import.ts";
import type { SyncEvents } from "./input.ts";
import * as peers from "./peers.ts";
import * as serving from "./serving.ts";
import { noteSealing, type SyncPhase } from "./state.ts";

const FUNCTIONS = {
  ...announce,
  ...arrival,
  ...download,
  ...imports,
  ...peers,
  ...serving,
  noteSealing,
};

const IMPORT = { guard: "canImport", target: "importing", run: ["importNext"] } as const;

/** Consensus and peers speak to a node that runs; only one that is behind asks for blocks. */
export const SYNC_TABLE: Table<SyncPhase, SyncEvents, typeof FUNCTIONS> = {
  id: "sync",
  field: "phase",
  functions: FUNCTIONS,
  states: {
    running: {
      on: {
        // What has become due is done by the rows below.
        tick: [{}],
        peerUp: [{ run: ["enterPeer"] }],
        peerDown: [{ run: ["leavePeer"] }],
        status: [{ run: ["noteStatus"] }],
        requestRange: [{ run: ["queueRequest"] }],
        // Late blocks of a download that is over may begin another one.
        blocks: [
          { guard: "isOfUnknownSender", run: ["ignoreSender"] },
          { guard: "breaksRules", run: ["convictForBlocks"] },
          { run: ["takeBlocks"] },
        ],
        malformed: [{ run: ["convictForGarbage"] }],
        sealing: [{ run: ["noteSealing"] }],
        // Of two that wrote the same block the second reports nothing new.
        committed: [{ guard: "isNewBlock", run: ["advanceHead"] }, {}],
        // The peer may have left meanwhile.
        loaded: [{ guard: "isOfThisLoad", run: ["serveLoaded"] }, {}],
        rest: [{ run: ["notePeers", "serveNext", "announceWhenDue", "setDeadline"] }],
      },
      always: [{ guard: "isOneBehind", run: ["awaitOwnVotes"] }],
      states: {
        idle: {
          on: {
            start: [{ run: ["beginAnnouncing"] }],
            // The download that it belongs to is over.
            verified: [{}],
          },
          always: [
            { guard: "hasBlocksToGet", target: "requesting", run: ["reportDownload"] },
            { guard: "hasBlocks", run: ["dropBlocks"] },
          ],
        },
        behind: {
          on: {
            // The run may have been given up since.
            verified: [{ guard: "isOfThisVerification", run: ["noteVerified"] }, {}],
          },
          always: [
            { guard: "hasTimedOut", run: ["expireRequests"] },
            { guard: "hasNothingToGet", target: "idle", run: ["endDownload"] },
            { guard: "nextIsBad", run: ["convictNext"] },
            { guard: "canVerify", run: ["verifyNext"] },
            { guard: "canRequest", run: ["requestNext"] },
          ],
          states: {
            requesting: { always: [IMPORT, { guard: "hasRequests", target: "downloading" }] },
            downloading: { always: [IMPORT, { guard: "hasNoRequests", target: "requesting" }] },
            importing: {
              on: {
                imported: [
                  { guard: "isOwnFault", target: "stopped", run: ["stopPlanner"] },
                  { guard: "isPeersFault", target: "requesting", run: ["blameSender"] },
                  { guard: "isOfThisImport", target: "requesting", run: ["endImport"] },
                ],
              },
            },
          },
        },
      },
    },
    stopped: {},
  },
};

/** The table ready to run. */
export const SYNC = compile(SYNC_TABLE);
