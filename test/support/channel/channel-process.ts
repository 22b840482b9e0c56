/** The built `chain-node dev` with its channel port, in a process of its own. */
import { readFileSync } from "node:fs";
import { freePort, type ProgramOptions, startProgram } from "../process/dev-process.ts";

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

/** Starts a chain of this many nodes that keeps nothing. @param args of `chain-node dev` */
export async function startChannelProcess(
  nodes: number,
  args: readonly string[] = [],
  request: ProgramOptions = {},
): Promise<ChannelProcess> {
  const fixed = ["dev", "--ephemeral", "--json", "--quiet", "--nodes", `${nodes}`];
  const all = [...fixed, "--port", `${await freePort()}`, ...args];
  const { line, pid, end } = await startProgram(all, request);
  const ready = JSON.parse(line) as Ready;
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
    stop: () => end("SIGTERM"),
  };
}
