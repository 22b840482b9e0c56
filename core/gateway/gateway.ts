/**
 * A gateway: JSON-RPC of one group that trusts no single node. What can be shown is answered when
 * it has been shown, from a block that the sealers signed; what cannot is asked of more than half
 * of the upstreams. It has no keys, no state and no chain of its own.
 *
 * Source: interface 2; decision 31
 */
import type { NodeApi } from "../api/node-api.ts";
import { quantity } from "../bytes/quantity.ts";
import { RpcFault } from "../fault/rpc-fault.ts";
import type { Relay, RelayedCall } from "../rpc/dispatch.ts";
import type { Answer } from "../rpc/long-answer.ts";
import { GROUP_ID } from "../rpc/params.ts";
import { AgreedFault, agreedRead, type Claiming, NowThere } from "./agreed-reads.ts";
import { isOfManagement } from "./answer-forms.ts";
import { Follower, type Head } from "./follower.ts";
import { DEFAULT_KEPT_BYTES, type GatewayPorts, type GatewaySettings } from "./gateway-settings.ts";
import { GatewayMetrics } from "./gateway-metrics.ts";
import { KeptAnswers, type LabelledAnswer, SharedWork } from "./kept-answers.ts";
import { BodyLabels, certificateOf, PROOF_HEADER } from "./proof-label.ts";
import { faceOf, faultFor, NOT_HANDED_ON } from "./gateway-face.ts";
import { proveOnce } from "./proving.ts";
import { PROVED_READS, type ProvedRead } from "./proved-reads.ts";
import { SUBMISSIONS, submit } from "./submitting.ts";
import { UpstreamSet } from "./upstream-set.ts";

/** Requests of one batch: more are a list of proofs that no client reads as one header. */
export const MOST_BATCH = 50;
const TIMEOUT_MS = 5_000;
const STALE_MS = 10_000;

/** What the gateway answers from what it was told itself. */
const OWN: ReadonlySet<string> = new Set(["getGroupList", "rpc.discover", "rpcModules"]);

/** Answers the requests of one body. */
interface BodyRelay extends Relay {
  /** What its answers rest on, for the response. */
  headers(): Readonly<Record<string, string>>;
}

/** What `/readyz` says. */
export interface GatewayHealth {
  /** Whether the chain was shown, and enough upstreams report how high it is. */
  readonly ready: boolean;
  /** Why it is not ready, one sentence each. */
  readonly reasons: readonly string[];
  readonly writable: boolean;
  readonly height: number | undefined;
  readonly sealers: readonly string[];
  readonly upstreams: readonly {
    readonly name: string;
    readonly counts: boolean;
    /** Why its word does not count. */
    readonly why?: string | undefined;
  }[];
}

/** A gateway to one group of a chain. */
export class Gateway {
  /** What describes itself, and knows no group but by name. */
  readonly node: NodeApi;
  readonly #settings: GatewaySettings;
  readonly #ports: GatewayPorts;
  readonly #upstreams: UpstreamSet;
  readonly #kept: KeptAnswers;
  readonly #follower: Follower;
  readonly #metrics = new GatewayMetrics();
  readonly #proving: SharedWork<LabelledAnswer>;
  readonly #agreeing: SharedWork<LabelledAnswer>;

