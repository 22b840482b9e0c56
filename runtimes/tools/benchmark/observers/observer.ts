/** Who learns of every transaction of a worker. Source: benchmark 7 (transaction observers) */
import type { Credentials } from "../monitors/http-text.ts";
import type { TxListener } from "../../../shared/benchmark/sut.ts";

/** Where an observer stands. */
export interface ObservedRound {
  readonly workerIndex: number;
  /** From 0. */
  readonly roundIndex: number;
  readonly roundLabel: string;
}

/** Learns of the transactions of one worker, round after round. */
export interface TxObserver extends Required<TxListener> {
  /** @throws Error when it cannot begin, such as on a port that is taken */
  roundStarts(round: ObservedRound): Promise<void>;
  /** What is not sent yet is sent now; what cannot be sent is reported, and never thrown. */
  roundEnds(): Promise<void>;
  close(): Promise<void>;
}

/** What observers share. */
export interface ObserverTerms {
  /** Where sentences for the operator go. */
  readonly tell: (sentence: string) => void;
  /** Who pushes: `caliper-auth-prometheus-push-username` and `-password`. */
  readonly gateway?: Credentials | undefined;
}
