/**
 * The event filters of the channel port: gives the step what happens, and does what it says.
 *
 * Source: channel-protocol 7.3
 */
import { describe } from "../../actors/supervise.ts";
import type { GroupId } from "../../bytes/ids.ts";
import type { ChannelGuest, ChannelSessions, DeskSession } from "../../channel/desk-session.ts";
import {
  BLOCKS_PER_STEP,
  emptyBook,
  EVENT_BOUNDS,
  type EventEffect,
  type EventInput,
  type EventSight,
  type FilterBook,
} from "../../channel/event-filter/state.ts";
import { step } from "../../channel/event-filter/step.ts";
import { pushedBytes } from "../../channel/event-filter/push.ts";
import { type Frame, MESSAGE_TYPE } from "../../channel/frame.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import type { LocatedLog } from "../../rpc/log-filter.ts";
import { Breather } from "../../limits/breather.ts";
import type { NodeApi } from "../../api/node-api.ts";
import { matchingLogs, RecentBlocks } from "../feed/recent-blocks.ts";

/** What the filters work through. */
export interface EventPorts {
  readonly node: Pick<NodeApi, "group">;
  readonly sessions: ChannelSessions;
  readonly clock: Clock;
  readonly log: Log;
}

/** Blocks of one step at most, whatever is configured: their log entries are held meanwhile. */
const MOST_BLOCKS_PER_STEP = 1_000;

/** The event filters of all sessions. A class because it owns the book and a timer. */
export class ChannelEvents implements ChannelGuest {
  readonly #ports: EventPorts;
  readonly #blocks: RecentBlocks;
  readonly #breather: Breather;
  readonly #book: FilterBook = emptyBook();
  readonly #sessions = new Map<number, DeskSession>();
  #cancelWake: (() => void) | undefined;
  #isClosed = false;

  constructor(ports: EventPorts) {
    this.#ports = ports;
    this.#blocks = new RecentBlocks(ports.node, ports.clock);
    this.#breather = new Breather(ports.clock);
  }

  /** Filters that are registered, for figures. */
  get count(): number {
    return this.#book.filters.size;
  }

  onFrame(session: DeskSession, frame: Frame): boolean {
    const { type } = frame;
    if (type !== MESSAGE_TYPE.eventRegister && type !== MESSAGE_TYPE.eventUnregister) return false;
    this.#sessions.set(session.id, session);
    this.#take({ type: "request", session: session.id, frame });
    if (!this.#book.sessions.has(session.id)) this.#sessions.delete(session.id);
    return true;
  }

  onSessionClosed(session: DeskSession): void {
    if (!this.#sessions.delete(session.id)) return;
    this.#take({ type: "sessionClosed", session: session.id });
  }

  onTopicsChanged(): void {}

  /** A group has one block more. */
  onBlock({ groupId }: { readonly groupId: GroupId }): void {
    if (this.#book.idle.has(groupId)) this.#take({ type: "blockWritten", groupId });
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelWake?.();
  }

  #take(input: EventInput): void {
    if (this.#isClosed) return;
    for (const effect of step(this.#book, this.#sight(), input)) this.#perform(effect);
  }

  #perform(effect: EventEffect): void {
    switch (effect.type) {
      case "send":
        this.#send(effect);
        break;
      case "read":
        this.#read(effect).catch((cause: unknown) => this.#complain(effect.groupId, cause));
        break;
      case "wakeAfter":
        this.#cancelWake?.();
        this.#cancelWake = this.#ports.clock.after(effect.ms, () => this.#take({ type: "wake" }));
        break;
    }
  }

  #send({ session, frame, registered }: Extract<EventEffect, { type: "send" }>): void {
    const answered =
      registered === undefined ? undefined : () => this.#take({ type: "answered", id: registered });
    this.#sessions.get(session)?.send(frame, answered);
  }

  async #read(effect: Extract<EventEffect, { type: "read" }>): Promise<void> {
    const { id, groupId } = effect;
    let input: EventInput;
    try {
      input = { type: "read", id, ...(await this.#readBlocks(effect)) };
      await this.#breather.pause();
    } catch (cause) {
      this.#complain(groupId, cause);
      input = { type: "readFailed", id };
    }
    this.#take(input);
  }

  #complain(group: GroupId, cause: unknown): void {
    const fields = { group, cause: describe(cause) };
    this.#ports.log.write("warning", "blocks of an event filter cannot be read", fields);
  }

  /** Ends early when there is enough for a push, or the filter is gone. */
  async #readBlocks(effect: Extract<EventEffect, { type: "read" }>) {
    const { id, session, from, groupId, filter } = effect;
    const logs: LocatedLog[] = [];
    let bytes = 0;
    let to = from;
    for (let number = from; number <= effect.to; number++) {
      if (bytes > EVENT_BOUNDS.pushBytes || !this.#book.filters.has(id)) break;
      const block = await this.#blocks.get(groupId, number, session);
      for (const located of matchingLogs(block, filter)) {
        logs.push(located);
        bytes += pushedBytes(located);
      }
      to = number;
    }
    return { to, logs };
  }

  #sight(): EventSight {
    const { node, sessions, clock } = this.#ports;
    return {
      now: clock.steady(),
      head: (groupId) => node.group(groupId)?.ledger.head().number,
      mayAccess: (id, groupId) => {
        const session = this.#sessions.get(id);
        return session !== undefined && sessions.mayAccess(session, groupId);
      },
      unsentBytes: (id) => this.#sessions.get(id)?.unsentBytes ?? 0,
      maxBlockRange: (groupId) => node.group(groupId)?.eventLimits?.maxBlockRange ?? 0,
      blocksPerStep: (groupId) => {
        const asked = node.group(groupId)?.eventLimits?.maxBlocksPerProcess ?? BLOCKS_PER_STEP;
        return Math.min(asked, MOST_BLOCKS_PER_STEP);
      },
    };
  }
}
