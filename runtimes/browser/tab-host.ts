/** The worker's owner of everything: what is kept, what runs, and who is connected. */
import { hexBytes, nodeIdOf } from "../../core/bytes/hex.ts";
import type { RunningNode } from "../../core/node/create-node.ts";
import type { Log } from "../../core/ports/log.ts";
import { publicKeyPem } from "../formats/keys/public-key.ts";
import { sharedCompute } from "../shared/shared-compute.ts";
import type { WatchPost } from "../shared/theatre/live/watch-post.ts";
import { webClock } from "../shared/platform/web-platform.ts";
import type {
  JoinFinding,
  JoinKey,
  JoinKeyRequest,
  JoinStartRequest,
  RestoreReport,
  RestoreRequest,
  StartRequest,
  TabChain,
  TabPeer,
  TabPhase,
  TabStatus,
} from "./link/api.ts";
import { Keeping } from "./backup/keeping.ts";
import { createTabCompute } from "./compute.ts";
import type { TabStorage } from "./tab-storage.ts";
import { createNodeEnd, type NodeEnd } from "./node-end.ts";
import { nodeState } from "./node-state.ts";
import { createTabChain, type TabMachinery } from "./tab-chain.ts";
import { createJoinedTab, findingOf, keptJoin } from "./tab-join.ts";
import { type EvictionMark, evictedOf } from "./store/eviction-mark.ts";
import { type KeptKeys, KeysLocked, type TabRecord } from "./tab-record.ts";
import {
  CHAIN_NAME,
  chainFor,
  chainOf,
  consensusIn,
  type Made,
  keyOf,
  lossText,
  nameOf,
  newKeys,
  reasonOf,
  suiteOf,
  TabFault,
} from "./tab-request.ts";
import { requireKeyRequest, requirePassphrase, requireRequest } from "./request-check.ts";

/** Between two examines the nodes while somebody watches. */
const WATCH_MS = 250;

/** No node runs. */
export class NodeOff extends Error {
  override readonly name = "NodeOff";
}

interface TabHostOptions {
  readonly storage: TabStorage;
  readonly log: Log;
  /** Where compute-worker.js lies. */
  readonly computeUrl: URL;
  /** What the page remembers of chains that ran here. */
  readonly marks: readonly EvictionMark[];
  /** Whether the page is hidden when the worker begins. */
  readonly isHidden: boolean;
}

/** Nodes that run. */
interface Running {
  readonly ends: readonly NodeEnd[];
  /** Where the nodes are watched from. */
  readonly posts: ReadonlyMap<number, WatchPost>;
  /** Of a node that joined a network. */
  readonly peers?: () => readonly TabPeer[];
  stop(): Promise<void>;
}

/** Nodes that are wired. */
type Wired = Pick<Running, "peers"> & { readonly nodes: readonly RunningNode[] };

/** What a chain looks like from outside. */
interface Kept {
  readonly record: TabRecord;
  readonly chain: TabChain;
}

type Own = Omit<TabStatus, "owner">;

const told = (cause: unknown) => ({ cause: reasonOf(cause) });

/** The host; a class because it owns the nodes. */
export class TabHost {
  readonly #options: TabHostOptions;
  readonly #listeners = new Set<(status: Own) => void>();
  #phase: TabPhase = "off";
  #reason: string | undefined;
  #kept: Kept | undefined;
  #running: Running | undefined;
  /** Increases whenever nodes come or go: connections to the earlier ones are stale. */
  #generation = 0;
  /** One thing after the other. */
  #last: Promise<unknown> = Promise.resolve();
  #shown = "";
  #isHidden: boolean;
  #loss: EvictionMark | undefined;

  /** Backups and restoring. */
  readonly keeping: Keeping;

  constructor(options: TabHostOptions) {
    this.#options = options;
    this.#isHidden = options.isHidden;
    this.keeping = new Keeping(options.storage);
  }

  /** The chain that is kept. */
  record(): TabRecord | undefined {
    return this.#kept?.record;
  }

  /** @throws TabFault when no chain is kept */
  requireRecord(): TabRecord {
    const record = this.record();
    if (!record) throw new TabFault("this browser keeps no chain");
    return record;
  }

