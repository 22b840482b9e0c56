/**
 * The configured endpoints: each is dialled until it has a session, with jittered pauses.
 * Source: node-network 2, 9
 */
import type { NodeId } from "../../../core/bytes/ids.ts";
import { pauseMs, selfPauseMs } from "../../../core/network/admission.ts";
import type { Clock } from "../../../core/ports/clock.ts";
import type { Entropy } from "../../../core/ports/entropy.ts";
import type { LogLevel } from "../../../core/ports/log.ts";

/** What came of one dial; never rejects. */
export type DialOutcome =
  /** A session with this node exists, by this dial or another one. */
  | { readonly type: "connected"; readonly nodeId: NodeId }
  | { readonly type: "self" }
  | { readonly type: "failed"; readonly reason: string };

/** Nodes that start together do not reach each other at first. */
const WARN_FROM = 3;

/** How an endpoint that is dialled has stood so far. */
export interface DialHistory {
  /** Dials in a row that failed. */
  readonly failures: number;
  /** Why the last of them did. */
  readonly reason: string | undefined;
}

/** Of one that is dialled for the first time. */
export const NEVER_DIALLED: DialHistory = { failures: 0, reason: undefined };

/** How loudly it is reported that a dial failed: a reason is a warning, once, when it stays. */
export function dialFaultLevel({ failures, reason }: DialHistory, now: string): LogLevel {
  const isTold = failures >= WARN_FROM && reason === now;
  return failures + 1 < WARN_FROM || isTold ? "info" : "warning";
}

/** How a configured endpoint stands. */
export interface EndpointState {
  readonly endpoint: string;
  /**
   * `waiting`: no session came of it yet, or the last one is gone; it is dialled again. So is
   * `self`, after minutes: another host may have the address by then.
   */
  readonly state: "connected" | "self" | "waiting";
  /** Whose session it is. */
  readonly nodeId?: NodeId;
  /** Why the last dial failed. */
  readonly reason?: string;
}

interface StaticPeersOptions {
  readonly clock: Clock;
  readonly entropy: Entropy;
  dial(endpoint: string, before: DialHistory): Promise<DialOutcome>;
  hasSession(nodeId: NodeId): boolean;
}

interface Entry {
  failures: number;
  dialling: boolean;
  /** How many dials in a row found this node itself. */
  timesSelf: number;
  nodeId: NodeId | undefined;
  /** Of the last dial that failed since the last session. */
  reason: string | undefined;
  cancel: (() => void) | undefined;
}

/** Of an endpoint that was not dialled since the start. */
const FRESH = { failures: 0, timesSelf: 0, nodeId: undefined, cancel: undefined };

/** The endpoints and their state. */
export class StaticPeers {
  readonly #options: StaticPeersOptions;
  readonly #entries = new Map<string, Entry>();
  #running = false;

  constructor(options: StaticPeersOptions, endpoints: readonly string[]) {
    this.#options = options;
    for (const endpoint of endpoints) this.add(endpoint);
  }

  endpoints(): readonly string[] {
    return [...this.#entries.keys()];
  }

  /** How each stands. */
  states(): readonly EndpointState[] {
    return [...this.#entries].map(([endpoint, { timesSelf, nodeId, reason }]) => {
      if (timesSelf > 0) return { endpoint, state: "self" };
      if (nodeId !== undefined) return { endpoint, state: "connected", nodeId };
      return { endpoint, state: "waiting", ...(reason === undefined ? {} : { reason }) };
    });
  }

  /** False when the endpoint is known already. */
  add(endpoint: string): boolean {
    if (this.#entries.has(endpoint)) return false;
    const entry: Entry = { ...FRESH, dialling: false, reason: undefined };
    this.#entries.set(endpoint, entry);
    if (this.#running) void this.#dial(endpoint, entry);
    return true;
  }

  /** False when the endpoint is unknown; its session stays. */
  erase(endpoint: string): boolean {
    this.#entries.get(endpoint)?.cancel?.();
    return this.#entries.delete(endpoint);
  }

  /** Resolves when each was dialled once, whatever came of it. */
  async start(): Promise<void> {
    this.#running = true;
    await Promise.all([...this.#entries].map(([endpoint, entry]) => this.#dial(endpoint, entry)));
  }

  stop(): void {
    this.#running = false;
    for (const entry of this.#entries.values()) {
      entry.cancel?.();
      Object.assign(entry, FRESH);
    }
  }

  /** A session ended: its endpoints are dialled again. */
  lost(nodeId: NodeId): void {
    for (const [endpoint, entry] of this.#entries) {
      if (entry.nodeId !== nodeId) continue;
      entry.nodeId = undefined;
      this.#pause(endpoint, entry);
    }
  }

  #pause(endpoint: string, entry: Entry): void {
    if (!this.#running || this.#entries.get(endpoint) !== entry) return;
    const { clock, entropy } = this.#options;
    const chance = (entropy.bytes(1)[0] ?? 0) / 256;
    entry.cancel?.();
    const { timesSelf, failures } = entry;
    const delay =
      timesSelf > 0 ? selfPauseMs(timesSelf, chance) : pauseMs(Math.max(0, failures - 1), chance);
    entry.cancel = clock.after(delay, () => void this.#dial(endpoint, entry));
  }

  async #dial(endpoint: string, entry: Entry): Promise<void> {
    if (!this.#running || entry.dialling || entry.nodeId) return;
    entry.dialling = true;
    const outcome = await this.#options.dial(endpoint, entry);
    entry.dialling = false;
    this.#settle(endpoint, entry, outcome);
  }

  #settle(endpoint: string, entry: Entry, outcome: DialOutcome): void {
    entry.timesSelf = outcome.type === "self" ? entry.timesSelf + 1 : 0;
    if (outcome.type === "self") {
      entry.failures = 0;
      entry.reason = undefined;
    }
    if (outcome.type === "connected" && this.#options.hasSession(outcome.nodeId)) {
      entry.failures = 0;
      entry.reason = undefined;
      entry.nodeId = outcome.nodeId;
      return;
    }
    if (outcome.type === "failed") {
      entry.failures += 1;
      entry.reason = outcome.reason;
    }
    this.#pause(endpoint, entry);
  }
}
