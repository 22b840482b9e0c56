/**
 * The configured peers of a node: queryPeers, addPeers and erasePeers, kept in config.ini.
 * Source: node-network 5
 */
import { readFile } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { GROUP_CODE } from "../../../core/fault/group-code.ts";
import type { GroupOperationResult, PeerList } from "../../../core/api/node-api.ts";
import type { Log } from "../../../core/ports/log.ts";
import { ENDPOINT } from "../../formats/config/config-kinds.ts";
import { replaceList } from "../../formats/config/ini-edit.ts";
import { readNodeConfig } from "../../formats/config/node-config.ts";
import { writeWhole } from "../../folder/whole-files.ts";
import type { P2pNetwork } from "../../shared/p2p/p2p-options.ts";

interface PeerListOptions {
  /** Path of config.ini. */
  readonly path: string;
  readonly network: Pick<P2pNetwork, "endpoints" | "addPeers" | "erasePeers">;
  /** `p2p.peers_param_limit`. */
  readonly paramLimit: number;
  /** `p2p.max_nodes_limit`. */
  readonly totalLimit: number;
  readonly log: Log;
}

const LIST = { section: "p2p", stem: "node." } as const;
const DONE = "update config file successfully";

/** An address as config.ini writes it. */
function normal(text: string): string {
  const endpoint = ENDPOINT.read(text);
  return endpoint === undefined ? text : ENDPOINT.write(endpoint);
}

function success(message: string): GroupOperationResult {
  return { code: GROUP_CODE.SUCCESS, message };
}

/** One per node. */
export function createPeerList(options: PeerListOptions): PeerList {
  const { path, network, paramLimit, totalLimit, log } = options;
  /** Changes of the file run one after the other. */
  let lock: Promise<unknown> = Promise.resolve();

  const read = async () => {
    const text = await readFile(path, "utf8");
    const list = readNodeConfig(text, path).value.p2p.peers.map((peer) => ENDPOINT.write(peer));
    return { text, list, known: new Set([...list, ...network.endpoints()]) };
  };
  const store = (text: string, list: readonly string[]) =>
    writeWhole(dirname(path), {
      path: basename(path),
      text: replaceList(text, LIST, list),
      use: "text",
    });
  const serially = (work: () => Promise<GroupOperationResult>): Promise<GroupOperationResult> => {
    const run = lock.then(work).catch((cause: unknown) => {
      const text = cause instanceof Error ? cause.message : String(cause);
      log.write("error", "the peers could not be changed", { cause: text });
      return { code: GROUP_CODE.INTERNAL_ERROR, message: text };
    });
    lock = run;
    return run;
  };

  return {
    configured: () => network.endpoints(),
    isEndpoint: (text) => ENDPOINT.read(text) !== undefined,
    paramLimit,
    add: (endpoints) =>
      serially(async () => {
        const { text, list, known } = await read();
        const fresh = [...new Set(endpoints.map(normal))].filter((peer) => !known.has(peer));
        if (fresh.length === 0) return success("add peers :all the inserted peers already exist");
        if (known.size + fresh.length > totalLimit) {
          const message = `refused for too many peers. max_nodes_limit: ${totalLimit}`;
          return { code: GROUP_CODE.INTERNAL_ERROR, message };
        }
        await store(text, [...list, ...fresh]);
        network.addPeers(fresh);
        log.write("info", "peers are added", { peers: fresh.join(" ") });
        return success(`add peers :${DONE}`);
      }),
    erase: (endpoints) =>
      serially(async () => {
        const { text, list, known } = await read();
        const gone = new Set(endpoints.map(normal).filter((peer) => known.has(peer)));
        if (gone.size === 0) return success("erase peers :none of the erased peers exist");
        const kept = list.filter((peer) => !gone.has(peer));
        await store(text, kept);
        network.erasePeers([...gone]);
        log.write("info", "peers are erased", { peers: [...gone].join(" ") });
        return success(`erase peers :${DONE}`);
      }),
  };
}