  /** @throws TabFault when a chain is kept; what is wrong with the files */
  restore(request: RestoreRequest): Promise<RestoreReport> {
    return this.#inTurn(async () => {
      if (this.#kept)
        throw new TabFault(`this browser keeps ${nameOf(this.#kept.record)}: wipe it first`);
      const { record, report } = await this.keeping.restore(request);
      this.#kept = { record, chain: await chainOf(record) };
      this.#loss = undefined;
      this.#to("off");
      return report;
    });
  }

  /** The user's word that no other copy of the nodes runs. Source: decision 25 */
  async confirmOnlyCopy(): Promise<void> {
    for (const { node } of this.#running?.ends ?? []) await node.confirmOnlyCopy();
    this.#show();
  }

  get generation(): number {
    return this.#generation;
  }

  /** Goes on with what ran when the tab was closed. */
  open(): Promise<void> {
    return this.#inTurn(async () => {
      const record = await this.#read();
      if (record?.isWanted) await this.#run(record, undefined);
    }).catch(() => undefined);
  }

  /** What is kept. Without it something may be missing. */
  async #read(): Promise<TabRecord | undefined> {
    try {
      const { storage, marks } = this.#options;
      const record = await storage.record();
      this.#kept = record && { record, chain: await chainOf(record) };
      [this.#loss] = evictedOf(marks, record ? [record] : []);
      if (record || !this.#loss) this.#to("off");
      else this.#to("evicted", lossText(this.#loss));
      return record;
    } catch (cause) {
      this.#to("failed", reasonOf(cause));
      throw cause;
    }
  }

  /** Where a node is watched from. @throws NodeOff */
  post(node: number): WatchPost {
    const post = this.#running?.posts.get(node);
    if (post) return post;
    throw this.#nodeOff(node);
  }

  /** @throws NodeOff */
  end(node: number): NodeEnd {
    const end = this.#running?.ends[node];
    if (end) return end;
    throw this.#nodeOff(node);
  }

  #nodeOff(node: number): NodeOff {
    const next = "start a chain on the page's node part";
    return new NodeOff(
      this.#running ? `there is no node ${node} here` : `no node runs in this browser: ${next}`,
    );
  }

  start(request: StartRequest): Promise<void> {
    return this.#inTurn(async () => {
      requireRequest(request);
      if (this.#running) throw new TabFault("a chain runs already: stop it first");
      this.#admitNew(request.isNew);
      const made =
        request.kind === "join"
          ? await this.#joinFor(request)
          : await chainFor(request, this.#kept?.record);
      const kept: KeptKeys | undefined = made.keys && {
        keys: made.keys,
        passphrase: request.passphrase,
      };
      const chain = await chainOf(made.record);
      const record = await this.#want({ record: made.record, chain }, true, kept);
      await this.#run(record, request.passphrase);
    });
  }

  /** After a loss nothing begins unasked, and nothing under the keys of what is left. */
  #admitNew(isNew = false): void {
    if (this.#phase !== "evicted") return;
    if (this.#kept || !isNew) throw new TabFault(this.#reason ?? "the data are lost");
  }

  resume(passphrase: string | undefined): Promise<void> {
    return this.#inTurn(async () => {
      requirePassphrase(passphrase);
      if (this.#running) return;
      const kept = this.#kept;
      const isWhole = kept?.record.kind === "chain" || kept?.record.join !== undefined;
      if (!kept || !isWhole) throw new TabFault("this browser keeps no chain to go on with");
      if (this.#phase === "evicted") throw new TabFault(this.#reason ?? "the data are lost");
      const record = await this.#want(kept, true);
      await this.#run(record, passphrase);
    });
  }

  joinKey(request: JoinKeyRequest): Promise<JoinKey> {
    return this.#inTurn(async () => {
      requireKeyRequest(request);
      const { passphrase, isNew } = request;
      this.#admitNew(isNew);
      const { record, keys } = await this.#ownKey(request);
      const { storage } = this.#options;
      if (keys) await storage.clear(record);
      if (keys) await storage.keep(record, { keys, passphrase });
      this.#kept ??= { record, chain: await chainOf(record) };
      const [nodeId = ""] = record.nodeIds;
      this.#show();
      const suite = record.sm ? "national" : "standard";
      return { nodeId, publicKey: publicKeyPem(suite, hexBytes(nodeId)) };
    });
  }

  async checkJoin(request: JoinStartRequest): Promise<JoinFinding | undefined> {
    requireRequest(request);
    const { record, keys } = await this.#ownKey(request);
    const [key] = keys ?? (await this.#options.storage.keys(record, request.passphrase));
    return await findingOf(request, { suite: await suiteOf(record) }, key ?? new Uint8Array());
  }

  /** Only a network would wait for a hidden tab; a chain in the tab has nobody else. */
  setHidden(isHidden: boolean): void {
    this.#isHidden = isHidden;
    if (this.#running?.peers)
      for (const { node } of this.#running.ends) node.setAbstaining(isHidden);
    this.#show();
  }

  stop(): Promise<void> {
    return this.#inTurn(() => this.#stop());
  }

  wipe(): Promise<void> {
    return this.#inTurn(async () => {
      const { storage, log } = this.#options;
      // What cannot be stopped in order is removed all the same.
      await this.#end().catch((cause) => log.write("warning", "a node did not stop", told(cause)));
      await this.keeping.endAll();
      const kept = this.#kept;
      try {
        await (kept ? storage.remove(kept.record) : storage.removeAll());
      } catch (cause) {
        this.#to("failed", reasonOf(cause));
        throw cause;
      }
      this.#kept = undefined;
      this.#loss = undefined;
      this.#to("off");
    });
  }

  status(): Own {
    const nodes = this.#running?.ends.map(({ node }, index) => nodeState(node.api, index)) ?? [];
    const { chain } = this.#kept ?? {};
    const loss = this.#phase === "evicted" && this.#loss ? { loss: this.#loss } : {};
    const own = { phase: this.#phase, chain, nodes, reason: this.#reason, ...loss };
    const peers = this.#running?.peers?.();
    return peers ? { ...own, peers, isQuiet: this.#isHidden } : own;
  }

  /** @returns ends it */
  onStatus(listener: (status: Own) => void): () => void {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) this.#watch();
    return () => void this.#listeners.delete(listener);
  }

  async #stop(): Promise<void> {
    await this.#end();
    if (this.#kept) await this.#want(this.#kept, false);
    this.#to("off");
  }

  /**
   * Keeps whether the chain begins by itself; where that cannot be written, it is so while this tab
   * lives. A new chain has keys, which must be kept; what an earlier attempt left goes first.
   */
  async #want(kept: Kept, isWanted: boolean, keys?: KeptKeys): Promise<TabRecord> {
    const record = { ...kept.record, isWanted };
    const { storage, log } = this.#options;
    if (keys) {
      await storage.clear(record);
      await storage.keep(record, keys);
    } else {
      await storage.keep(record).catch((cause) => {
        log.write("warning", "the browser could not note whether the chain runs", told(cause));
      });
    }
    this.#kept = { ...kept, record };
    return record;
  }

  async #end(): Promise<void> {
    const running = this.#running;
    if (!running) return;
    this.#to("stopping");
    this.#running = undefined;
    this.#generation += 1;
    try {
      await running.stop();
    } catch (cause) {
      this.#to("failed", reasonOf(cause));
      throw cause;
    }
  }

  /** The record of a node of a network with its key, if that is new; nothing is kept yet. */
  async #ownKey(request: JoinKeyRequest): Promise<Made> {
    const { sm = false, privateKey } = request;
    const kept = this.#kept?.record;
    if (kept && (kept.kind !== "join" || kept.sm !== sm))
      throw new TabFault(`this browser keeps ${nameOf(kept)}: wipe it to join a network`);
    const suite = await suiteOf({ sm });
    const given = privateKey === undefined ? [] : [keyOf(privateKey, suite)];
    const named = given.map((key) => nodeIdOf(suite.publicKey(key)));
    if (kept && named.every((nodeId) => kept.nodeIds.includes(nodeId))) return { record: kept };
    if (kept) throw new TabFault("this browser keeps another key: wipe it to use this one");
    const keys = given.length > 0 ? given : newKeys(suite, 1);
    const nodeIds = keys.map((key) => nodeIdOf(suite.publicKey(key)));
    const common = { name: CHAIN_NAME, kind: "join", consensus: "pbft" } as const;
    const created = webClock.now();
    const isKeyBrought = given.length > 0;
    const made = { ...common, chainId: 0, sm, created, nodeIds, isWanted: false };
    const record: TabRecord = isKeyBrought ? { ...made, isKeyBrought } : made;
    return { record, keys };
  }

  /**
   * The record with what the request says. @throws JoinFault's words when it does not fit together
   */
  async #joinFor(request: JoinStartRequest): Promise<Made> {
    const { record, keys } = await this.#ownKey(request);
    const { chainId, join } = record;
    if (join && chainId !== request.chainId)
      throw new TabFault(`this browser keeps a node of chain ${chainId}: wipe it to join another`);
    const finding = await this.checkJoin(request);
    if (finding) throw new TabFault(finding.message);
    const { chainId: joined, groups } = request;
    const consensus = consensusIn(groups);
    const made = { ...record, chainId: joined, consensus, join: keptJoin(request) };
    return keys ? { record: made, keys } : { record: made };
  }

  async #run(record: TabRecord, passphrase: string | undefined): Promise<void> {
    this.#to("starting");
    // They hold stores of groups that do not run.
    await this.keeping.endAll();
    try {
      this.#running = await this.#startNodes(record, passphrase);
      this.#generation += 1;
      this.#to("running");
    } catch (cause) {
      this.#to(cause instanceof KeysLocked ? "locked" : "failed", reasonOf(cause));
      throw cause;
    }
  }

  async #startNodes(record: TabRecord, passphrase: string | undefined): Promise<Running> {
    const { storage, log, computeUrl } = this.#options;
    const keys = await storage.keys(record, passphrase);
    const suite = await suiteOf(record);
    const pool = createTabCompute({ suite, log, url: computeUrl });
    const posts = new Map<number, WatchPost>();
    const machinery = { suite, compute: sharedCompute(pool), log, storage, posts };
    const { nodes, peers } = await this.#wire(machinery, record, keys).catch(async (cause) => {
      await pool.close();
      throw cause;
    });
    const stop = async () => {
      for (const post of posts.values()) post.close();
      const stops = await Promise.allSettled(nodes.map((node) => node.stop()));
      await pool.close();
      for (const one of stops) if (one.status === "rejected") throw one.reason;
    };
    for (const node of nodes) this.#follow(node);
    const ends = nodes.map((node) => createNodeEnd(node, { clock: webClock, log }));
    // All of them: a node that is told to stop while it loads would come up afterwards.
    const starts = await Promise.allSettled(nodes.map((node) => node.start()));
    const failed = starts.find((start) => start.status === "rejected");
    if (failed) {
      await stop().catch(() => undefined);
      throw failed.reason;
    }
    return { ends, posts, stop, ...(peers ? { peers } : {}) };
  }

  async #wire(
    machinery: TabMachinery,
    record: TabRecord,
    keys: readonly Uint8Array[],
  ): Promise<Wired> {
    if (record.kind === "chain") return { nodes: await createTabChain(machinery, record, keys) };
    const [privateKey = new Uint8Array()] = keys;
    const onCopy = (reason: string) => {
      void this.#inTurn(async () => {
        await this.#end().catch(() => undefined);
        this.#to("failed", reason);
      });
    };
    const { node, peers } = await createJoinedTab(machinery, record, {
      privateKey,
      events: { onCopy },
    });
    node.setAbstaining(this.#isHidden);
    return { nodes: [node], peers };
  }

  #follow(node: RunningNode): void {
    node.onFailure((cause, groupId) => {
      if (groupId === undefined) this.#to("failed", reasonOf(cause));
      else this.#show();
    });
  }

  #to(phase: TabPhase, reason?: string): void {
    this.#phase = phase;
    this.#reason = reason;
    this.#show();
  }

  /** Looks again and again while somebody listens. */
  #watch(): void {
    if (this.#listeners.size === 0) return;
    this.#show();
    webClock.after(WATCH_MS, () => this.#watch());
  }

  /** Tells what has changed. */
  #show(): void {
    if (this.#listeners.size === 0) return;
    const status = this.status();
    const text = JSON.stringify(status);
    if (text === this.#shown) return;
    this.#shown = text;
    for (const listener of this.#listeners) listener(status);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }
}
