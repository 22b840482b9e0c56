/** The built `chain-node dev` with its channel port, in a process of its own. */
import { readFileSync } from "node:fs";
import { freePort, startChild, stopChild } from "../../bench/child.ts";

/** A chain that serves SDKs. */
export interface ChannelProcess {
  readonly pid: number;
  /** `host:port` of node 0. */
  readonly channel: string;
  readonly sdk: string;
  /** RPC URL of node 0. */
  readonly url: string;
  readonly urls: readonly string[];
  readonly channels: readonly string[];
  residentKib(): number;
  stop(): Promise<void>;
}

interface Ready {
  readonly rpc: readonly string[];
  readonly channel: readonly string[];
  readonly sdk: string;
}

/** Starts a chain of so many nodes that keeps nothing. */
export async function startChannelProcess(
  nodes: number,
  args: readonly string[] = [],
): Promise<ChannelProcess> {
  const fixed = ["dist/node/main.js", "dev", "--ephemeral", "--json", "--quiet"];
  const chosen = ["--nodes", `${nodes}`, "--port", `${await freePort()}`, ...args];
  const started = await startChild(process.execPath, [...fixed, ...chosen], /"ready":true.*\n/, {});
  const ready = JSON.parse(started.output().trim().split("\n")[0] ?? "{}") as Ready;
  const pid = started.child.pid ?? 0;
  return {
    pid,
    channel: ready.channel[0] ?? "",
    sdk: ready.sdk,
    url: ready.rpc[0] ?? "",
    urls: ready.rpc,
    channels: ready.channel,
    residentKib() {
      const status = readFileSync(`/proc/${pid}/status`, "utf8");
      return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0);
    },
    async stop() {
      const code = await stopChild(started.child);
      if (code !== 0) throw new Error(`chain-node dev ended with ${code}: ${started.errors()}`);
    },
  };
}
