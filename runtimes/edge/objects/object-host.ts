/** Runs a node inside an object: starts it on demand, answers requests, sets the alarm. */
import type { ObjectStorage } from "cloudflare:workers";
import type { RunningNode } from "../../../core/node/create-node.ts";
import { createHttpApp, type HttpApp } from "../../shared/http-app.ts";
import type { PageLists } from "../../shared/http-caller.ts";
import { consoleLog, webClock } from "../../shared/platform/web-platform.ts";
import { type KeepingNode, keepingNode, PendingStore } from "./pending-store.ts";
import { openSqlStore, PENDING_ROOM } from "./sql-store.ts";

const MAX_BODY_BYTES = 10 * 1024 * 1024;
/**
 * Timers do not keep an object in memory, events do: so an object with work has an alarm this soon.
 * Less than the ten seconds after which the local runtime evicts one that learns of nothing.
 */
const ALARM_MS = 5_000;

interface HostedNode {
  /** Has work at all times, as a sealer among others or a follower: it is never left to sleep. */
  readonly staysAwake: boolean;
  readonly lists: PageLists;
  /** Wires the node; not started. */
  wire(): Promise<RunningNode>;
}

/** The host; a class because it owns the node and the alarm. */
export class ObjectHost {
  readonly #storage: ObjectStorage;
  readonly #hosted: HostedNode;
  #pending: Promise<PendingStore> | undefined;
  #http: Promise<HttpApp> | undefined;
  #kept: KeepingNode | undefined;
  #isAlarmSet = false;

  constructor(storage: ObjectStorage, hosted: HostedNode) {
    this.#storage = storage;
    this.#hosted = hosted;
  }

  /** The endpoint, once the node runs. What keeps it from starting is tried again by the next. */
  running(): Promise<HttpApp> {
    this.#http ??= this.#start().catch((cause: unknown) => {
      this.#http = undefined;
      throw cause;
    });
    return this.#http;
  }

  async fetch(request: Request): Promise<Response> {
    const { app } = await this.running();
    return await app.fetch(request);
  }

  /** The next alarm is set before anything can fail: else nothing would wake the object again. */
  async alarm(): Promise<void> {
    this.#isAlarmSet = false;
    if (this.#hosted.staysAwake || !(await (await this.#opened()).isEmpty())) this.#setAlarm();
    await this.running();
    await this.#kept?.retry();
  }

  #opened(): Promise<PendingStore> {
    this.#pending ??= openSqlStore(this.#storage, PENDING_ROOM).then(
      (store) => new PendingStore(store),
    );
    return this.#pending;
  }

  async #start(): Promise<HttpApp> {
    if (this.#hosted.staysAwake) this.#setAlarm();
    const node = await this.#hosted.wire();
    await node.start();
    const kept = keepingNode(node.api, await this.#opened(), () => this.#setAlarm());
    this.#kept = kept;
    const { lists } = this.#hosted;
    return createHttpApp({ node: kept.api, maxBodyBytes: MAX_BODY_BYTES, log: consoleLog, lists });
  }

  #setAlarm(): void {
    if (this.#isAlarmSet) return;
    this.#isAlarmSet = true;
    this.#storage.setAlarm(webClock.now() + ALARM_MS).catch((cause: unknown) => {
      this.#isAlarmSet = false;
      consoleLog.write("error", "the alarm could not be set", { cause: String(cause) });
    });
  }
}
