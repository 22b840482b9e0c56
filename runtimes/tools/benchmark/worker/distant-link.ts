/** How a worker finds its manager over a broker or a socket. Source: benchmark 1, 8 */
import { BenchmarkFault } from "../../../shared/benchmark/benchmark-fault.ts";
import type { Settings } from "../settings.ts";
import type { WorkerLink } from "./worker-link.ts";

const METHOD = "caliper-worker-communication-method";
const ADDRESS = "caliper-worker-communication-address";
/** Where the manager waits for workers unless a setting says otherwise; no broker is there. */
const USUAL_SOCKET = "ws://127.0.0.1:1884";

/** Address of broker or manager; a default that is no WebSocket's gives way to one. */
export function communicationAddress(settings: Settings): string {
  const address = settings.text(ADDRESS);
  const isSocket = settings.text(METHOD) === "websocket";
  return isSocket && settings.isDefault(ADDRESS) ? USUAL_SOCKET : address;
}

/**
 * The link of a worker that finds the manager by itself; undefined where the method is another.
 * @throws BenchmarkFault
 */
export async function distantLink(
  settings: Settings,
  say: (line: string) => void,
): Promise<WorkerLink | undefined> {
  const method = settings.text(METHOD);
  const address = communicationAddress(settings);
  if (method === "mqtt") return await (await import("./mqtt-link.ts")).mqttWorkerLink(address);
  if (method !== "websocket") return undefined;
  return await (await import("./web-socket-link.ts")).webSocketWorkerLink(address, say);
}

/** The link of `launch worker`. @throws BenchmarkFault `usage` for a method that has none */
export async function standAloneLink(
  settings: Settings,
  say: (line: string) => void,
): Promise<WorkerLink> {
  const link = await distantLink(settings, say);
  if (link) return link;
  const what = `${METHOD} is ${settings.text(METHOD)}: a worker that is started by itself`;
  throw new BenchmarkFault("usage", `${what} needs mqtt or websocket`);
}
