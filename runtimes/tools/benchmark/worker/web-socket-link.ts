/** Manager and workers over WebSockets, without a broker: workers come to the manager. */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket, WebSocketServer } from "ws";
import { BenchmarkFault, faultText } from "../../../shared/benchmark/benchmark-fault.ts";
import { isFor, readMessageText } from "./messages.ts";
import type { ManagerLink, ManagerListener, WorkerLink } from "./worker-link.ts";

/** Between two attempts of a worker to find its manager. */
const RETRY_MS = 500;
/** A worker that does not answer a ping until the next is lost. */
const PING_MS = 10_000;

/** Longest message: the result of a round with all its seconds. */
const MOST_MESSAGE_BYTES = 64 * 1024 * 1024;
const SOCKET_OPTIONS = {
  noServer: true,
  maxPayload: MOST_MESSAGE_BYTES,
  perMessageDeflate: false,
  clientTracking: false,
} as const;

interface Peer {
  readonly socket: WebSocket;
  id: string | undefined;
  hasAnswered: boolean;
}

/** Where the server listens. @throws BenchmarkFault `usage` */
function placeOf(address: string): { readonly host: string; readonly port: number } {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol === "ws:" && url.port !== "")
    return { host: url.hostname, port: Number(url.port) };
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
  const server = createServer((_, response) => response.writeHead(426).end());
  let pings: NodeJS.Timeout | undefined;
  let started: { end(): Promise<void> } | undefined;
  return {
    type: "websocket",
    isRemote,
    async start(workers, listener) {
      const { host, port } = placeOf(address);
      server.listen(port, host);
      try {
        await once(server, "listening");
      } catch (cause) {
        throw new BenchmarkFault("engine", `${address}: ${faultText(cause)}`, { cause });
      }
      const sockets = new WebSocketServer(SOCKET_OPTIONS);
      server.on("upgrade", (request, socket, head) => {
        sockets.handleUpgrade(request, socket, head, (made) => welcome(made, peers, listener));
      });
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
      server.close();
      await started?.end();
      for (const { socket } of peers) socket.terminate();
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
      if (socket.readyState !== WebSocket.OPEN) return;
      const closed = once(socket, "close");
      socket.close();
      await closed;
    },
  };
}
