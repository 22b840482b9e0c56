/** Spans of the life of a transaction, received by a collector in this process. */
import type { Telemetry, Environment } from "../../../../runtimes/node/observe/telemetry-terms.ts";
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "vitest";
import { hexBytes } from "../../../../core/bytes/hex.ts";
import type { Hash } from "../../../../core/bytes/ids.ts";
import type { GenesisConfig } from "../../../../core/model/config.ts";
import type { Header } from "../../../../core/model/header.ts";
import type { SubmitOutcome } from "../../../../core/api/node-api.ts";
import type { Compute } from "../../../../core/ports/compute.ts";
import type { ExecuteRequest, Executor } from "../../../../core/ports/executor.ts";
import { startTelemetry, wantsTelemetry } from "../../../../runtimes/node/observe/telemetry.ts";
import { nodeIdOf } from "../../../support/data-node.ts";
import {
  type OtlpReceiver,
  type ReceivedSpan,
  startOtlpReceiver,
} from "../../../support/process/otlp-receiver.ts";
import { rpcGroup, rpcNode } from "../../../support/rpc-node.ts";
import { createSender } from "../../../support/sender.ts";
import { STANDARD_SUITE } from "../../../support/suites.ts";

const suite = STANDARD_SUITE;
const sign = createSender(suite);
const ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT";
const HEADERS = "OTEL_EXPORTER_OTLP_HEADERS";
const E = `0x${"ee".repeat(32)}` as Hash;
const facts = {
  version: "2.12.0",
  nodeId: nodeIdOf("a1"),
  node: "node0",
  agency: "agency",
  chainId: 1,
};

let receiver: OtlpReceiver;
const saved: Environment = { ...process.env };

beforeEach(async () => {
  receiver = await startOtlpReceiver();
  process.env[ENDPOINT] = receiver.url;
  process.env[HEADERS] = "authorization=secret";
});

afterEach(async () => {
  for (const name of [ENDPOINT, HEADERS, "OTEL_SERVICE_NAME"]) {
    if (saved[name] === undefined) delete process.env[name];
    else process.env[name] = saved[name];
  }
  await receiver.close();
});

/** A close waits for the collector, but not for long: on a busy machine spans come after it. */
async function received(holds: () => boolean): Promise<void> {
  const end = performance.now() + 240_000;
  while (!holds() && performance.now() < end) await new Promise((resume) => setTimeout(resume, 20));
}

async function start(more: Environment = {}): Promise<Telemetry> {
  const env = { ...process.env, ...more };
  const telemetry = await startTelemetry({ env, facts, log: { write: () => undefined } });
  assert.ok(telemetry);
  return telemetry;
}

/** A node over watched ports: what a submission, an execution and a write do is in our hands. */
async function watched(telemetry: Telemetry, admit: (raw: Uint8Array) => SubmitOutcome) {
  const inner: Compute = { recover: async () => [undefined], close: async () => undefined };
  const compute = telemetry.compute(inner);
  const group = rpcGroup({
    submit: async (raw) => {
      const name = suiteHash(raw);
      await compute.recover([{ name, digest: new Uint8Array(32), signature: new Uint8Array(65) }]);
      return admit(raw);
    },
  });
  const node = telemetry.api(rpcNode({ group: () => group }));
  const open = telemetry.openExecutor(async () => executorOf());
  const executor = await open({ groupId: 1 } as GenesisConfig, () => undefined);
  return { node, executor };
}

const suiteHash = (raw: Uint8Array) => `0x${Buffer.from(suite.hash(raw)).toString("hex")}`;

function executorOf(): Executor {
  return {
    execute: async ({ header }) => ({ ok: true, block: { header, hash: E } }),
    write: async () => undefined,
    cancel: () => undefined,
    call: async () => ({ number: 0, status: 0, output: new Uint8Array() }),
    close: async () => undefined,
  };
}

function requestOf(...hashes: readonly Hash[]): ExecuteRequest {
  const header = { number: 7 } as Header;
  return { header, transactions: [], hashes, senders: [] };
}

const attribute = ({ attributes }: ReceivedSpan, key: string) =>
  attributes.find((each) => each.key === key)?.value;

