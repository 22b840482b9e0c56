/** Chooses how workers are connected. Source: benchmark 1, 8 */
import { BenchmarkFault } from "../../../shared/benchmark/benchmark-fault.ts";
import type { Settings } from "../settings.ts";
import { processLink, startDistant, threadLink } from "../worker/process-link.ts";
import { communicationAddress } from "../worker/distant-link.ts";
import type { ManagerLink } from "../worker/worker-link.ts";

const METHOD = "caliper-worker-communication-method";

/** The link of a method. @param args the manager's command line @throws BenchmarkFault `usage` */
export async function managerLink(
  settings: Settings,
  args: readonly string[],
): Promise<ManagerLink> {
  const method = settings.text(METHOD);
  const isRemote = settings.flag("caliper-worker-remote");
  if ((method === "process" || method === "worker_threads") && isRemote) {
    const what = `caliper-worker-remote needs ${METHOD} mqtt or websocket, not ${method}`;
    throw new BenchmarkFault("usage", what);
  }
  switch (method) {
    case "process":
      return processLink(args);
    case "worker_threads":
      return threadLink(args);
    case "mqtt":
    case "websocket": {
      const start = (count: number) =>
        isRemote ? { end: async () => undefined } : startDistant(args, count);
      const address = communicationAddress(settings);
      if (method === "mqtt") {
        const { mqttManagerLink } = await import("../worker/mqtt-link.ts");
        return mqttManagerLink(address, isRemote, start);
      }
      const { webSocketManagerLink } = await import("../worker/web-socket-link.ts");
      return webSocketManagerLink(address, isRemote, start);
    }
    default: {
      const known = "process, worker_threads, mqtt, websocket";
      throw new BenchmarkFault("usage", `${METHOD} is "${method}": ${known}`);
    }
  }
}
