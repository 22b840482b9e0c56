/** Messages between the main thread and the thread that answers calls. */
import type { LinePlace } from "../../../core/limits/fair-line.ts";
import type { CallOutcome, CallRequest } from "../../../core/ports/executor.ts";
import type { FaultFrame } from "./executor-frame.ts";
import type { LedgerSetup } from "./ledger-setup.ts";

/** To the call thread. A ledger is described with each call; it is opened once. */
export type CallMessage =
  | {
      readonly type: "call";
      readonly id: number;
      /** Whose turn it takes. */
      readonly place: LinePlace;
      readonly setup: LedgerSetup;
      readonly request: CallRequest;
    }
  /** That call is not wanted any more; there is no answer to this, and none to the call. */
  | { readonly type: "withdraw"; readonly id: number }
  | { readonly type: "release"; readonly id: number; readonly folder: string };

/** From the call thread. */
export type CallReply = {
  readonly id: number;
} /** Late when it took longer than it may: one long step is not interrupted. */ & (
  | { readonly type: "answer"; readonly outcome: CallOutcome; readonly isLate: boolean }
  | { readonly type: "tooLong" | "released" }
  | { readonly type: "fault"; readonly fault: FaultFrame }
);

/** What the call thread is started with. */
export interface CallWorkerData {
  /** A call that runs longer is abandoned. */
  readonly callLimitMs: number;
}
