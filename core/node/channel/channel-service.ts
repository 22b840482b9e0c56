/**
 * The port of the SDKs without its sockets: hosts the sessions, performs what they ask for, and
 * bounds what they hold in memory. Source: channel-protocol 2.1, 3-7, 10
 */
import { describe } from "../../actors/supervise.ts";
import type { GroupId } from "../../bytes/ids.ts";
import type { AccessControl } from "../../channel/access.ts";
import {
  type AnswerContext,
  answerRequest,
  oversizeAnswer,
  type ReadLong,
  textOf,
} from "../../channel/answer.ts";
import type {
  ChannelExtension,
  ChannelSessions,
  SessionHandle,
} from "../../channel/session-handle.ts";
import { type Frame, MAX_DATA_BYTES } from "../../channel/frame.ts";
import type { SessionEffect, SessionInput } from "../../channel/session/state.ts";
import { type SessionFacts, step } from "../../channel/session/step.ts";
import { formatVersion } from "../../model/version.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import {
  type ChannelCounters,
  newFigures,
  type SessionEnd,
  TEXT_OF_CUT,
} from "./channel-figures.ts";
import { type AwaitedReceipt, ChannelReceipts } from "./channel-receipts.ts";
import { addressOf, type ChannelLine, HostedSession } from "./channel-session.ts";
import { SharedWork } from "./shared-work.ts";
import { sleep } from "../../limits/yield-timer.ts";
import { evictedFor, largestIn } from "./session-eviction.ts";
import { LogThrottle } from "../../limits/log-throttle.ts";
import type { MemoryMember, MemoryTotal } from "../../limits/memory-total.ts";
import type { NodeApi } from "../../api/node-api.ts";

/** Bounds of a port. */
export interface ChannelLimits {
  /** Sessions at one time. */
  readonly sessions: number;
  /** Bytes of all sessions together: frames not yet worked on, and frames not yet read. */
  readonly heldBytes: number;
  /** Bytes of one session that its client has not read. */
  readonly unsentBytes: number;
}

/** Bounds unless they are set. */
export const DEFAULT_CHANNEL_LIMITS: ChannelLimits = {
  sessions: 2_000,
  // Two longest requests.
  heldBytes: 136 * 1024 * 1024,
  unsentBytes: 32 * 1024 * 1024,
};

/** UTF-8 as the platform does it fastest. */
export interface TextCodec {
  text(bytes: Uint8Array): string;
  bytes(text: string): Uint8Array;
}

/** What the service is made with. */
export interface ChannelServiceOptions {
  readonly node: NodeApi;
  readonly access: AccessControl;
  readonly limits: ChannelLimits;
  readonly clock: Clock;
  readonly log: Log;
  readonly codec: TextCodec;
  readonly readLong?: ReadLong | undefined;
  /** Of which the port is a member while it is open. */
  readonly total?: MemoryTotal | undefined;
  /** Told of each call, for metrics. */
  readonly observe?: AnswerContext["observe"];
}

/** What the transport reports a connection. */
export interface OpenLine {
  received(bytes: Uint8Array): void;
  /** The connection is gone. */
  closed(): void;
}

/** Idle sessions are looked for so often. */
const TICK_MS = 1_000;
/** When the port drains, answers and receipts that are awaited may still come for so long. */
export const DRAIN_MS = 5_000;
const TICK_OF_DRAIN_MS = 50;

/** Above this part of the memory nothing of other sessions is sent: the rest is for answers. */
const EXTENSION_SHARE = 0.5;
/** Who breaks the rules is sent so much that is on its way before the end; above it is cut. */
const LAST_MESSAGES_BYTES = 64 * 1024;
const GAVE_WAY = "an SDK is closed for another: all places are taken";
const OFFENCES: ReadonlySet<SessionEnd> = new Set(["malformed", "versions"]);

type Dispatch = Extract<SessionEffect, { type: "dispatch" }>;

/** Hosts sessions. A class because it owns them. */
export class ChannelService implements ChannelSessions, MemoryMember {
  readonly bound: number;
  readonly #options: ChannelServiceOptions;
  readonly #context: AnswerContext & SessionFacts;
  readonly #receipts: ChannelReceipts;
  readonly #complaints: LogThrottle<SessionEnd | "full">;
  readonly #hosted = new Map<number, HostedSession>();
  /** Sessions that have ended and whose last frames are on their way. */
  readonly #ending = new Map<number, HostedSession>();
  readonly #extensions: ChannelExtension[] = [];
  readonly #figures = newFigures();
  readonly #work: SharedWork;
  #draining = false;
  #cancelTick: () => void = () => {};
  #leaveTotal: (() => void) | undefined;

