/** Where observers of transactions are put into a worker. Source: benchmark 7 */
import type { TxListener } from "../../../shared/benchmark/sut.ts";

/** The round that is observed. */
export interface ListenerPlace {
  readonly workerIndex: number;
  readonly roundIndex: number;
  readonly label: string;
}

/** Observers of one round. */
export interface RoundListener {
  readonly listener: TxListener;
  /** The round is over: what is kept back is sent. */
  close(): Promise<void>;
}

/** Opens the observers for a round. */
export type OpenListener = (place: ListenerPlace) => Promise<RoundListener>;

/** Nobody observes. */
export const NO_LISTENER: RoundListener = { listener: {}, close: async () => undefined };
