/** The trace of a performance: one hash over the order and content of everything that happens. */
import { utf8Bytes } from "../../../core/bytes/byte-string.ts";
import { concatBytes } from "../../../core/bytes/bytes.ts";
import { toHex } from "../../../core/bytes/hex.ts";
import type { Frame } from "./frame.ts";

/** What of a step goes into the trace. */
export type TraceStep = Pick<Frame, "timeMs" | "cause" | "sent" | "ended">;

/** Adds up the steps of one performance. */
export class Trace {
  readonly #hash: (data: Uint8Array) => Uint8Array;
  #digest = new Uint8Array(32);

  constructor({ hash }: { readonly hash: (data: Uint8Array) => Uint8Array }) {
    this.#hash = hash;
  }

  /** 64 hexadecimal digits. */
  get digest(): string {
    return toHex(this.#digest);
  }

  /** Bytes of what was sent, by the step that sent it. */
  add({ timeMs, cause, sent, ended }: TraceStep, bytes: readonly Uint8Array[] = []): void {
    const names = sent.map(({ id, from, to, kind, arrivesAt }) => [id, from, to, kind, arrivesAt]);
    const ends = ended.map(({ flight, how }) => [flight.id, how]);
    const text = JSON.stringify([timeMs, cause, names, ends]);
    this.#digest = this.#hash(concatBytes(this.#digest, utf8Bytes(text), ...bytes)).slice();
  }
}
