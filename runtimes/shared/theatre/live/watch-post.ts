/**
 * Where a running node can be watched from, at any time. While nobody watches it costs a question
 * for each message and block; who watches only reads.
 */
import type { AnyActor } from "xstate";
import type { ActorGallery } from "../../../../core/actors/supervise.ts";
import type { CryptoSuite } from "../../../../core/crypto/suite.ts";
import type { RunningNode } from "../../../../core/node/create-node.ts";
import type { Clock } from "../../../../core/ports/clock.ts";
import type { Network } from "../../../../core/ports/network.ts";
import type { LiveMessage } from "../api.ts";
import { CHARTS } from "../charts.ts";
import type { Frame } from "../frame.ts";
import { createMessageReader } from "../message-view.ts";
import { GroupWatch } from "./group-watch.ts";
import { tapped } from "./passing.ts";

/** Watchers of one node at a time. */
export const MOST_WATCHERS = 8;
/** Least time between two frames. */
const FRAME_MS = 100;

/** What a post is made with, before its node is. */
export interface WatchPostOptions {
  readonly suite: CryptoSuite;
  readonly chainId: number;
  /** The clock of the node. */
  readonly clock: Clock;
}

/** Takes a message; false: it cannot take any more and is dropped. */
export type Watcher = (message: LiveMessage) => boolean;

/** The post of one node. */
export interface WatchPost {
  /** Given to the node as `inspect`. */
  readonly gallery: ActorGallery;
  /** The node's network, so that messages are seen. */
  tap(network: Network): Network;
  /** The node itself, once it is made. */
  attach(node: RunningNode): void;
  /** Begins to watch a group; the function returned ends it. */
  watch(groupId: number, watcher: Watcher): () => void;
  /** How many watch. */
  watchers(): number;
  /** Ends all who watch. */
  close(): void;
}

/** Makes the post of a node. */
export function createWatchPost(options: WatchPostOptions): WatchPost {
  return new Post(options);
}

/** One group and who watches it. */
interface Watched {
  readonly watch: GroupWatch;
  readonly watchers: Set<Watcher>;
}

class Post implements WatchPost {
  readonly gallery: ActorGallery = { onActor: (actor) => this.#know(actor) };
  readonly #with: WatchPostOptions;
  readonly #origin: number;
  readonly #actors = new Map<string, AnyActor>();
  readonly #watched = new Map<number, Watched>();
  #node: RunningNode | undefined;
  #endTimer: (() => void) | undefined;
  #closed = false;

  constructor(options: WatchPostOptions) {
    this.#with = options;
    this.#origin = options.clock.steady();
  }

  tap(network: Network): Network {
    const heard = (passing: Parameters<GroupWatch["heard"]>[0]) => {
      for (const { watch } of this.#watched.values()) watch.heard(passing);
    };
    return tapped(network, () => (this.#watched.size > 0 ? heard : undefined));
  }

  attach(node: RunningNode): void {
    this.#node = node;
    node.onBlock((block) => this.#watched.get(block.groupId)?.watch.written(block));
  }

  watchers(): number {
    let count = 0;
    for (const { watchers } of this.#watched.values()) count += watchers.size;
    return count;
  }

  watch(groupId: number, watcher: Watcher): () => void {
    const api = this.#node?.api;
    const end = (reason: Extract<LiveMessage, { type: "end" }>["reason"]) => {
      watcher({ type: "end", reason });
      return () => undefined;
    };
    if (this.#closed || !api) return end("stopped");
    if (!api.group(groupId)) return end("noSuchGroup");
    if (this.watchers() >= MOST_WATCHERS) return end("tooMany");
    const watched = this.#watched.get(groupId) ?? this.#begin(groupId, api);
    const groups = (api.groups?.() ?? []).flatMap(({ groupId: id }) => id ?? []);
    watched.watchers.add(watcher);
    const frame = this.#looked(groupId, () => watched.watch.current());
    if (!frame) return () => undefined;
    if (!watcher({ type: "hello", hello: { charts: CHARTS, groups, frame } })) {
      this.#leave(groupId, watcher);
      return () => undefined;
    }
    this.#endTimer ??= this.#with.clock.after(FRAME_MS, () => this.#tick());
    return () => this.#leave(groupId, watcher);
  }

  close(): void {
    this.#closed = true;
    for (const groupId of this.#watched.keys()) this.#end(groupId);
  }

  #know(actor: AnyActor): void {
    this.#actors.set(actor.id, actor);
    // What has ended holds pools and queues: nobody examines it any more.
    const forget = () => {
      if (this.#actors.get(actor.id) === actor) this.#actors.delete(actor.id);
    };
    actor.subscribe({ complete: forget, error: forget });
  }

  #begin(groupId: number, api: RunningNode["api"]): Watched {
    const { suite, chainId, clock } = this.#with;
    const protocolOf = (id: number) => api.group(id)?.consensusType ?? "pbft";
    const reader = createMessageReader({ suite, chainId, protocolOf });
    const parts = { groupId, api, clock, actors: this.#actors, reader, origin: this.#origin };
    const watched = { watch: new GroupWatch(parts), watchers: new Set<Watcher>() };
    this.#watched.set(groupId, watched);
    return watched;
  }

  #leave(groupId: number, watcher: Watcher): void {
    const watched = this.#watched.get(groupId);
    if (!watched?.watchers.delete(watcher) || watched.watchers.size > 0) return;
    watched.watch.close();
    this.#watched.delete(groupId);
    if (this.#watched.size > 0) return;
    this.#endTimer?.();
    this.#endTimer = undefined;
  }

  #tick(): void {
    this.#endTimer = this.#with.clock.after(FRAME_MS, () => this.#tick());
    for (const [groupId, { watch, watchers }] of this.#watched) {
      const frame = this.#looked(groupId, () => watch.next());
      if (!frame) continue;
      for (const watcher of watchers)
        if (!watcher({ type: "frame", frame })) this.#drop(groupId, watcher);
    }
  }

  /** A look that fails ends the watch, never the node. */
  #looked(groupId: number, look: () => Frame | undefined): Frame | undefined {
    try {
      return look();
    } catch {
      this.#end(groupId);
      return undefined;
    }
  }

  #end(groupId: number): void {
    for (const watcher of this.#watched.get(groupId)?.watchers ?? []) {
      watcher({ type: "end", reason: "stopped" });
      this.#leave(groupId, watcher);
    }
  }

  #drop(groupId: number, watcher: Watcher): void {
    watcher({ type: "end", reason: "slow" });
    this.#leave(groupId, watcher);
  }
}
