/** One page's connection to the host, as comlink exposes it. */
import type { LiveMessage } from "../shared/theatre/api.ts";
import { type PulledWatch, pullWatch } from "../shared/theatre/live/pulled.ts";
import type { TabStatus, WorkerApi } from "./link/api.ts";
import { keptGroups } from "./backup/keeping.ts";
import { landedAnswer } from "./landed.ts";
import type { NodeLine } from "./node-end.ts";
import type { TabHost } from "./tab-host.ts";
import { genesisText } from "./tab-join.ts";
import type { WorkerEvent } from "./link/wire.ts";

interface Connection {
  readonly api: WorkerApi;
  /** Says that it serves, and how it stands from now on. */
  begin(): void;
  close(): void;
}

/** The host knows no pages: to each it seems to be in another tab. */
function asSeen(status: ReturnType<TabHost["status"]>): TabStatus {
  return { ...status, owner: "other" };
}

/** The frames of running nodes, as the page pulls them. */
function watchCalls(host: TabHost) {
  const watches = new Map<string, PulledWatch>();
  const end = (name: string): void => {
    watches.get(name)?.close();
    watches.delete(name);
  };
  const watch = async (node: number, groupId: number): Promise<readonly LiveMessage[]> => {
    const name = `${node}/${groupId}`;
    const known = watches.get(name) ?? pullWatch(host.post(node), groupId);
    watches.set(name, known);
    const messages = await known.next();
    if (messages.some(({ type }) => type === "end")) end(name);
    return messages;
  };
  return {
    watch,
    unwatch: (node: number, groupId: number) => end(`${node}/${groupId}`),
    close: () => {
      for (const name of [...watches.keys()]) end(name);
    },
  };
}

/** The lines of a page to the nodes; a class because it owns them. */
class Lines {
  readonly #host: TabHost;
  readonly #send: (event: WorkerEvent) => void;
  readonly #lines = new Map<number, NodeLine>();
  #generation: number;

  constructor(host: TabHost, send: (event: WorkerEvent) => void) {
    this.#host = host;
    this.#send = send;
    this.#generation = host.generation;
  }

  /** @throws NodeOff */
  to(node: number): NodeLine {
    // Subscriptions to nodes that are gone tell nothing any more.
    if (this.#generation !== this.#host.generation) this.close();
    const known = this.#lines.get(node);
    if (known) return known;
    const line = this.#host.end(node).open({
      tell: (text) => this.#send({ event: "notification", node, text }),
      cut: () => {
        this.#lines.delete(node);
        this.#send({ event: "renewed", node });
      },
    });
    this.#lines.set(node, line);
    return line;
  }

  heard(count: number, node: number): void {
    this.#lines.get(node)?.heard(count);
  }

  close(): void {
    for (const line of this.#lines.values()) line.close();
    this.#lines.clear();
    this.#generation = this.#host.generation;
  }
}

/** Connects a page to the host. */
export function createConnection(host: TabHost, send: (event: WorkerEvent) => void): Connection {
  const { keeping } = host;
  const lines = new Lines(host, send);
  const watches = watchCalls(host);
  let stop = (): void => undefined;
  let seen = host.generation;
  const tellStatus = (status: ReturnType<TabHost["status"]>): void => {
    send({ event: "status", status: asSeen(status) });
    if (seen === host.generation || status.phase !== "running") return;
    seen = host.generation;
    send({ event: "renewed", node: undefined });
  };
  return {
    api: {
      post: async (body, node) => lines.to(node).post(body),
      landed: async (body, node) => landedAnswer(host.end(node).node.api, body),
      heard: (count, node) => lines.heard(count, node),
      fetch: async (request, node) => host.end(node).fetch(request),
      start: (request) => host.start(request),
      resume: (passphrase) => host.resume(passphrase),
      joinKey: (request) => host.joinKey(request),
      genesisOf: genesisText,
      checkJoin: (request) => host.checkJoin(request),
      setHidden: (isHidden) => host.setHidden(isHidden),
      stop: () => host.stop(),
      wipe: () => host.wipe(),
      status: () => asSeen(host.status()),
      keptGroups: async () => {
        const record = host.record();
        return record ? keptGroups(record) : [];
      },
      openBackup: async (groupId) => keeping.open(host.requireRecord(), groupId),
      nextPiece: (id) => keeping.next(id),
      endBackup: (id) => keeping.end(id),
      genesisFile: async (groupId) => keeping.genesis(host.requireRecord(), groupId),
      chainFile: async ({ ofKeys, ofFile }) =>
        keeping.chainFile(host.requireRecord(), { ofKeys, ofFile }),
      restore: (request) => host.restore(request),
      restorePlace: () => keeping.place,
      confirmOnlyCopy: () => host.confirmOnlyCopy(),
      watch: watches.watch,
      unwatch: watches.unwatch,
    },
    begin() {
      send({ event: "serving" });
      stop = host.onStatus(tellStatus);
      tellStatus(host.status());
    },
    close() {
      stop();
      lines.close();
      watches.close();
    },
  };
}
