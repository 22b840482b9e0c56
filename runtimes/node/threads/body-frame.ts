/** Messages between the main thread and the thread that reads long bodies. */
import type { TransactionHashes } from "../../../core/model/transaction.ts";
import type { Envelope } from "../../../core/rpc/envelope.ts";

/** To the thread. */
export type BodyMessage =
  /** The pieces are handed over; the thread frees them. */
  | {
      readonly type: "read";
      readonly id: number;
      readonly body: number;
      readonly pieces: readonly ArrayBuffer[];
      readonly bytes: number;
      /** Bytes that are no UTF-8 are told; else they are replaced. */
      readonly strict: boolean;
    }
  | { readonly type: "hash"; readonly id: number; readonly bytes: Uint8Array }
  /** A transaction; its bytes come back. */
  | { readonly type: "examine"; readonly id: number; readonly bytes: Uint8Array }
  /** Further requests of a batch. */
  | { readonly type: "next"; readonly id: number; readonly body: number; readonly from: number }
  | { readonly type: "drop"; readonly body: number };

/** A request without long texts. */
export interface BodyRequest {
  readonly envelope: Envelope;
  /** UTF-8 of an id that is long: the envelope has a short one in its place. */
  readonly longId?: Uint8Array | undefined;
  /** Bytes that stand in its parameters, and what is known of them as a transaction. */
  readonly bytes: Uint8Array | undefined;
  readonly hashes: TransactionHashes | undefined;
}

/** From the thread. */
export type BodyReply = { readonly id: number } & (
  | { readonly type: "malformed" | "notUtf8" }
  | { readonly type: "tooMany"; readonly most: number }
  | { readonly type: "request"; readonly request: BodyRequest }
  | { readonly type: "hash"; readonly digest: Uint8Array }
  | ({ readonly type: "examined"; readonly bytes: Uint8Array } & Pick<BodyRequest, "hashes">)
  /** The first of them. */
  | { readonly type: "batch"; readonly count: number; readonly requests: readonly BodyRequest[] }
  | { readonly type: "more"; readonly requests: readonly BodyRequest[] }
);

/** What the thread is started with. */
export interface BodyWorkerData {
  readonly suite: "standard" | "national";
  /** To threads that the chain waits for. */
  readonly givesWay: boolean;
}