  constructor(options: ChannelServiceOptions) {
    this.#options = options;
    this.bound = options.limits.heldBytes;
    const { node, access, clock, log, observe } = options;
    this.#work = new SharedWork(clock);
    const { pace } = this.#work;
    const nodeVersion = formatVersion(node.supportedVersion);
    this.#context = { node, access, now: () => clock.steady(), log, observe, pace, nodeVersion };
    this.#receipts = new ChannelReceipts({ version: node.supportedVersion, clock, log, pace });
    this.#complaints = new LogThrottle(clock);
  }

  /** Takes part in the port: event filters, topics. */
  addExtension(extension: ChannelExtension): void {
    this.#extensions.push(extension);
  }

  /** The transport listens. */
  listening(): void {
    this.#scheduleTick();
    this.#leaveTotal = this.#options.total?.join(this);
  }

  *sessions(): Iterable<SessionHandle> {
    yield* this.#hosted.values();
  }

  mayAccess({ sdkId }: SessionHandle, groupId: GroupId): boolean {
    return this.#options.access.mayAccess(sdkId, groupId);
  }

  spareBytes(): number {
    return this.#options.limits.heldBytes * EXTENSION_SHARE - this.#figures.heldBytes;
  }

  counters(): ChannelCounters {
    const [sessions, running] = [this.#hosted.size, this.#work.count];
    return { ...this.#figures, sessions, running, ended: { ...this.#figures.ended } };
  }

  /**
   * Takes a connection whose client has proved who it is.
   * @returns undefined when there are too many sessions, or the port drains
   */
  open(line: ChannelLine): OpenLine | undefined {
    if (this.#draining || !this.#makeRoom(line)) {
      this.#refuse(line);
      return undefined;
    }
    if (this.#hosted.size + this.#ending.size >= this.#options.limits.sessions) {
      const [oldest] = this.#ending.values();
      if (oldest) this.#abandon(oldest);
    }
    this.#figures.opened++;
    const session: HostedSession = new HostedSession(this.#figures.opened, line, {
      maxUnsentBytes: this.#options.limits.unsentBytes,
      now: this.#context.now,
      spareRequests: ({ asker }) => this.#work.spareOf(asker.address),
      onRoom: (_, hasRoom) => {
        if (!hasRoom) return this.#work.wait(session);
        // Not while somebody sends: what is taken may change what that one goes through.
        session.taking = "later";
        void Promise.resolve().then(() => this.#take(session));
      },
      onHeld: (_, change) => this.#onHeld(change),
      onOverflow: (cut, reason) => this.#cut(cut, reason),
      onFrameSent: (bytes) => {
        this.#figures.framesOut++;
        this.#figures.bytesOut += bytes;
      },
    });
    this.#hosted.set(session.id, session);
    this.#options.log.write("debug", "an SDK is connected", { remote: line.remote });
    return {
      received: (bytes) => this.#onBytes(session, bytes),
      closed: () => {
        this.#forget(session, "client");
        this.#release(session);
      },
    };
  }

  /** A block was written. */
  onBlock({ groupId, number }: { readonly groupId: GroupId; readonly number: number }): void {
    for (const session of [...this.#hosted.values()])
      this.#step(session, { type: "block", groupId, number });
  }

  /**
   * Ends all sessions: what runs is answered first, and receipts that are awaited are pushed,
   * within a limit. Source: channel-protocol 2.1 (close)
   */
  async drain(): Promise<void> {
    if (this.#draining) return;
    this.#draining = true;
    for (const session of [...this.#hosted.values()]) this.#step(session, { type: "drain" });
    const { clock } = this.#options;
    const deadline = clock.steady() + DRAIN_MS;
    while (this.#hosted.size > 0 && clock.steady() < deadline) await sleep(clock, TICK_OF_DRAIN_MS);
    for (const session of [...this.#hosted.values()]) this.#end(session, "stopped");
    this.#cancelTick();
    this.#leaveTotal?.();
    for (const extension of this.#extensions) extension.close();
    this.#receipts.close();
  }

  /** @returns false when nobody gave way */
  #makeRoom(newcomer: ChannelLine): boolean {
    if (this.#hosted.size < this.#options.limits.sessions) return true;
    const given = evictedFor(addressOf(newcomer), this.#hosted.values());
    if (!given) return false;
    const fields = { remote: given.line.remote, sessions: this.#hosted.size };
    if (this.#complaints.allows("full")) this.#options.log.write("warning", GAVE_WAY, fields);
    this.#end(given, "idle");
    return true;
  }

  #refuse(line: ChannelLine): void {
    this.#figures.refused++;
    if (this.#complaints.allows("full"))
      this.#options.log.write("warning", "an SDK is turned away: there are too many sessions", {
        remote: line.remote,
        sessions: this.#hosted.size,
      });
    line.destroy();
  }

  #scheduleTick(): void {
    this.#cancelTick = this.#options.clock.after(TICK_MS, () => {
      const now = this.#context.now();
      for (const session of [...this.#hosted.values()]) {
        // Its heartbeats may wait with what else it has sent.
        if (session.isHeldBack) this.#step(session, { type: "activity", now });
        this.#step(session, { type: "tick", now });
      }
      if (!this.#draining) this.#scheduleTick();
    });
  }

  #onBytes(session: HostedSession, bytes: Uint8Array): void {
    if (session.isGone) return;
    this.#figures.bytesIn += bytes.length;
    this.#step(session, { type: "activity", now: this.#context.now() });
    session.keep(bytes);
    if (session.taking) session.settle();
    else this.#take(session);
  }

  /** Takes what has come while there is room for it, in turns: all clients may send at once. */
  #take(session: HostedSession): void {
    session.taking = "now";
    try {
      session.taking = this.#takeFrames(session);
    } finally {
      if (session.taking === "now") session.taking = undefined;
    }
    const { failure } = session.reader;
    if (failure) this.#step(session, { type: "malformed", failure });
    session.settle();
  }

  #takeFrames(session: HostedSession): "later" | undefined {
    while (session.isResting && session.hasRoom) {
      const turn = this.#work.turns(session.asker);
      if (turn) {
        void turn.then(() => this.#take(session));
        return "later";
      }
      const frame = session.next();
      if (!frame) return undefined;
      this.#figures.framesIn++;
      this.#onFrame(session, frame);
    }
    return undefined;
  }

  #onFrame(session: HostedSession, frame: Frame): void {
    if (!this.#draining) {
      for (const extension of this.#extensions) if (extension.onFrame(session, frame)) return;
    }
    this.#step(session, { type: "frame", frame });
  }

  #step(session: HostedSession, input: SessionInput): void {
    for (const effect of step(session.state, input, this.#context)) this.#perform(session, effect);
  }

  #perform(session: HostedSession, effect: SessionEffect): void {
    switch (effect.type) {
      case "send":
        return session.send(effect.frame);
      case "dispatch":
        return this.#begin(session, effect);
      case "topicsChanged":
        for (const extension of this.#extensions) extension.onTopicsChanged(session);
        return;
      case "noted":
        this.#options.log.write("debug", "an SDK says what it is", {
          remote: session.line.remote,
          client: effect.text,
        });
        return;
      case "close":
        return this.#end(session, effect.reason);
    }
  }

  #begin(session: HostedSession, effect: Dispatch): void {
    const { address } = session.asker;
    const over = (): void => {
      this.#work.end(address);
      session.settle();
    };
    this.#work.begin(address);
    void this.#dispatch(session, effect).then(over, (cause: unknown) => {
      if (!session.isGone) {
        this.#options.log.write("error", "an SDK's request failed", { cause: describe(cause) });
        this.#end(session, "stopped");
      }
      over();
    });
  }

  async #dispatch(session: HostedSession, { request, parts, version }: Dispatch): Promise<void> {
    const { codec } = this.#options;
    const receipts: Uint8Array[] = [];
    let awaited = 0;
    const onHeld = (bytes: number) => this.#grow(session, request, bytes);
    const read = textOf(this.#options, parts, { asker: session.asker, onHeld });
    const body = typeof read === "string" ? read : await read.requests;
    // Who has gone meanwhile needs no answer.
    if (session.isGone) return typeof read === "string" ? undefined : read.done();
    const text = await answerRequest(this.#context, {
      text: body,
      sdkId: session.sdkId,
      asker: session.asker,
      version,
      onAdmitted: ({ group, hash, withProof }) => {
        if (session.isGone) return;
        let end: (() => void) | undefined;
        const settle: AwaitedReceipt["settle"] = (receipt) => {
          if (end) session.awaited.delete(end);
          this.#onReceipt(session, request, receipt);
        };
        end = this.#receipts.await(group, { hash, withProof, settle });
        if (!end) return;
        session.awaited.add(end);
        awaited++;
      },
      onRefused: (receipt) => receipts.push(codec.bytes(receipt)),
      onGrown: (bytes) => {
        this.#grow(session, request, bytes);
        return !session.isGone;
      },
    });
    if (typeof read !== "string") read.done();
    if (session.isGone) return;
    const answer = typeof text === "string" ? codec.bytes(text) : text;
    // The length was bounded in characters, of which some may have more bytes than one.
    const length = answer instanceof Uint8Array ? answer.length : answer.bytes;
    const fitting = length > MAX_DATA_BYTES ? codec.bytes(oversizeAnswer()) : answer;
    this.#step(session, { type: "answered", request, data: fitting, awaited, receipts });
  }

  #grow(session: HostedSession, request: number, bytes: number): void {
    this.#step(session, { type: "grown", request, bytes });
    session.settle();
  }

  /** What a receipt does to the session that awaits it. */
  #onReceipt(
    session: HostedSession,
    request: number,
    text: Parameters<AwaitedReceipt["settle"]>[0],
  ): void {
    if (text === undefined) return this.#step(session, { type: "forgotten", request });
    const data = typeof text === "string" ? this.#options.codec.bytes(text) : text;
    this.#step(session, { type: "receipt", request, data });
  }

  /** Above the bound the peer that holds most is cut, until it is met. */
  #onHeld(change: number): void {
    this.#figures.heldBytes += change;
    if (change <= 0) return;
    while (this.heldBytes > this.bound) if (!this.cutLargest()) return;
    this.#options.total?.enforce();
  }

  get heldBytes(): number {
    return this.#figures.heldBytes;
  }

  get largestBytes(): number {
    return largestIn(this.#ending, this.#hosted).bytes;
  }

  cutLargest(): boolean {
    const { session } = largestIn(this.#ending, this.#hosted);
    if (session && this.#ending.has(session.id)) this.#abandon(session);
    else if (session) this.#cut(session, "memory");
    return session !== undefined;
  }

  #abandon(session: HostedSession): void {
    this.#release(session);
    session.line.destroy();
  }

  /** Its connection is gone. */
  #release(session: HostedSession): void {
    if (this.#ending.delete(session.id)) this.#figures.heldBytes -= session.release();
  }

  #cut(session: HostedSession, reason: keyof typeof TEXT_OF_CUT): void {
    if (!this.#hosted.has(session.id)) return;
    if (this.#complaints.allows(reason))
      this.#options.log.write("warning", TEXT_OF_CUT[reason], {
        remote: session.line.remote,
        unsent: session.unsentBytes,
        held: session.heldBytes,
      });
    this.#forget(session, reason);
    session.line.destroy();
  }

  #end(session: HostedSession, reason: SessionEnd): void {
    if (session.isGone) return;
    this.#ending.set(session.id, session);
    this.#forget(session, reason);
    if (OFFENCES.has(reason) && session.unsentBytes > LAST_MESSAGES_BYTES) this.#abandon(session);
    else session.line.end();
  }

  #forget(session: HostedSession, reason: SessionEnd): void {
    const { awaited } = session;
    if (!this.#hosted.delete(session.id)) return;
    this.#work.leave(session);
    if (this.#ending.has(session.id)) session.finish();
    else this.#figures.heldBytes -= session.release();
    session.state.closed = true;
    session.asker.leave();
    for (const end of awaited) end();
    awaited.clear();
    this.#figures.ended[reason]++;
    const fields = { remote: session.line.remote, reason };
    this.#options.log.write("debug", "an SDK is gone", fields);
    for (const extension of this.#extensions) extension.onSessionClosed(session);
  }
}
