/**
 * One connection of the WebSocket endpoint: which of its requests run, what it holds in memory, and
 * how it ends.
 */
/// <reference path="./ws.d.ts" />
import type { Duplex } from "node:stream";
import { WebSocket } from "ws";
import type { Holder, SocketMemory } from "../../../core/limits/memory-account.ts";
import { AskingConnection } from "../../../core/limits/asking-connection.ts";
import type { Pace } from "../../../core/limits/pace.ts";
import type { Answer } from "../../../core/rpc/long-answer.ts";
import { PacedReading } from "./paced-reading.ts";
import { WebSocketAnswers } from "./websocket-answers.ts";
import type { Requests } from "../../../core/rpc/requests.ts";
import { TextFault } from "../threads/body-host.ts";
import { type LongTerms, LongMessages } from "./websocket-long.ts";
import { FrameWatch, MAX_FRAGMENTS } from "./websocket-frames.ts";

/** A client that has this much unread is cut off at the next text. */
export const MAX_UNSENT_BYTES = 8 * 1024 * 1024;
/** A client that has this much unread gets no pong: its pings would fill the memory. */
export const MAX_UNREAD_OF_PONG = 16 * 1024;
/** Requests of one connection that run at a time; further ones are read when these are done. */
export const MAX_RUNNING = 64;
/** What a message costs besides its bytes. */
const MESSAGE_BYTES = 512;
/** A client whose requests are not read is sent a ping so often: else nobody sees that it went. */
const HANG_UP_MS = 1_000;
/** A close that the client does not answer ends after this time. */
export const CLOSE_GRACE_MS = 2_000;

/** Reasons for which a connection is ended. Source: RFC 6455 7.4.1 */
export const CLOSE = {
  goingAway: 1001,
  unsupported: 1003,
  invalid: 1007,
  policy: 1008,
  tryAgain: 1013,
} as const;

/** Has a connection read again. The library knows whether it waits for room of its own. */
export function readOn(socket: WebSocket): void {
  if (!socket.isPaused) socket.resume();
}

/** Answers a text of requests; told how the answers of a batch grow, it stops when told so. */
type AnswerText = (text: string | Requests, onGrown: (bytes: number) => boolean) => Promise<void>;

/** A message that waits until it is answered. */
interface Waiting {
  readonly bytes: number;
  readonly text: () => string | Promise<Requests>;
  /** It is answered, or no caller waits for it. */
  readonly done?: () => void;
}

interface ClientTerms {
  readonly memory: SocketMemory;
  readonly onCut: () => void;
  readonly pace?: Pace | undefined;
  /** How long messages are read; by the library, as all others, when absent. */
  readonly long?: LongTerms | undefined;
  /** Whose it is. */
  readonly address: string;
}

/** Why a message that is read here ends its connection. Source: RFC 6455 7.4.1 */
const BROKEN = {
  tooLong: [1009, "the message is too long"],
  binary: [CLOSE.unsupported, "requests are texts"],
  interleaved: [1002, "a message begins within another"],
} as const;