test("a committed transaction has five spans in a row below one of its whole life", async () => {
  process.env["OTEL_SERVICE_NAME"] = "bank-node";
  const telemetry = await start();
  const { hash, raw } = sign({ head: 1 });
  const { node, executor } = await watched(telemetry, () => ({ ok: true, hash }));
  assert.deepEqual(await node.group(1)?.submit(hexBytes(raw)), { ok: true, hash });
  await executor.execute(requestOf(hash));
  await executor.write(E, []);
  await telemetry.close();
  const { spans } = receiver;
  await received(() => spans.length >= 6);
  const root = spans.find(({ name }) => name === "transaction");
  assert.ok(root);
  assert.equal(root.traceId, hash.slice(2, 34));
  assert.equal(attribute(root, "chain_node.transaction")?.stringValue, hash);
  assert.equal(attribute(root, "chain_node.block")?.intValue, 7);
  assert.equal(root.status.code, 1);
  const steps = spans.filter((span) => span !== root);
  assert.deepEqual(
    steps.map(({ name }) => name.replace("transaction.", "")),
    ["received", "verified", "sealed", "executed", "committed"],
  );
  let end = root.startTimeUnixNano;
  for (const step of steps) {
    assert.deepEqual([step.parentSpanId, step.startTimeUnixNano], [root.spanId, end], step.name);
    assert.ok(BigInt(step.endTimeUnixNano) >= BigInt(end));
    end = step.endTimeUnixNano;
  }
  assert.equal(root.endTimeUnixNano, end);
  const [resource] = receiver.resources;
  assert.equal(resource?.["service.name"], "bank-node");
  assert.equal(resource["service.instance.id"], facts.nodeId);
  assert.equal(receiver.headers[0]?.["authorization"], "secret");
});

test("a refused transaction is one failed span with its reason", async () => {
  const telemetry = await start();
  const { hash, raw } = sign({ head: 1 });
  const refusal = { ok: false, refusal: "txPoolIsFull", hash, blockLimit: 1n } as const;
  const { node } = await watched(telemetry, () => refusal);
  assert.deepEqual(await node.group(1)?.submit(hexBytes(raw)), refusal);
  await telemetry.close();
  await received(() => receiver.spans.some(({ name }) => name === "transaction"));
  const root = receiver.spans.find(({ name }) => name === "transaction");
  assert.deepEqual([root?.status.code, root?.status.message], [2, "txPoolIsFull"]);
});

test("what others submitted, and what is undecodable, makes no span", async () => {
  const telemetry = await start();
  const { hash } = sign({ head: 1 });
  const { node, executor } = await watched(telemetry, () => ({
    ok: false,
    refusal: "undecodable",
    reason: "BadRLP",
  }));
  await executor.execute(requestOf(hash));
  await executor.write(E, []);
  await node.group(1)?.submit(Uint8Array.of(1, 2, 3));
  await telemetry.close();
  assert.deepEqual(receiver.spans, []);
});

test("the sampler decides once for all spans of a transaction", async () => {
  const variables = { OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "0.5" };
  const telemetry = await start(variables);
  for (let count = 0; count < 40; count++) {
    const { hash, raw } = sign({ head: 1 });
    const { node, executor } = await watched(telemetry, () => ({ ok: true, hash }));
    await node.group(1)?.submit(hexBytes(raw));
    await executor.execute(requestOf(hash));
    await executor.write(E, []);
  }
  await telemetry.close();
  const tracesOf = () => new Set(receiver.spans.map(({ traceId }) => traceId)).size;
  await received(() => tracesOf() > 0 && receiver.spans.length === 6 * tracesOf());
  const traces = tracesOf();
  assert.ok(traces > 0 && traces < 40, `${traces} of 40`);
  assert.equal(receiver.spans.length, traces * 6);
});

test("a collector that is away delays nobody and fails no stop", async () => {
  await receiver.close();
  const telemetry = await start({ OTEL_BSP_EXPORT_TIMEOUT: "100" });
  const { hash, raw } = sign({ head: 1 });
  const { node } = await watched(telemetry, () => ({ ok: true, hash }));
  await node.group(1)?.submit(hexBytes(raw));
  await telemetry.close();
  receiver = await startOtlpReceiver();
});

test("the standard variables switch it on and off", () => {
  const cases: readonly [Environment, boolean][] = [
    [{}, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://c:4318" }, true],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://c:4318/v1/traces" }, true],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "" }, false],
    [{ OTEL_TRACES_EXPORTER: "otlp" }, true],
    [{ OTEL_TRACES_EXPORTER: "none", OTEL_EXPORTER_OTLP_ENDPOINT: "http://c:4318" }, false],
    [{ OTEL_TRACES_EXPORTER: "console, otlp" }, true],
    [{ OTEL_SDK_DISABLED: "TRUE", OTEL_TRACES_EXPORTER: "otlp" }, false],
    [{ OTEL_SERVICE_NAME: "x" }, false],
  ];
  for (const [env, wanted] of cases) assert.equal(wantsTelemetry(env), wanted, JSON.stringify(env));
});
