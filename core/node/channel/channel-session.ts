/** A client's connection: frames, state, memory held. Source: channel-protocol 2.1, 2.3, 3 */
import type { ChannelVersion, SessionHandle } from "../../channel/session-handle.ts";
import {
  encodeFrame,
  encodeHeader,
  type Frame,
  FrameReader,
  type LongData,
  MAX_DATA_BYTES,
} from "../../channel/frame.ts";
import { clientOf } from "../../limits/client-address.ts";
import { AskingConnection } from "../../limits/asking-connection.ts";
import { MAX_RUNNING, newSession, type SessionState } from "../../channel/session/state.ts";

/** A connection as the transport offers it. */
export interface ChannelLine {
  /** 128 hex digits of the client's public key; empty with RSA. */
  readonly sdkId: string;
  /** `ip:port` of the client, for the log. */
  readonly remote: string;
  /**
   * Sends these bytes as a write of their own, after those before them.
   * @param moved called when a part of many bytes has been handed over
   */
  write(bytes: Uint8Array, written: () => void, moved?: () => void): void;
  /** As {@link write} for a frame whose data is made while it is sent. */
  writeLong(head: Uint8Array, data: LongData, told: LongTold): void;
  /** Stops and continues reading. */
  pause(): void;
  resume(): void;
  /** Sends what is queued, then ends in good form; cuts after a while. */
  end(): void;
  /** Cuts at once. */
  destroy(): void;
}

/** Whose a connection is. */
export function addressOf({ remote }: ChannelLine): string {
  return clientOf(remote.slice(0, remote.lastIndexOf(":")));
}

/** What is reported of a long frame. */
export interface LongTold {
  /** A part has left. */
  readonly moved: () => void;
  /** It has left. */
  readonly written: () => void;
  /** Its data cannot be made, after some of it has left. */
  readonly failed: () => void;
}

/** What a long frame is counted for: a piece of it. */
const LONG_BYTES = 64 * 1024;
/** Unsent bytes above which a client's requests are not taken: it does not read our answers. */
const HIGH_WATER_BYTES = 1024 * 1024;
/** Requests that each session may have worked on, however many others do. */
const LEAST_RUNNING = 2;

/** What a session reports to its service. */
export interface SessionOwner {
  /** Most unsent bytes; a frame for an empty queue is always taken. */
  readonly maxUnsentBytes: number;
  readonly now: () => number;
  /** How many of its requests may be worked on; may be below 0. */
  spareRequests(session: HostedSession): number;
  /** What it has sent may be taken on, or could not be before others' requests are over. */
  onRoom(session: HostedSession, hasRoom: boolean): void;
  /** Its memory has grown or shrunk by this much. */
  onHeld(session: HostedSession, change: number): void;
  /** More is unsent than may be, or more is to be sent than a frame holds. */
  onOverflow(session: HostedSession, reason: "unread" | "oversize"): void;
  onFrameSent(bytes: number): void;
}

/** A session with its connection. */
export class HostedSession implements SessionHandle {
  readonly id: number;
  readonly line: ChannelLine;
  readonly state: SessionState;
  readonly reader = new FrameReader(true);
  readonly asker: AskingConnection;
  /** What ends the waiting for each receipt that it awaits. */
  readonly awaited = new Set<() => void>();
  readonly #owner: SessionOwner;
  #unsent = 0;
  #held = 0;
  #paused = false;
  /** What has come and is not taken yet, but for the first frames of the first. */
  readonly #unread: Uint8Array[] = [];
  #frames: Iterator<Frame> | undefined;
  #unreadBytes = 0;
  /** What is unread is being taken now, or once it has its turn. */
  taking: "now" | "later" | undefined;
  #gone = false;
  #released = false;

  constructor(id: number, line: ChannelLine, owner: SessionOwner) {
    this.id = id;
    this.line = line;
    this.asker = new AskingConnection(addressOf(line));
    this.#owner = owner;
    this.state = newSession(owner.now());
  }

  get sdkId(): string {
    return this.line.sdkId;
  }

  get version(): ChannelVersion {
    return this.state.version;
  }

  get topics(): ReadonlySet<string> {
    return this.state.topics;
  }

  /** Bytes that it holds: unfinished frames, requests that run, topics, what is not read. */
  get heldBytes(): number {
    return this.#held;
  }

  get unsentBytes(): number {
    return this.#unsent;
  }

  /** Nothing is taken or sent any more; what was sent may still be on its way. */
  get isGone(): boolean {
    return this.#gone;
  }