/** A connection. A class because it owns its socket. */
export class WebSocketClient implements Holder {
  readonly #socket: WebSocket;
  readonly #terms: ClientTerms;
  readonly #line: { readonly waiting: Waiting[]; waitsForTurn: boolean } = {
    waiting: [],
    waitsForTurn: false,
  };
  readonly #long: LongMessages | undefined;
  readonly #answers: WebSocketAnswers;
  #answer: AnswerText = async () => undefined;
  #running = 0;
  readonly #frames = new FrameWatch();
  /** What is counted for a message that is not whole yet. */
  #unfinished = 0;
  #isEnding = false;
  /** Runs while requests are not read. */
  #hangUps: NodeJS.Timeout | undefined;
  /** What came with the last ping that is not answered. */
  #ping: Uint8Array | undefined;
  heldBytes = 0;
  readonly address: string;
  /** Gone once nothing of it is answered any more. */
  readonly asker: AskingConnection;
  isGone = false;

  constructor(socket: WebSocket, stream: Duplex, terms: ClientTerms) {
    const { address, memory, pace, long } = terms;
    this.#terms = terms;
    this.#socket = socket;
    this.address = address;
    this.asker = new AskingConnection(address);
    this.#answers = new WebSocketAnswers(socket, () => pace?.(this.asker));
    memory.add(this);
    // In front: messages that these bytes make whole are counted when the library tells them.
    stream.prependListener("data", (bytes: Buffer) => this.#read(bytes));
    this.#long = long && this.#takeLong(stream, long);
    socket.on("message", (data: Buffer, isBinary: boolean) => this.#take(data, isBinary));
    socket.on("ping", (data: Uint8Array) => this.#onPing(data));
    socket.once("close", () => {
      this.#isEnding = true;
      this.#drop();
      this.isGone = true;
      // What runs still counts.
      if (this.#running === 0) memory.remove(this);
    });
  }

  /** Begins to answer. */
  serve(answer: AnswerText): void {
    this.#answer = answer;
  }

  /** Nothing of it runs, waits or is on its way. */
  get isIdle(): boolean {
    return this.#running + this.#line.waiting.length === 0 && this.unsentBytes === 0;
  }

  /** Bytes that wait until the client reads. */
  get unsentBytes(): number {
    return this.#socket.bufferedAmount + this.#answers.waitingBytes;
  }

  /** One long answer is no offence; what comes while it is unread is. */
  send(text: Answer): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    if (this.unsentBytes > MAX_UNSENT_BYTES) {
      this.end(CLOSE.tryAgain, "more than 8 MiB are unread");
      return;
    }
    this.#answers.send(text, (bytes) => this.#terms.memory.change(this, bytes));
  }

  /** Ends with a reason; what still arrives is ignored, and who does not answer is cut. */
  end(code: number, reason: string): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#socket.close(code, reason);
    // The client's own close is to be seen.
    this.#socket.resume();
    const timer = setTimeout(() => this.#socket.terminate(), CLOSE_GRACE_MS);
    this.#socket.once("close", () => clearTimeout(timer));
  }

  /** Clients hold too much, and this one holds most. */
  cut(): void {
    this.#isEnding = true;
    this.#drop();
    this.#terms.onCut();
    this.#socket.terminate();
  }

  #read(bytes: Buffer): void {
    this.#frames.read(bytes);
    this.#countUnfinished();
    if (this.#frames.fragments <= MAX_FRAGMENTS) return;
    if (this.#isEnding) return this.#socket.terminate();
    this.end(CLOSE.policy, `a message is in more than ${MAX_FRAGMENTS} fragments`);
    // Nothing further is read: it could send on until it is cut.
    this.#socket.pause();
  }

  #countUnfinished(): void {
    const held = Math.max(this.#frames.heldBytes, this.#long?.heldBytes ?? 0);
    const change = held - this.#unfinished;
    this.#unfinished = held;
    this.#terms.memory.change(this, change);
  }

  /** Of pings that come together only the last is answered. Source: RFC 6455 5.5.3 */
  #onPing(data: Uint8Array): void {
    if (this.#ping === undefined) setImmediate(() => this.#pong());
    this.#ping = data;
  }

  #pong(): void {
    const data = this.#ping;
    this.#ping = undefined;
    const isOpen = this.#socket.readyState === WebSocket.OPEN;
    if (data && isOpen && this.unsentBytes <= MAX_UNREAD_OF_PONG) this.#socket.pong(data);
  }

  #take(data: Buffer, isBinary: boolean): void {
    if (this.#isEnding) return;
    if (isBinary) return this.end(CLOSE.unsupported, "requests are texts");
    this.#await({ bytes: data.length + MESSAGE_BYTES, text: () => data.toString("utf8") });
  }

  /** In place of the library, what comes is examined here first. */
  #takeLong(stream: Duplex, terms: LongTerms): LongMessages {
    const [library] = stream.listeners("data").slice(-1) as ((bytes: Buffer) => void)[];
    const long = new LongMessages(terms, {
      pass: (bytes) => library?.call(stream, bytes),
      whole: (body, bytes) => {
        this.#countUnfinished();
        if (this.#isEnding) return body.drop();
        this.#await({
          bytes,
          text: () => body.read(this.address, "strict"),
          done: () => body.drop(),
        });
      },
      broken: (problem) => {
        const [code, reason] = BROKEN[problem];
        this.end(code, reason);
      },
    });
    if (library) stream.removeListener("data", library);
    const source = { pause: () => void stream.pause(), resume: () => readOn(this.#socket) };
    const reading = new PacedReading(source, () => this.#terms.pace?.(this.asker));
    stream.on("data", (bytes: Buffer) => {
      // They may be dropped as they are read.
      const { length } = bytes;
      long.read(bytes);
      this.#countUnfinished();
      reading.took(length);
    });
    return long;
  }

  /** Nothing that waits is answered. */
  #drop(): void {
    clearInterval(this.#hangUps);
    this.asker.leave();
    this.#long?.end();
    for (const { bytes, done } of this.#line.waiting.splice(0)) {
      this.#terms.memory.change(this, -bytes);
      done?.();
    }
  }

  #await(message: Waiting): void {
    this.#line.waiting.push(message);
    this.#terms.memory.change(this, message.bytes);
    // What was read together with it still comes.
    if (this.#running + this.#line.waiting.length >= MAX_RUNNING) this.#rest();
    this.#runNext();
  }

  /** Of what was read together thousands may be answered: others have turns in between. */
  #runNext(): void {
    if (this.#line.waitsForTurn) return;
    while (this.#running < MAX_RUNNING && !this.#isEnding) {
      if (this.#line.waiting.length > 0 && this.#waitForTurn()) return;
      const message = this.#line.waiting.shift();
      if (!message) break;
      void this.#run(message);
    }
    const isFree = this.#running + this.#line.waiting.length <= MAX_RUNNING / 2;
    if (!isFree) return;
    clearInterval(this.#hangUps);
    this.#hangUps = undefined;
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.resume();
  }

  /** One place in the line for the whole connection. @returns false when it has its turn */
  #waitForTurn(): boolean {
    const turn = this.#terms.pace?.(this.asker);
    if (!turn) return false;
    this.#line.waitsForTurn = true;
    void turn.then(() => {
      this.#line.waitsForTurn = false;
      this.#runNext();
    });
    return true;
  }

  /** Nothing is read. A caller that has gone breaks the connection by what is written. */
  #rest(): void {
    this.#socket.pause();
    this.#hangUps ??= setInterval(() => {
      if (this.#socket.readyState === WebSocket.OPEN) this.#socket.ping();
    }, HANG_UP_MS);
  }

  async #run({ bytes: length, text, done }: Waiting): Promise<void> {
    this.#running += 1;
    const stay = done && this.asker.whenGone(done);
    let held = length;
    const onGrown = (bytes: number): boolean => {
      held += bytes;
      this.#terms.memory.change(this, bytes);
      return !this.#isEnding;
    };
    try {
      await this.#answer(await text(), onGrown);
    } catch (cause) {
      // Only a long message can fail: it is no text, or the thread that reads it was lost.
      if (cause instanceof TextFault) this.end(CLOSE.invalid, cause.message);
      else this.end(CLOSE.tryAgain, "the message could not be read");
    } finally {
      stay?.();
      done?.();
      this.#running -= 1;
      this.#terms.memory.change(this, -held);
      if (this.isGone && this.#running === 0) this.#terms.memory.remove(this);
      this.#runNext();
    }
  }
}
