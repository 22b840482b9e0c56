/**
 * The life of transactions that were submitted through this node, as spans: received, verified,
 * sealed, executed, committed. Each lasts from the state before to its own.
 */
import type { Telemetry } from "./telemetry-terms.ts";
import { setTimeout } from "node:timers/promises";
import {
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import type { Hash } from "../../../core/bytes/ids.ts";
import { decodeTransaction } from "../../../core/model/transaction.ts";
import type { GroupApi, NodeApi, SubmitOutcome } from "../../../core/api/node-api.ts";
import type { Compute, RecoverItem } from "../../../core/ports/compute.ts";
import type { ExecuteRequest, Executor } from "../../../core/ports/executor.ts";
import type { Tracing } from "./telemetry-sdk.ts";

/** Transactions that are watched at once; the oldest is given up. */
const WATCHED_LIMIT = 20_000;
/** Executed blocks that may still be written. */
const EXECUTED_LIMIT = 8;

/** The last spans get this long to leave. */
const CLOSE_PATIENCE_MS = 3_000;

type State = "received" | "verified" | "sealed" | "executed" | "committed";

interface Life {
  readonly root: Span;
  readonly context: Context;
  /** The last state that it reached, and when; undefined at the beginning. */
  state: State | undefined;
  since: number;
}

/** Wall clock with the resolution of the steady one. */
function now(): number {
  return performance.timeOrigin + performance.now();
}

/** Watches transactions with a tracer; a class because their lives are its state. */
export class TransactionSpans implements Telemetry {
  readonly #tracing: Tracing;
  readonly #lives = new Map<Hash, Life>();
  readonly #groups = new WeakMap<GroupApi, GroupApi>();

  constructor(tracing: Tracing) {
    this.#tracing = tracing;
  }

  api(node: NodeApi): NodeApi {
    const group = (groupId: number) => {
      const found = node.group(groupId);
      return found && this.#watchGroup(found, node);
    };
    return withMethods(node, { group });
  }

  compute(compute: Compute): Compute {
    const recover: Compute["recover"] = async (items, options) => {
      this.#recovering(items, undefined, "received");
      const keys = await compute.recover(items, options);
      this.#recovering(items, "received", "verified");
      return keys;
    };
    return withMethods(compute, { recover });
  }

  openExecutor(open: Parameters<Telemetry["openExecutor"]>[0]) {
    const wrapped: typeof open = async (...given) => this.#watchExecutor(await open(...given));
    return wrapped;
  }

  async close(): Promise<void> {
    for (const life of this.#lives.values()) giveUp(life, "the node stopped");
    this.#lives.clear();
    // A collector that is away must neither fail nor delay the stop of a node.
    const sent = this.#tracing.close().catch(() => undefined);
    await Promise.race([sent, setTimeout(CLOSE_PATIENCE_MS, undefined, { ref: false })]);
  }

  #watchGroup(group: GroupApi, { suite }: NodeApi): GroupApi {
    const known = this.#groups.get(group);
    if (known) return known;
    const submit = async (raw: Uint8Array): Promise<SubmitOutcome> => {
      const begun = now();
      const decoded = decodeTransaction(raw, suite);
      if (!decoded.ok) return group.submit(raw);
      const { hash } = decoded.transaction;
      const life = this.#begin(hash, group.groupId, begun);
      if (!life) return group.submit(raw);
      const outcome = await group.submit(raw);
      if (outcome.ok && this.#lives.get(hash) === life) this.#reach(hash, "verified");
      else if (!outcome.ok) this.#refused(hash, life, outcome.refusal);
      return outcome;
    };
    const watched = withMethods(group, { submit });
    this.#groups.set(group, watched);
    return watched;
  }

  #begin(hash: Hash, groupId: number, at: number): Life | undefined {
    const { tracer } = this.#tracing;
    this.#tracing.nameNext(hash);
    const attributes = { "chain_node.group": groupId, "chain_node.transaction": hash };
    const options = { kind: SpanKind.SERVER, root: true, startTime: at, attributes };
    const root = tracer.startSpan("transaction", options, ROOT_CONTEXT);
    if (!root.isRecording()) return undefined;
    const context = trace.setSpan(ROOT_CONTEXT, root);
    const life: Life = { root, context, state: undefined, since: at };
    // One that is sent again is watched once.
    if (!this.#lives.has(hash)) this.#lives.set(hash, life);
    const [[oldest, first] = []] = this.#lives;
    if (this.#lives.size > WATCHED_LIMIT && oldest !== undefined && first) {
      giveUp(first, "too many transactions wait");
      this.#lives.delete(oldest);
    }
    return life;
  }

  #refused(hash: Hash, life: Life, refusal: string): void {
    life.root.setAttribute("chain_node.refusal", refusal);
    giveUp(life, refusal);
    if (this.#lives.get(hash) === life) this.#lives.delete(hash);
  }

  #recovering(items: readonly RecoverItem[], from: State | undefined, to: State): void {
    if (this.#lives.size === 0) return;
    for (const { name } of items) {
      const life = name === undefined ? undefined : this.#lives.get(name as Hash);
      if (life && life.state === from) this.#step(life, to, now());
    }
  }

  /** Reaches a state that no watcher saw because the way to it was shorter. */
  #reach(hash: Hash, state: State): void {
    const life = this.#lives.get(hash);
    const isEarlier = life && (life.state === undefined || life.state === "received");
    if (isEarlier) this.#step(life, state, now());
  }

  #step(life: Life, state: State, at: number, block?: number): void {
    const attributes = block === undefined ? {} : { "chain_node.block": block };
    const options = { startTime: life.since, attributes };
    this.#tracing.tracer.startSpan(`transaction.${state}`, options, life.context).end(at);
    life.state = state;
    life.since = at;
  }

  /** Reports all watched transactions of a block at once. */
  #stepAll(hashes: readonly Hash[], state: State, block: number): void {
    if (this.#lives.size === 0) return;
    const at = now();
    for (const hash of hashes) {
      const life = this.#lives.get(hash);
      if (life) this.#step(life, state, at, block);
    }
  }

  #watchExecutor(executor: Executor): Executor {
    const executed = new Map<Hash, ExecuteRequest>();
    const execute: Executor["execute"] = async (request) => {
      const { number } = request.header;
      this.#stepAll(request.hashes, "sealed", number);
      const outcome = await executor.execute(request);
      if (!outcome.ok) return outcome;
      this.#stepAll(request.hashes, "executed", number);
      executed.set(outcome.block.hash, request);
      const [oldest] = executed.keys();
      if (executed.size > EXECUTED_LIMIT && oldest !== undefined) executed.delete(oldest);
      return outcome;
    };
    const write: Executor["write"] = async (hash, seals) => {
      await executor.write(hash, seals);
      const request = executed.get(hash);
      executed.clear();
      if (request) this.#committed(request);
    };
    return withMethods(executor, { execute, write });
  }

  #committed({ hashes, header }: ExecuteRequest): void {
    this.#stepAll(hashes, "committed", header.number);
    for (const hash of hashes) {
      const life = this.#lives.get(hash);
      if (!life) continue;
      life.root.setAttribute("chain_node.block", header.number);
      life.root.setStatus({ code: SpanStatusCode.OK });
      life.root.end(life.since);
      this.#lives.delete(hash);
    }
  }
}

function giveUp({ root }: Life, message: string): void {
  root.setStatus({ code: SpanStatusCode.ERROR, message });
  root.end(now());
}

/** The object with some methods replaced; the others work on the object itself. */
function withMethods<Of extends object>(of: Of, methods: Partial<Of>): Of {
  return new Proxy(of, {
    get(target, name) {
      if (name in methods) return methods[name as keyof Of];
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
