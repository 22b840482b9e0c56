/**
 * Sends answers over a WebSocket: a long one in fragments, of which the next is made when the
 * client has taken the one before.
 */
/// <reference path="./ws.d.ts" />
import { WebSocket } from "ws";
import type { Pace } from "../../../core/limits/pace.ts";
import type { Answer, LongText } from "../../../core/rpc/long-answer.ts";

/** What a long answer is counted for: a piece of it. */
const LONG_BYTES = 64 * 1024;

/** Told how much more is held, or less. */
type OnHeld = (bytes: number) => void;

interface Waiting {
  readonly text: Answer;
  readonly bytes: number;
  readonly onHeld: OnHeld;
}

/** The answers of a connection. A class because it knows what waits. */
export class WebSocketAnswers {
  readonly #socket: WebSocket;
  readonly #pace: Pace | undefined;
  /** What is sent when a long answer has left. */
  readonly #waiting: Waiting[] = [];
  /** Bytes that wait here, not in the socket. */
  waitingBytes = 0;
  #isSending = false;

  /** @param pace asked between the pieces of a long answer: a client may take all at once */
  constructor(socket: WebSocket, pace: Pace | undefined) {
    this.#socket = socket;
    this.#pace = pace;
  }

  send(text: Answer, onHeld: OnHeld): void {
    const bytes = typeof text === "string" ? text.length : LONG_BYTES;
    onHeld(bytes);
    if (typeof text === "string" && !this.#isSending) {
      this.#socket.send(text, () => onHeld(-bytes));
      return;
    }
    this.#waiting.push({ text, bytes, onHeld });
    this.waitingBytes += bytes;
    if (!this.#isSending) void this.#sendAll();
  }

  /** Fragments of one message cannot have others between them. */
  async #sendAll(): Promise<void> {
    this.#isSending = true;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      const { text, bytes, onHeld } = next;
      try {
        if (typeof text === "string") await this.#sent(text, true);
        else await this.#sendPieces(text);
      } catch {
        // What is half sent cannot be ended in good form.
        this.#socket.terminate();
      }
      this.waitingBytes -= bytes;
      onHeld(-bytes);
    }
    this.#isSending = false;
  }

  async #sendPieces(text: LongText): Promise<void> {
    let left = text.bytes;
    for await (const piece of text.pieces()) {
      if (piece === "") continue;
      left -= Buffer.byteLength(piece);
      await this.#sent(piece, left <= 0);
      await this.#pace?.();
      if (this.#socket.readyState !== WebSocket.OPEN) return;
    }
  }

  #sent(piece: string, fin: boolean): Promise<void> {
    return new Promise((resolve) => this.#socket.send(piece, { fin }, () => resolve()));
  }
}
