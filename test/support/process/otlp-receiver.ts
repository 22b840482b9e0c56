/** A collector of spans for tests: OTLP over HTTP as JSON, in this process. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { gunzipSync } from "node:zlib";

/** A value of an attribute, as far as tests look. */
interface AnyValue {
  readonly stringValue?: string;
  readonly intValue?: number;
}

/** A span as it came. */
export interface ReceivedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status: { readonly code?: number; readonly message?: string };
  readonly attributes: readonly { readonly key: string; readonly value: AnyValue }[];
}

/** A collector that listens. */
export interface OtlpReceiver {
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  /** Attributes of the processes that sent spans, as texts. */
  readonly resources: readonly Readonly<Record<string, string>>[];
  readonly headers: readonly Readonly<Record<string, unknown>>[];
  close(): Promise<void>;
}

interface Body {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: ReceivedSpan["attributes"] };
    readonly scopeSpans: readonly { readonly spans: readonly ReceivedSpan[] }[];
  }[];
}

/** Listens on a free port. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const resources: Record<string, string>[] = [];
  const headers: Record<string, unknown>[] = [];
  const take = (text: string) => {
    for (const { resource, scopeSpans } of (JSON.parse(text) as Body).resourceSpans) {
      const pairs = resource.attributes.map(({ key, value }) => [key, value.stringValue ?? ""]);
      resources.push(Object.fromEntries(pairs) as Record<string, string>);
      for (const scope of scopeSpans) spans.push(...scope.spans);
    }
  };
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const body = Buffer.concat(parts);
      const isPacked = request.headers["content-encoding"] === "gzip";
      if (request.url === "/v1/traces") take((isPacked ? gunzipSync(body) : body).toString());
      headers.push(request.headers);
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  const close = async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  };
  return { url: `http://127.0.0.1:${address.port}`, spans, resources, headers, close };
}
