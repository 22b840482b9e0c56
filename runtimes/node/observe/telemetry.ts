/**
 * Spans for the life of a transaction, switched on by the standard variables of OpenTelemetry.
 * While they are off, none of its packages is evaluated.
 */
import type { Environment, Telemetry, TelemetryOptions } from "./telemetry-terms.ts";

const ENDPOINTS = ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"];
const PROTOCOLS = ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"];
const SPOKEN = "http/json";

/**
 * Whether spans are wanted: an endpoint is named, or the exporter `otlp`; not when the exporter is
 * `none` or OTEL_SDK_DISABLED is true.
 */
export function wantsTelemetry(env: Environment): boolean {
  if (env["OTEL_SDK_DISABLED"]?.toLowerCase() === "true") return false;
  const exporters = env["OTEL_TRACES_EXPORTER"]?.split(",").map((name) => name.trim()) ?? [];
  if (exporters.some((name) => name !== "")) return exporters.includes("otlp");
  return ENDPOINTS.some((name) => (env[name] ?? "") !== "");
}

/** Begins to watch; undefined when no caller asked for it. */
export async function startTelemetry(options: TelemetryOptions): Promise<Telemetry | undefined> {
  const { env, log } = options;
  if (!wantsTelemetry(env)) return undefined;
  const protocol = PROTOCOLS.map((name) => env[name]).find((value) => value);
  if (protocol !== undefined && protocol !== SPOKEN) {
    const said = `spans are sent as ${SPOKEN}, on the port that takes http/protobuf as well`;
    log.write("warning", said, { asked: protocol });
  }
  const { createTracing } = await import("./telemetry-sdk.ts");
  const { TransactionSpans } = await import("./transaction-spans.ts");
  const tracing = createTracing(options);
  log.write("info", "spans of transactions are sent by OpenTelemetry");
  return new TransactionSpans(tracing);
}
