/**
 * TCP proxies between nodes: what one node sends to another can be lost or delayed. Lost is lost
 * without a word, as behind a broken switch: nobody is informed that a connection is gone.
 */
import { connect, createServer, type Server, type Socket } from "node:net";

/** One node's way to another; the way back is another one. */
interface Way {
  isCut: boolean;
  delayMs: number;
}

/** A connection through a proxy, and whether bytes of it are gone. */
interface Passage {
  readonly near: Socket;
  readonly far: Socket | undefined;
  hasLost: boolean;
}

/** From node, to node; numbered from 0. */
export type Direction = readonly [from: number, to: number];

/** The links between some nodes. */
export interface Links {
  /** Where a node reaches another one: `host:port`. */
  endpoint(from: number, to: number): string;
  /** From now on what is sent in these directions is lost. */
  cut(directions: readonly Direction[]): void;
  /** From now on what is sent in any direction arrives that much later. */
  delay(ms: number): void;
  /** Nothing is lost or delayed any more; a connection that lost something is closed. */
  heal(): void;
  /** How many connections are open. */
  count(): number;
  close(): Promise<void>;
}

const HOST = "127.0.0.1";

/** Both directions between each of some nodes and each of the others. */
export function between(some: readonly number[], others: readonly number[]): Direction[] {
  return some.flatMap((a) =>
    others.flatMap((b): Direction[] => [...oneWay(a, b), ...oneWay(b, a)]),
  );
}

function oneWay(from: number, to: number): Direction[] {
  return from === to ? [] : [[from, to]];
}

/** All that a node sends to others. */
export function mute(node: number, others: readonly number[]): Direction[] {
  return others.flatMap((other) => oneWay(node, other));
}

/** All that others send to a node. */
export function deaf(node: number, others: readonly number[]): Direction[] {
  return others.flatMap((other) => oneWay(other, node));
}

/** Carries bytes one way until an end closes. */
function carry(passage: Passage, way: Way, [source, sink]: readonly [Socket, Socket]): void {
  let busyUntil = 0;
  /** Later things never overtake earlier ones. */
  const pass = (act: () => void) => {
    if (way.isCut) {
      passage.hasLost = true;
      return;
    }
    const now = performance.now();
    const at = Math.max(busyUntil, now + way.delayMs);
    if (at <= now) {
      act();
      return;
    }
    busyUntil = at;
    setTimeout(act, at - now);
  };
  source.on("data", (chunk: Buffer) =>
    pass(() => {
      if (sink.writable && !sink.write(chunk)) source.pause();
    }),
  );
  sink.on("drain", () => source.resume());
  source.on("end", () => pass(() => sink.end()));
  source.on("close", () => pass(() => sink.destroy()));
  source.on("error", () => undefined);
}

class ProxiedLinks implements Links {
  readonly #ways = new Map<string, Way>();
  readonly #servers = new Map<string, Server>();
  readonly #passages = new Set<Passage>();

  async listen(ports: readonly number[]): Promise<void> {
    for (const from of ports.keys()) {
      for (const [to, port] of ports.entries()) {
        if (from !== to) this.#ways.set(`${from}-${to}`, { isCut: false, delayMs: 0 });
        if (from !== to) await this.#serve(from, to, port);
      }
    }
  }

  endpoint(from: number, to: number): string {
    const address = this.#servers.get(`${from}-${to}`)?.address();
    if (!address || typeof address === "string") throw new Error(`no way from ${from} to ${to}`);
    return `${HOST}:${address.port}`;
  }

  cut(directions: readonly Direction[]): void {
    for (const [from, to] of directions) this.#way(from, to).isCut = true;
  }

  delay(ms: number): void {
    for (const way of this.#ways.values()) way.delayMs = ms;
  }

  heal(): void {
    for (const way of this.#ways.values()) Object.assign(way, { isCut: false, delayMs: 0 });
    for (const passage of this.#passages) if (passage.hasLost) end(passage);
  }

  count(): number {
    return this.#passages.size;
  }

  async close(): Promise<void> {
    for (const passage of this.#passages) end(passage);
    const closed = [...this.#servers.values()].map(
      (server) => new Promise((done) => void server.close(done)),
    );
    await Promise.all(closed);
  }

  #way(from: number, to: number): Way {
    const way = this.#ways.get(`${from}-${to}`);
    if (!way) throw new Error(`no way from ${from} to ${to}`);
    return way;
  }

  async #serve(from: number, to: number, port: number): Promise<void> {
    const server = createServer({ allowHalfOpen: true }, (near) =>
      this.#accept(near, [from, to], port),
    );
    this.#servers.set(`${from}-${to}`, server);
    await new Promise<void>((listening) => server.listen(0, HOST, listening));
  }

  #accept(near: Socket, [from, to]: Direction, port: number): void {
    const [there, back] = [this.#way(from, to), this.#way(to, from)];
    // Without an answer to its first packet a dialler has no connection.
    const isLost = there.isCut || back.isCut;
    const far = isLost ? undefined : connect({ port, host: HOST, allowHalfOpen: true });
    const passage: Passage = { near, far, hasLost: isLost };
    this.#passages.add(passage);
    const forget = () => {
      if (near.destroyed && (far?.destroyed ?? true)) this.#passages.delete(passage);
    };
    near.on("close", forget);
    far?.on("close", forget);
    near.setNoDelay();
    far?.setNoDelay();
    if (!far) {
      near.on("error", () => undefined).resume();
      return;
    }
    carry(passage, there, [near, far]);
    carry(passage, back, [far, near]);
  }
}

function end({ near, far }: Passage): void {
  near.destroy();
  far?.destroy();
}

/** Proxies on free ports for every ordered pair of nodes that listen on these ports. */
export async function createLinks(ports: readonly number[]): Promise<Links> {
  const links = new ProxiedLinks();
  await links.listen(ports);
  return links;
}
