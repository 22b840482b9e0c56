/** Where a benchmark finds its nodes: the chain of a folder, or a development chain. */
import { existsSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { BenchmarkFault } from "../../../shared/benchmark/benchmark-fault.ts";
import { readChainFolder } from "../../../folder/chain-reader.ts";
import { reachable } from "../../../node/machine/listen-url.ts";

/** What a network file says of a chain. */
export interface ChainPlace {
  readonly nodes: readonly {
    readonly ip: string;
    readonly rpcPort: number;
    readonly channelPort: number;
  }[];
  /** Paths relative to the folder of the benchmark; undefined: requests over HTTP. */
  readonly authentication:
    | { readonly key: string; readonly cert: string; readonly ca: string }
    | undefined;
  /** Addresses of metrics, where nodes show them. */
  readonly metrics: readonly string[];
  readonly info: Readonly<Record<string, string>>;
}

/** The development chain with the ports that it has unless it is told others. */
export const DEV_CHAIN: ChainPlace = {
  nodes: [{ ip: "127.0.0.1", rpcPort: 8545, channelPort: 20200 }],
  authentication: undefined,
  metrics: [],
  info: { Size: "4 nodes", Distribution: "one process" },
};

/**
 * Reads the chain of a folder, as `init` and `network up` write it.
 * @param chain its folder
 * @param home folder of the benchmark, from which paths are named
 * @throws BenchmarkFault `usage` when there is no chain; FolderFault, ConfigFault for broken
 *   files
 */
export async function chainPlace(chain: string, home: string): Promise<ChainPlace> {
  const found = await readChainFolder(resolve(chain));
  if (found === undefined || found.nodes.length === 0)
    throw new BenchmarkFault("usage", `${chain} holds no chain: name the folder that init wrote`);
  const sdk = found.agencies
    .map((agency) => join(found.folder, agency, "sdk"))
    .find((folder) => existsSync(join(folder, "sdk.key")));
  const path = (file: string) => relative(resolve(home), join(sdk ?? "", file));
  return {
    nodes: found.nodes.map(({ config, ports }) => ({
      ip: reachable(config.rpc.jsonrpc).ip,
      rpcPort: ports.rpc,
      channelPort: ports.channel,
    })),
    authentication:
      sdk === undefined
        ? undefined
        : { key: path("sdk.key"), cert: path("sdk.crt"), ca: path("ca.crt") },
    metrics: found.nodes.flatMap(({ config: { metrics } }) => {
      if (metrics === undefined) return [];
      const { ip, port } = reachable(metrics);
      return [`http://${ip}:${port}/metrics`];
    }),
    info: { Size: `${found.nodes.length} nodes`, Distribution: "single host" },
  };
}
