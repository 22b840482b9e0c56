/**
 * The worker that runs the nodes of this browser. Its page talks to it directly, other tabs of the
 * origin over a channel each. It begins when it holds the lock, so that nobody else writes the data
 * meanwhile, and holds it until it ends with its tab.
 */
import { expose } from "comlink";
import { consoleLog } from "../shared/platform/web-platform.ts";
import { createConnection } from "./connection.ts";
import { createTabStorage } from "./tab-storage.ts";
import { TabHost } from "./tab-host.ts";
import {
  type Beginning,
  channelWire,
  clientName,
  HALL,
  type HallMessage,
  NODE_LOCK,
  type Wire,
} from "./link/wire.ts";

function beginningIn(hash: string): Beginning {
  const text = decodeURIComponent(hash.replace("#", ""));
  return text === "" ? { marks: [], isHidden: false } : (JSON.parse(text) as Beginning);
}

const host = new TabHost({
  ...beginningIn(location.hash),
  storage: createTabStorage(),
  log: consoleLog,
  computeUrl: new URL("compute-worker.js", location.href),
});

/** Serves a caller that is at the other end. @returns ends it */
function serve(wire: Wire): () => void {
  const connection = createConnection(host, (event) => wire.post(event));
  const listeners = new Set<(event: MessageEvent) => void>();
  wire.listen((data) => {
    for (const listener of listeners) listener({ data, origin: "" } as MessageEvent);
  });
  expose(connection.api, {
    addEventListener: (_type, listener) => void listeners.add(listener as never),
    removeEventListener: (_type, listener) => void listeners.delete(listener as never),
    postMessage: (message: unknown, transfer: Transferable[] = []) => wire.post(message, transfer),
  });
  connection.begin();
  return () => {
    connection.close();
    wire.close();
  };
}

const pageWire: Wire = {
  post: (message, transfer = []) => postMessage(message, { transfer }),
  listen: (onMessage) => {
    addEventListener("message", ({ data }: MessageEvent<unknown>) => onMessage(data));
  },
  close: () => undefined,
};

/** Connections of other tabs, by the name of their lock. */
const tabs = new Map<string, () => void>();

function welcome(client: string): void {
  const name = clientName(client);
  tabs.get(name)?.();
  const end = serve(channelWire(name));
  const leave = () => {
    if (tabs.get(name) !== leave) return;
    tabs.delete(name);
    end();
  };
  tabs.set(name, leave);
  // A tab holds its lock as long as it lives.
  navigator.locks.request(name, leave).catch(leave);
}

void navigator.locks.request(NODE_LOCK, async () => {
  await host.open();
  serve(pageWire);
  const hall = new BroadcastChannel(HALL);
  hall.onmessage = ({ data }: MessageEvent<HallMessage>) => {
    if (data.kind === "hello") welcome(data.client);
  };
  hall.postMessage({ kind: "owner" } satisfies HallMessage);
  await new Promise<never>(() => undefined);
});