  send(frame: Frame, written?: () => void): void {
    if (this.#gone) return;
    // Only a peer's frame or a receipt of absurd size could be: who waits for it waits in vain.
    const { long } = frame;
    if ((long?.bytes ?? frame.data.length) > MAX_DATA_BYTES)
      return this.#owner.onOverflow(this, "oversize");
    const bytes = long ? encodeHeader(frame, long.bytes) : encodeFrame(frame);
    const length = long ? LONG_BYTES : bytes.length;
    if (this.#unsent > 0 && this.#unsent + length > this.#owner.maxUnsentBytes) {
      this.#owner.onOverflow(this, "unread");
      return;
    }
    this.#unsent += length;
    this.#owner.onFrameSent(long ? bytes.length + long.bytes : length);
    const moved = (): void => {
      this.state.lastActivityMs = this.#owner.now();
    };
    const left = (): void => {
      this.#unsent -= length;
      moved();
      this.settle();
      if (!this.#gone) written?.();
    };
    const failed = (): void => this.#owner.onOverflow(this, "oversize");
    if (long) this.line.writeLong(bytes, long, { moved, written: left, failed });
    else this.line.write(bytes, left, moved);
    this.settle();
  }

  /** Whether there is something to be taken: what follows comes behind it. */
  get isResting(): boolean {
    return this.#unread.length > 0;
  }

  /** Takes what has come into what is to be taken. */
  keep(bytes: Uint8Array): void {
    this.#unread.push(bytes);
    this.#unreadBytes += bytes.length;
  }

  /** The next frame of what has come; undefined when there is no whole one. */
  next(): Frame | undefined {
    for (;;) {
      const cut = this.#frames?.next();
      if (cut?.done === false) return cut.value;
      if (cut) this.#unreadBytes -= this.#unread.shift()?.length ?? 0;
      const [bytes] = this.#unread;
      this.#frames = bytes && this.reader.frames(bytes);
      if (!bytes) return undefined;
    }
  }

  /** Most requests that may be worked on now: fewer of each, the more are. */
  get #maxRunning(): number {
    return Math.min(MAX_RUNNING, Math.max(LEAST_RUNNING, this.#owner.spareRequests(this)));
  }

  /** Its client may send more, but here nothing is read until its requests are answered. */
  get isHeldBack(): boolean {
    return this.#paused && this.state.running > 0;
  }

  /** Whether a further request may be worked on. */
  get hasRoom(): boolean {
    return this.state.running < this.#maxRunning && this.#unsent <= HIGH_WATER_BYTES;
  }

  /** After every change: counts what is held, and stops or continues reading. */
  settle(): void {
    if (this.#released) return;
    const { runningBytes, topicBytes, waitingTopics } = this.state;
    const topics = topicBytes + (waitingTopics?.length ?? 0);
    const unread = this.#unreadBytes + this.reader.heldBytes;
    const taken = this.#gone ? 0 : unread + runningBytes + topics;
    const held = taken + this.#unsent;
    const change = held - this.#held;
    this.#held = held;
    if (!this.#gone && this.taking !== "now") this.#pace();
    if (change !== 0) this.#owner.onHeld(this, change);
    // Who does not read goes on once it does, not when requests of others are over.
    if (this.#gone || this.taking || !this.#paused || this.#unsent > HIGH_WATER_BYTES) return;
    this.#owner.onRoom(this, this.isResting && this.hasRoom);
  }

  /** What is not read here waits with the client: requests above a number, and while it sleeps. */
  #pace(): void {
    const { running } = this.state;
    const { isResting } = this;
    const isFull = isResting || !this.hasRoom;
    const isCalm = running <= this.#maxRunning / 2 && this.#unsent <= HIGH_WATER_BYTES / 2;
    if (!this.#paused && isFull) {
      this.#paused = true;
      this.line.pause();
    } else if (this.#paused && isCalm && !isResting) {
      this.#paused = false;
      this.line.resume();
    }
  }

  #drop(): void {
    this.#gone = true;
    this.reader.clear();
    this.#frames = undefined;
    this.#unread.length = 0;
    this.#unreadBytes = 0;
  }

  /** Nothing is taken or sent any more; what the client has not read counts until it has. */
  finish(): void {
    this.#drop();
    this.settle();
  }

  /** Nothing is sent or counted any more. @returns the bytes it held */
  release(): number {
    const held = this.#held;
    this.#drop();
    this.#released = true;
    this.#held = 0;
    return held;
  }
}
