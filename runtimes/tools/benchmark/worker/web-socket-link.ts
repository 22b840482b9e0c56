/** Manager and workers over WebSockets, without a broker: workers come to the manager. */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket, WebSocketServer } from "ws";
import { BenchmarkFault, faultText } from "../../../shared/benchmark/benchmark-fault.ts";
import { isFor, readMessageText } from "./messages.ts";
import type { ManagerLink, ManagerListener, WorkerLink } from "./worker-link.ts";

/** Between two attempts of a worker to find its manager. */
const RETRY_MS = 500;
/** A worker that does not answer a ping until the next is lost. */
const PING_MS = 10_000;

/** One worker's socket. */
interface Peer {
  readonly socket: WebSocket;
  id: string | undefined;
  hasAnswered: boolean;
}

/** Where the server listens. @throws BenchmarkFault `usage` */
function placeOf(address: string): { readonly host: string; readonly port: number } {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol === "ws:" && url.port !== "") {
    return { host: url.hostname, port: Number(url.port) };
  }
  const what = `caliper-worker-communication-address is "${address}"`;
  throw new BenchmarkFault("usage", `${what}: ws://<host>:<port> is wanted for websocket`);
}

function welcome(socket: WebSocket, peers: Set<Peer>, listener: ManagerListener): void {
  const peer: Peer = { socket, id: undefined, hasAnswered: true };
  peers.add(peer);
  socket.on("pong", () => {
    peer.hasAnswered = true;
  });
  socket.on("message", (data) => {
    const message = readMessageText(String(data));
    if (message === undefined) return;
    peer.id ??= message.sender;
    listener.onMessage({ ...message, sender: peer.id });
  });
  socket.on("error", () => socket.terminate());
  socket.on("close", () => {
    peers.delete(peer);
    if (peer.id !== undefined) listener.onLost(peer.id, "its connection ended");
  });
}

function pingAll(peers: ReadonlySet<Peer>): void {
  for (const peer of peers) {
    if (!peer.hasAnswered) peer.socket.terminate();
    peer.hasAnswered = false;
    peer.socket.ping();
  }
}

/** The manager's end. @param startWorkers starts those that are not started elsewhere */
export function webSocketManagerLink(
  address: string,
  isRemote: boolean,
  startWorkers: (count: number) => { end(): Promise<void> },
): ManagerLink {
  const peers = new Set<Peer>();
  let server: WebSocketServer | undefined;
  let pings: NodeJS.Timeout | undefined;
  let started: { end(): Promise<void> } | undefined;
  return {
    type: "websocket",
    isRemote,
    async start(workers, listener) {
      const listening = new WebSocketServer(placeOf(address));
      server = listening;
      try {
        await once(listening, "listening");
      } catch (cause) {
        throw new BenchmarkFault("engine", `${address}: ${faultText(cause)}`, { cause });
      }
      listening.on("connection", (socket) => welcome(socket, peers, listener));
      pings = setInterval(() => pingAll(peers), PING_MS);
      started = startWorkers(workers);
    },
    send(message) {
      const text = JSON.stringify(message);
      for (const { id, socket } of peers) {
        // Who has not said its name is asked for it with all others.
        if (id === undefined || isFor(id, message)) socket.send(text);
      }
    },
    async stop() {
      clearInterval(pings);
      for (const { socket } of peers) socket.close();
      const closed = new Promise<void>((resolve) => {
        if (server) server.close(() => resolve());
        else resolve();
      });
      await started?.end();
      for (const { socket } of peers) socket.terminate();
      await closed;
    },
  };
}

async function connect(address: string, say: (line: string) => void): Promise<WebSocket> {
  placeOf(address);
  for (let hasSaid = false; ; hasSaid = true) {
    const socket = new WebSocket(address);
    try {
      await once(socket, "open");
      return socket;
    } catch (cause) {
      if (!hasSaid) say(`waiting for the manager at ${address}: ${faultText(cause)}`);
      await sleep(RETRY_MS);
    }
  }
}

/** A worker's end; waits for the manager. @throws BenchmarkFault `usage` for a bad address */
export async function webSocketWorkerLink(
  address: string,
  say: (line: string) => void,
): Promise<WorkerLink> {
  const id = `worker-${process.pid}-${randomUUID()}`;
  const socket = await connect(address, say);
  return {
    id,
    send: (message) => socket.send(JSON.stringify(message)),
    listen(onMessage, onLost) {
      socket.on("error", (cause) => onLost(cause.message));
      socket.on("close", () => onLost(`the connection to ${address} ended`));
      socket.on("message", (data) => {
        const message = readMessageText(String(data));
        if (message && isFor(id, message)) onMessage(message);
      });
    },
    async close() {
      if (socket.readyState === WebSocket.CLOSED) return;
      const closed = once(socket, "close");
      socket.close();
      await closed;
    },
  };
}
