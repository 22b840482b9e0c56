/** One node of a dev chain, before it runs. */
import { join } from "node:path";
import type { GenesisConfig } from "../../../core/model/config.ts";
import { NEWEST_VERSION } from "../../../core/model/version.ts";
import type { GroupFormat } from "../../../core/node/group/group-files.ts";
import type { Log } from "../../../core/ports/log.ts";
import { warningText } from "../../formats/config/config-fault.ts";
import { iniGroupFormat } from "../../formats/config/group-ini-format.ts";
import type { KeyPair } from "../../folder/private-key.ts";
import { DEV_CHAIN_ID, DEV_ROUNDS_PER_RECORD } from "../../shared/dev/dev-genesis.ts";
import { createJointNetwork } from "../../shared/joint-network.ts";
import type { MemoryHub } from "../../shared/memory-network.ts";
import { logWith } from "../log/log.ts";
import type { Machinery } from "../threads/machinery.ts";
import { createWatchedNode } from "../threads/watched-node.ts";

/** Shown as the peers' port: nodes of a dev chain are joined in memory and listen on none. */
const DEV_P2P_PORT = 30_300;

interface DevNodeParts {
  readonly machinery: Machinery;
  readonly hub: MemoryHub;
  readonly genesis: GenesisConfig;
  /** The data folder of the chain. */
  readonly path: string;
  readonly blockTimeMs: number;
  readonly log: Log;
}

/** Makes a node and joins it to the others. */
export function makeDevNode(parts: DevNodeParts, key: KeyPair, index: number) {
  const { machinery, genesis, path, blockTimeMs } = parts;
  const node = `node${index}`;
  const home = join(path, node);
  const log = logWith(parts.log, { node: index });
  // What peers learn of it.
  const listen = { endpoint: `127.0.0.1:${DEV_P2P_PORT + index}`, agency: "dev", node, topics: [] };
  const network = createJointNetwork(parts.hub.join(key.nodeId, listen));
  const folderOf = (groupId: number) => join(home, `group${groupId}`);
  const watched = createWatchedNode(
    { machinery, home, log, network, folderOf },
    {
      chainId: DEV_CHAIN_ID,
      supportedVersion: NEWEST_VERSION,
      privateKey: key.privateKey,
      listen,
      roundsPerRecord: DEV_ROUNDS_PER_RECORD,
      groups: {
        folders: { config: "conf/", data: "" },
        format: devFormat(blockTimeMs, log),
        fixed: [genesis],
      },
    },
  );
  return { ...watched, network };
}

/** As the files of any node, but the block time of the command line counts in all groups. */
function devFormat(minBlockGenerationTimeMs: number, log: Log): GroupFormat {
  const ini = iniGroupFormat(
    (warning) => log.write(warning.level, warningText(warning)),
    NEWEST_VERSION,
  );
  return {
    ...ini,
    readTuning: (...file) => ({ ...ini.readTuning(...file), minBlockGenerationTimeMs }),
  };
}
