/**
 * A span for each transaction of a sample, to an OpenTelemetry collector (OTLP over HTTP as JSON).
 * A trace is named by the transaction's hash, as nodes name theirs: both lie in one trace.
 * Source: benchmark 7
 */
import { randomBytes } from "node:crypto";
import type { TxStatus } from "../../../shared/benchmark/tx-status.ts";
import { reasonOf } from "../monitors/monitor.ts";
import type { ObservedRound, ObserverTerms, TxObserver } from "./observer.ts";

/** What the observer is made with. */
export interface OtlpOptions {
  /** Of the collector; `/v1/traces` is added where the URL has no path. */
  readonly url: string;
  /** Share of the transactions that are sampled, 0 to 1. */
  readonly ratio: number;
  readonly headers: Readonly<Record<string, string>>;
}

const BATCH = 512;
/** Spans that wait at most; further ones are dropped and counted. */
const MOST_WAITING = 4 * BATCH;
const PATIENCE_MS = 10_000;
const TRACE_DIGITS = 32;
const SPAN_BYTES = 8;
const KIND_CLIENT = 3;
const STATUS_OK = 1;
const STATUS_ERROR = 2;
const NS_OF_MS = 1_000_000;

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue: string } | { readonly intValue: string };
}

function attribute(key: string, value: string | number): Attribute {
  return {
    key,
    value: typeof value === "string" ? { stringValue: value } : { intValue: String(value) },
  };
}

/** Nanoseconds since 1970 do not fit into a number. */
function nanoseconds(ms: number): string {
  const whole = Math.floor(ms);
  const rest = Math.round((ms - whole) * NS_OF_MS);
  return String(BigInt(whole) * BigInt(NS_OF_MS) + BigInt(rest));
}

function traceOf(id: string | undefined): string {
  const digits = (id ?? "").replace(/^0x/, "").slice(0, TRACE_DIGITS).toLowerCase();
  return /^[0-9a-f]{32}$/.test(digits) ? digits : randomBytes(TRACE_DIGITS / 2).toString("hex");
}

function tracesUrl(text: string): string {
  const url = new URL(text);
  return url.pathname === "/" ? new URL("/v1/traces", url).href : url.href;
}

/** An observer that sends spans. */
export class OtlpObserver implements TxObserver {
  readonly #options: OtlpOptions;
  readonly #terms: ObserverTerms;
  #round: ObservedRound = { workerIndex: 0, roundIndex: 0, roundLabel: "" };
  #waiting: object[] = [];
  #seen = 0;
  #dropped = 0;
  #sending: Promise<void> = Promise.resolve();
  #hasTold = false;

  constructor(options: OtlpOptions, terms: ObserverTerms) {
    this.#options = options;
    this.#terms = terms;
  }

  async roundStarts(round: ObservedRound): Promise<void> {
    this.#round = round;
  }

  txSubmitted(): void {}

  txFinished(status: TxStatus): void {
    // Evenly spread: the n-th is taken when the share of n reaches a whole number anew.
    const before = Math.floor(this.#seen * this.#options.ratio);
    this.#seen += 1;
    if (Math.floor(this.#seen * this.#options.ratio) === before) return;
    if (this.#waiting.length >= MOST_WAITING) {
      this.#dropped += 1;
      return;
    }
    this.#waiting.push(this.#span(status));
    if (this.#waiting.length >= BATCH) void this.#send();
  }

  #span(status: TxStatus): object {
    const { workerIndex, roundIndex, roundLabel } = this.#round;
    const id = status.GetID();
    const isGood = status.IsCommitted();
    return {
      traceId: traceOf(id),
      spanId: randomBytes(SPAN_BYTES).toString("hex"),
      name: "benchmark transaction",
      kind: KIND_CLIENT,
      startTimeUnixNano: nanoseconds(status.GetTimeCreate()),
      endTimeUnixNano: nanoseconds(status.GetTimeFinal()),
      attributes: [
        attribute("benchmark.round", roundLabel),
        attribute("benchmark.round_index", roundIndex),
        attribute("benchmark.worker_index", workerIndex),
        ...(id === undefined ? [] : [attribute("transaction.hash", id)]),
      ],
      status: isGood ? { code: STATUS_OK } : { code: STATUS_ERROR, message: status.GetErrMsg() },
    };
  }

  #send(): Promise<void> {
    this.#sending = this.#sending.then(async () => {
      const spans = this.#waiting.splice(0, BATCH);
      if (spans.length === 0) return;
      try {
        await this.#post(spans);
      } catch (error) {
        this.#dropped += spans.length;
        if (!this.#hasTold)
          this.#terms.tell(`${this.#options.url} took no spans: ${reasonOf(error)}`);
        this.#hasTold = true;
      }
    });
    return this.#sending;
  }

  async #post(spans: readonly object[]): Promise<void> {
    const resource = { attributes: [attribute("service.name", "chain-node-benchmark")] };
    const scope = { name: "chain-node-benchmark" };
    const body = JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ scope, spans }] }] });
    const { url, headers } = this.#options;
    const answer = await fetch(tracesUrl(url), {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body,
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
  }

  async roundEnds(): Promise<void> {
    while (this.#waiting.length > 0) await this.#send();
    await this.#sending;
    if (this.#dropped > 0) this.#terms.tell(`${this.#dropped} spans were lost`);
    this.#dropped = 0;
  }

  async close(): Promise<void> {}
}
