/** The figures of a gateway, as Prometheus reads them. */
import type { ProofKind } from "./proof-label.ts";
import type { Upstream } from "./upstream.ts";

/** What is measured at the moment of asking. */
interface GatewayState {
  readonly upstreams: readonly Upstream[];
  /** Steady clock, in milliseconds. */
  readonly now: number;
  /** Number of the newest block that was shown; undefined before the first. */
  readonly height: number | undefined;
  /** How long ago enough upstreams reported their heights, in milliseconds. */
  readonly headAgeMs: number | undefined;
  readonly sealers: number;
  readonly keptBytes: number;
  readonly maxKeptBytes: number;
}

type Labels = Readonly<Record<string, string>>;

/** Upstreams and reasons are few: this is never reached by honest means. */
const MOST_SERIES = 1_024;

function series(labels: Labels): string {
  const parts = Object.entries(labels).map(
    ([name, value]) => `${name}="${value.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n")}"`,
  );
  return parts.length === 0 ? "" : `{${parts.join(",")}}`;
}

/** Counts by labels. */
class Counts {
  readonly #counts = new Map<string, number>();

  add(labels: Labels): void {
    const key = series(labels);
    if (this.#counts.size >= MOST_SERIES && !this.#counts.has(key)) return;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  get all(): readonly (readonly [string, number])[] {
    return [...this.#counts];
  }
}

type Series = readonly (readonly [labels: string, value: number])[];

function block(rest: string, kind: "counter" | "gauge", help: string, values: Series): string {
  const name = `chain_node_gateway_${rest}`;
  const lines = values.map(([labels, value]) => `${name}${labels} ${value}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} ${kind}\n${lines.join("")}`;
}

/** Counts what a gateway does. */
export class GatewayMetrics {
  readonly #answers = new Counts();
  readonly #refused = new Counts();
  readonly #asked = new Counts();
  #all = 0;
  #cached = 0;

  /** An answer was given. */
  answered(kind: ProofKind, isCached: boolean): void {
    this.#all++;
    if (isCached) this.#cached++;
    this.#answers.add({ proof: kind, cached: isCached ? "yes" : "no" });
  }

  /** Something that an upstream said was refused. */
  refused(upstream: string, reason: string): void {
    this.#refused.add({ upstream, reason });
  }

  /** An upstream was asked. */
  asked(upstream: string, answered: boolean): void {
    this.#asked.add({ upstream, answered: answered ? "yes" : "no" });
  }

  /** The text of `/metrics`. */
  text(state: GatewayState): string {
    const one = (value: number | undefined): Series => (value === undefined ? [] : [["", value]]);
    const upstreams = (figure: (it: Upstream) => number): Series =>
      state.upstreams.map((it) => [series({ upstream: it.name }), figure(it)]);
    const leftOut = upstreams((it) => (it.isLeftOut(state.now) ? 1 : 0));
    const latency = upstreams((it) => it.latencyMs / 1_000);
    const share = this.#all === 0 ? 0 : this.#cached / this.#all;
    const age = state.headAgeMs === undefined ? undefined : state.headAgeMs / 1_000;
    const refused = "What upstreams reported and was refused, by reason";
    const behind = "Since enough upstreams reported their heights";
    return [
      block("answers_total", "counter", "Answers, by what they rest on", this.#answers.all),
      block("cached_ratio", "gauge", "Share of answers from memory", one(share)),
      block("refused_total", "counter", refused, this.#refused.all),
      block("upstream_requests_total", "counter", "Requests to upstreams", this.#asked.all),
      block(
        "upstream_left_out",
        "gauge",
        "1 while the word of an upstream does not count",
        leftOut,
      ),
      block("upstream_latency_seconds", "gauge", "Mean of the last answers", latency),
      block("block_height", "gauge", "Newest block that was shown", one(state.height)),
      block("staleness_seconds", "gauge", behind, one(age)),
      block("sealers", "gauge", "Sealers in force", one(state.sealers)),
      block("kept_bytes", "gauge", "Answers in memory", one(state.keptBytes)),
      block("max_kept_bytes", "gauge", "Their bound", one(state.maxKeptBytes)),
    ].join("");
  }
}
