/**
 * The nodes that a gateway asks: in which order, how many have to agree, who is left out and why.
 */
import { ProofFault, type ProofReason, UsageFault } from "../client/client-fault.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import { Upstream, type UpstreamPorts } from "./upstream.ts";
import { namesOf, numbersOf, requireDistinct } from "./upstream-names.ts";

/** Why something that an upstream said is refused. */
export type Refusal =
  | ProofReason
  /** It names a height whose block it does not show. */
  | "head"
  /** It is behind blocks that others have shown for long. */
  | "stale"
  /** Most others report something else of the same height. */
  | "differs"
  /** It is of the other suite. */
  | "suite";

interface SetPorts extends UpstreamPorts {
  readonly log: Log;
  /** Told of each refusal, for metrics. */
  readonly onRefused: (name: string, reason: Refusal) => void;
}

/** What is needed to ask several upstreams. */
export interface Asking {
  readonly groupId: number;
  readonly upstreams: UpstreamSet;
  readonly clock: Clock;
  /** Finds out which node an upstream is. @throws UsageFault; TransportFault */
  introduce(upstream: Upstream): Promise<unknown>;
}

/** Who said what cannot be is not asked for so long, twice as long each time. */
const LEFT_OUT_MS = 60_000;
const LONGEST_LEFT_OUT_MS = 3_600_000;
/** About as quick as the quickest: up to this many times its mean, and that much more. */
const NEAR_FACTOR = 4;
const NEAR_MS = 50;
/** More do not make a gateway surer, and each is a request. */
const MOST_UPSTREAMS = 16;
/** Texts of upstreams in the log are cut to this length. */
const MOST_CHARS = 300;

/** The upstreams of a gateway. */
export class UpstreamSet {
  readonly all: readonly Upstream[];
  /** More than half of all, and at least two: this many have to say the same. */
  readonly needed: number;
  readonly #ports: SetPorts;
  #turn = 0;

  /** @throws UsageFault for no URLs, too many, the same twice, or others than of HTTP */
  constructor(urls: readonly string[], ports: SetPorts) {
    if (urls.length === 0 || urls.length > MOST_UPSTREAMS) {
      throw new UsageFault(`a gateway has 1 to ${MOST_UPSTREAMS} upstreams, not ${urls.length}`);
    }
    requireDistinct(urls);
    const names = ports.hidesHosts ? numbersOf(urls) : namesOf(urls);
    this.all = urls.map((url, index) => new Upstream(names[index] ?? url, url, ports));
    this.needed = Math.max(2, Math.floor(urls.length / 2) + 1);
    this.#ports = ports;
  }

  /**
   * Those whose word counts, in the order to ask them: in turn those that are about as quick as the
   * quickest, so that none carries all and each is examined; then the slower ones; last who failed
   * a short time ago.
   */
  counting(): readonly Upstream[] {
    const now = this.#ports.clock.steady();
    const all = this.all.filter((it) => !it.isLeftOut(now));
    const awake = all.filter((it) => !it.isResting(now));
    const best = Math.min(...awake.map(({ latencyMs }) => latencyMs));
    const isNear = ({ latencyMs }: Upstream): boolean => latencyMs <= NEAR_FACTOR * best + NEAR_MS;
    const near = awake.filter(isNear);
    // One further after each round: requests that repeat in step with it do not meet the same.
    const turn = this.#turn++;
    const first = near.length === 0 ? 0 : (turn + Math.floor(turn / near.length)) % near.length;
    const slower = awake.filter((it) => !isNear(it)).sort((a, b) => a.latencyMs - b.latencyMs);
    const resting = all.filter((it) => it.isResting(now));
    return [...near.slice(first), ...near.slice(0, first), ...slower, ...resting];
  }

  /** All, those whose word does not count last: a proof is one, no matter who shows it. */
  proving(): readonly Upstream[] {
    const now = this.#ports.clock.steady();
    return [...this.counting(), ...this.all.filter((it) => it.isLeftOut(now))];
  }

  /** Finds whether a node that was introduced is one that is known by another URL. */
  introduced(upstream: Upstream, nodeId: string | undefined): void {
    const isNews = nodeId !== undefined && upstream.nodeId !== nodeId;
    upstream.nodeId = nodeId;
    if (!isNews) return;
    const same = this.all.filter((it) => it.nodeId === nodeId).map(({ name }) => name);
    if (same.length === 1) return;
    const fields = { upstreams: same.join(", "), nodeId };
    this.#ports.log.write("warning", "upstreams are one node: together they have one vote", fields);
  }

  /** Leaves out an upstream for a while, for something that cannot be true. */
  refuse(upstream: Upstream, reason: Refusal, what: string): void {
    const forMs = Math.min(LONGEST_LEFT_OUT_MS, LEFT_OUT_MS * 2 ** upstream.lies++);
    this.#leaveOut(upstream, reason, what, this.#ports.clock.steady() + forMs);
  }

  /** Leaves out an upstream for as long as it is behind. */
  setBehind(upstream: Upstream, what: string): void {
    // A client that catches up with its lie counts no sooner than the lie lets it.
    if (upstream.isLeftOut(this.#ports.clock.steady())) return;
    this.#leaveOut(upstream, "stale", what, Number.POSITIVE_INFINITY);
  }

  /** It has caught up. */
  setCurrent(upstream: Upstream): void {
    if (upstream.leftOut?.reason !== "stale") return;
    upstream.leftOut = undefined;
    this.#ports.log.write("info", "upstream has caught up", { upstream: upstream.name });
  }

  #leaveOut(upstream: Upstream, reason: Refusal, text: string, until: number): void {
    const what = text.slice(0, MOST_CHARS);
    const { leftOut } = upstream;
    const isKnown = upstream.isLeftOut(this.#ports.clock.steady()) && leftOut?.reason === reason;
    upstream.leftOut = { reason, what, until };
    this.#ports.onRefused(upstream.name, reason);
    // Where none is better those that are left out are asked all the same: once is enough to say.
    if (isKnown) return;
    const fields = { upstream: upstream.name, reason, what };
    this.#ports.log.write("warning", "upstream refused and left out", fields);
  }

  /**
   * Refuses what gave rise to a fault of a check, and leaves out who said it. Who only lacks what
   * would show how the sealers changed is asked again: he may say the truth.
   *
   * @returns false when the fault is of no check
   */
  refuseFor(upstream: Upstream, fault: unknown, method: string): boolean {
    if (fault instanceof ProofFault && fault.reason === "change") {
      this.#ports.onRefused(upstream.name, fault.reason);
      const fields = { upstream: upstream.name, method, what: fault.message.slice(0, MOST_CHARS) };
      this.#ports.log.write("warning", "upstream did not show how the sealers changed", fields);
    } else if (fault instanceof ProofFault) {
      this.refuse(upstream, fault.reason, `${method}: ${fault.message}`);
    } else if (fault instanceof UsageFault) {
      this.refuse(upstream, "suite", fault.message);
    } else return false;
    return true;
  }
}