  /** Asks nobody yet. @throws UsageFault for upstreams that cannot be */
  constructor(settings: GatewaySettings, ports: GatewayPorts) {
    const { clock, log, send } = ports;
    const { groupId, trusted, suite, timeoutMs = TIMEOUT_MS, staleMs = STALE_MS } = settings;
    this.#settings = settings;
    this.#ports = ports;
    this.#kept = new KeptAnswers(settings.maxKeptBytes ?? DEFAULT_KEPT_BYTES);
    this.#proving = new SharedWork(clock);
    this.#agreeing = new SharedWork(clock);
    this.#upstreams = new UpstreamSet(settings.upstreams, {
      send,
      clock,
      log,
      timeoutMs,
      hidesHosts: settings.hidesHosts ?? false,
      onSilent: (upstream, why) =>
        log.write("warning", "upstream does not answer", { upstream, why }),
      onAsked: (name, answered) => this.#metrics.asked(name, answered),
      onRefused: (name, reason) => this.#metrics.refused(name, reason),
    });
    const parts = { suite, upstreams: this.#upstreams, kept: this.#kept, clock, log };
    this.#follower = new Follower({ groupId, trusted, staleMs, ...parts });
    this.node = faceOf(settings);
  }

  /** Answers the requests of a body. */
  relay(): BodyRelay {
    const labels = new BodyLabels();
    return {
      begin: (count) => labels.begin(count),
      answer: async (call) => {
        try {
          const { text, label, isCached } = await this.#answer(call);
          if (label !== undefined) labels.set(call.index, label);
          this.#metrics.answered(label?.kind ?? "none", isCached);
          return text;
        } catch (cause) {
          const label = cause instanceof AgreedFault ? cause.label : undefined;
          if (label !== undefined) labels.set(call.index, label);
          this.#metrics.answered(label?.kind ?? "none", false);
          throw faultFor(cause);
        }
      },
      headers: () => ({ [PROOF_HEADER]: labels.text(this.#follower.head?.header.number ?? 0) }),
    };
  }

  /** The newest block that the upstreams show. @throws ProofFault */
  async newest(): Promise<Head> {
    return await this.#follower.settled();
  }

  /** How the gateway stands; asks nobody. */
  health(): GatewayHealth {
    const now = this.#ports.clock.steady();
    const upstreams = this.#upstreams.all.map((it) => {
      const counts = !it.isLeftOut(now);
      return { name: it.name, counts, why: counts ? undefined : it.leftOut?.what };
    });
    const { head, sealers } = this.#follower;
    const reasons = head === undefined ? ["the chain was not shown yet"] : this.#staleness(head);
    const ready = reasons.length === 0;
    return { ready, writable: ready, reasons, height: head?.header.number, sealers, upstreams };
  }

  /** The text of `/metrics`. */
  metricsText(): string {
    const { head, sealers } = this.#follower;
    const now = this.#ports.clock.steady();
    return this.#metrics.text({
      upstreams: this.#upstreams.all,
      now,
      height: head?.header.number,
      headAgeMs: head && Number.isFinite(head.lookedAt) ? now - head.lookedAt : undefined,
      sealers: sealers.length,
      keptBytes: this.#kept.bytes,
      maxKeptBytes: this.#settings.maxKeptBytes ?? DEFAULT_KEPT_BYTES,
    });
  }

  /** Says that the newest block may be another one; nothing while enough upstreams report. */
  #staleness({ header, lookedAt, isStale }: Head): readonly string[] {
    if (!isStale) return [];
    const { all, needed } = this.#upstreams;
    const seconds = Math.round((this.#ports.clock.steady() - lookedAt) / 1_000);
    const age = Number.isFinite(seconds) ? `for ${seconds} s` : "yet";
    const wanted = `${Math.min(all.length, needed)} of ${all.length} upstreams`;
    const what = `fewer than ${wanted} have reported their heights ${age}`;
    return [`${what}, there may be blocks above ${header.number}: ${this.#follower.reasons()}`];
  }

  /** The height. @throws RpcFault when it may be an old one */
  async #height(): Promise<Given> {
    const head = await this.newest();
    const [why] = this.#staleness(head);
    if (why !== undefined) throw new RpcFault("internalError", why);
    const { header } = head;
    const text = JSON.stringify(quantity(header.number));
    return { text, label: certificateOf(header), isCached: false };
  }

  async #answer(call: RelayedCall): Promise<Given> {
    const { method, values, own } = call;
    const { name } = method;
    if (isOfManagement(method)) throw new RpcFault("dynamicGroupForbidden", NOT_HANDED_ON);
    // The error for another group is the one that a node without it gives.
    const isOther = method.params[0] === GROUP_ID && values[0] !== this.#settings.groupId;
    if (OWN.has(name) || isOther) return { text: await own(), isCached: false };
    if (SUBMISSIONS.has(name)) return await this.#submit(call);
    if (name === "getBlockNumber") return await this.#height();
    const key = `${name} ${JSON.stringify(values)}`;
    const readOf = PROVED_READS[name];
    if (readOf === undefined) {
      return { ...(await this.#agreeing.share(key, () => this.#agree(call))), isCached: false };
    }
    const kept = this.#kept.get(key);
    if (kept !== undefined) return { ...kept, isCached: true };
    const read = readOf(values);
    const made = await this.#proving.share(key, () => this.#show(call, read, key));
    return { ...made, isCached: false };
  }

  /** Shown, or agreed to be nowhere; what comes in between is looked for again. */
  async #show(call: RelayedCall, read: ProvedRead, key: string): Promise<LabelledAnswer> {
    // A client that claims something sends the gateway to look once: Byzantine upstreams are few.
    let claiming: Claiming = new Set();
    for (;;) {
      try {
        const wanted = { read, method: call.method.name, claiming };
        const proved = await proveOnce(wanted, this.#follower);
        if (proved === undefined) return await this.#agree(call, claiming);
        const answer = { text: JSON.stringify(proved.value), label: certificateOf(proved.header) };
        this.#kept.put(key, answer);
        return answer;
      } catch (cause) {
        if (!(cause instanceof NowThere)) throw cause;
        claiming = new Set([...claiming, ...cause.upstreams]);
      }
    }
  }

  async #submit({ method, values }: RelayedCall): Promise<Given> {
    await this.#follower.newest(Number.POSITIVE_INFINITY);
    const hash = await submit({ method: method.name, params: values }, this.#follower);
    return { text: JSON.stringify(hash), isCached: false };
  }

  async #agree({ method, values }: RelayedCall, unshown?: Claiming): Promise<LabelledAnswer> {
    const { header } = await this.#follower.newest(this.#settings.staleMs ?? STALE_MS);
    const call = { method: method.name, params: values };
    return await agreedRead({ call, leastHeight: header.number, unshown }, this.#follower);
  }
}

/** An answer on its way out; without a label it rests on nothing. */
interface Given {
  readonly text: Answer;
  readonly label?: LabelledAnswer["label"];
  readonly isCached: boolean;
}
