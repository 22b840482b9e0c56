/** The tracer: sampler, batches and exporter as the standard variables say. */
import type { TelemetryOptions, Environment } from "./telemetry-terms.ts";
import type { Tracer } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  type IdGenerator,
  RandomIdGenerator,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { Hash } from "../../../core/bytes/ids.ts";

/** A tracer whose traces are named by transactions. */
export interface Tracing {
  readonly tracer: Tracer;
  /** The next trace is that of a transaction: its id begins as the hash does, on every node. */
  nameNext(hash: Hash): void;
  close(): Promise<void>;
}

const TRACE_ID_DIGITS = 32;

/** Trace ids that are parts of hashes, so that nodes and clients find the same trace. */
class HashIds implements IdGenerator {
  readonly #random = new RandomIdGenerator();
  #next: string | undefined;

  nameNext(hash: Hash): void {
    this.#next = hash.slice(2, 2 + TRACE_ID_DIGITS);
  }

  generateTraceId(): string {
    const next = this.#next ?? this.#random.generateTraceId();
    this.#next = undefined;
    return next;
  }

  generateSpanId(): string {
    return this.#random.generateSpanId();
  }
}

/** OTEL_TRACES_SAMPLER; a node begins its traces, so `parentbased_` makes no difference. */
export function samplerOf(env: Environment): Sampler {
  const name = (env["OTEL_TRACES_SAMPLER"] ?? "").replace(/^parentbased_/, "");
  if (name === "always_off") return new AlwaysOffSampler();
  const argument = env["OTEL_TRACES_SAMPLER_ARG"] ?? "";
  const ratio = Number(argument);
  const isRatio = argument !== "" && ratio >= 0 && ratio <= 1;
  if (name === "traceidratio" && isRatio) return new TraceIdRatioBasedSampler(ratio);
  return new AlwaysOnSampler();
}

/** A positive whole number of a variable. */
function numberOf(env: Environment, name: string): number | undefined {
  const text = env[name] ?? "";
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}

function batchesOf(env: Environment) {
  const settings = {
    maxQueueSize: numberOf(env, "OTEL_BSP_MAX_QUEUE_SIZE"),
    maxExportBatchSize: numberOf(env, "OTEL_BSP_MAX_EXPORT_BATCH_SIZE"),
    scheduledDelayMillis: numberOf(env, "OTEL_BSP_SCHEDULE_DELAY"),
    exportTimeoutMillis: numberOf(env, "OTEL_BSP_EXPORT_TIMEOUT"),
  };
  const set = Object.entries(settings).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set) as Readonly<Record<keyof typeof settings, number>>;
}

/** Where, and how fast, is read by the exporter from the variables of the process. */
export function createTracing({ env, facts }: TelemetryOptions): Tracing {
  const ids = new HashIds();
  const own = resourceFromAttributes({
    "service.name": "chain-node",
    "service.version": facts.version,
    "service.instance.id": facts.nodeId,
    "chain_node.node": facts.node,
    "chain_node.agency": facts.agency,
    "chain_node.chain_id": facts.chainId,
  });
  const exporter = new OTLPTraceExporter();
  const provider = new TracerProvider({
    // What the operator says of the process wins.
    resource: own.merge(detectResources({ detectors: [envDetector] })),
    sampler: samplerOf(env),
    idGenerator: ids,
    spanProcessors: [new BatchSpanProcessor({ exporter, ...batchesOf(env) })],
  });
  return {
    tracer: provider.getTracer("chain-node", facts.version),
    nameNext: (hash) => ids.nameNext(hash),
    close: () => provider.shutdown(),
  };
}
