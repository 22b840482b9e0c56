/** What is asked of the spans of transactions, and what watches for them: types only. */
import type { NodeApi } from "../../../core/api/node-api.ts";
import type { NodePorts } from "../../../core/node/options/node-ports.ts";
import type { Compute } from "../../../core/ports/compute.ts";
import type { Log } from "../../../core/ports/log.ts";

/** The variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What is asked for. */
export interface TelemetryOptions {
  readonly env: Environment;
  /** What spans say of the node that made them. */
  readonly facts: Readonly<Record<"version" | "nodeId" | "node" | "agency", string>> & {
    readonly chainId: number;
  };
  readonly log: Log;
}

/** Puts watchers around the ports of a node. */
export interface Telemetry {
  api(node: NodeApi): NodeApi;
  compute(compute: Compute): Compute;
  openExecutor(open: NodePorts["openExecutor"]): NodePorts["openExecutor"];
  /** Sends what is left. */
  close(): Promise<void>;
}
