/**
 * `chain-node start`: one node from the files of its folder.
 * Source: groups 1, 4, 8; node-network 1, 2
 */
import { resolve } from "node:path";
import type { GroupSummary } from "../../../core/api/node-api.ts";
import type { RunningNode } from "../../../core/node/create-node.ts";
import type { Log } from "../../../core/ports/log.ts";
import { FolderFault, reasonOf } from "../../folder/folder-fault.ts";
import type { NodeIdentity } from "../../folder/node-identity.ts";
import type { P2pNetwork } from "../../shared/p2p/p2p-options.ts";
import { createNodeClock } from "../machine/clock.ts";
import { endpointText } from "../machine/endpoint-text.ts";
import { Undo } from "../machine/undo.ts";
import { observeNode } from "../observe/observation.ts";
import { readOwnIdentity, watchCertificates } from "../observe/own-certificates.ts";
import { type Machinery, startMachinery } from "../threads/machinery.ts";
import { CopyAlarm } from "./copy-alarm.ts";
import { reportGroups, troubleText } from "./group-report.ts";
import { requireFreePorts } from "./listen-keys.ts";
import { makeNode, telemetryOf } from "./make-node.ts";
import { openEnds } from "./node-ends.ts";
import { type NetworkParts, openNetwork } from "./node-network.ts";
import { type FolderStart, type OpenFolder, openFolder } from "./open-folder.ts";
import { openOperatorEnds } from "./operator-ends.ts";

/** A node that runs from its folder. */
export interface StartedNode
  extends Pick<OpenFolder, "home" | "config">,
    Pick<Awaited<ReturnType<typeof openEnds>>, "server" | "channel"> {
  readonly node: RunningNode;
  readonly network: P2pNetwork;
  readonly identity: NodeIdentity;
  readonly log: Log;
  /** The log file that is written now. */
  logFile(): string | undefined;
  close(): Promise<void>;
}

interface NodeStart extends FolderStart {
  /** Called when the node, not one of its groups, cannot go on. */
  readonly onFailure?: (cause: unknown) => void;
  /** The threads of a process that runs several nodes; else the node has its own. */
  readonly machinery?: Machinery;
}

/** The clock of the process. */
const clock = createNodeClock();

/**
 * A node all of whose groups should run, of which none does, serves nobody. With one that was
 * stopped or removed it goes on: that one can only be brought back on a node that is up. Source:
 * groups 2 (node boot)
 */
function refuseWithoutGroups(node: RunningNode): void {
  const { running, failed, down } = reportGroups(node.api);
  if (running.length > 0 || down.length > 0 || failed.length === 0) return;
  // One whose ledger is built anew runs soon; one whose disk is full is read.
  const isOfUse = ({ groupId = -1, isRepairing }: GroupSummary) =>
    isRepairing === true || node.api.provenBlocks?.(groupId) !== undefined;
  if (node.api.groups?.().some(isOfUse)) return;
  const lines = failed.map(troubleText).join("\n");
  throw new FolderFault("unusable", `no group of this node can start\n${lines}`);
}

/** Who the node is; its certificates are watched from now on. */
async function identify({ home, config, lines: { log } }: OpenFolder, undo: Undo) {
  const identity = await readOwnIdentity(home, config.identity, clock.now());
  const file = resolve(home, config.identity.cert);
  const endWatch = watchCertificates({ identity, file, clock, log });
  undo.add(async () => endWatch());
  return identity;
}

async function startIn(folder: OpenFolder, start: NodeStart, undo: Undo): Promise<StartedNode> {
  const { path, home, config, lines } = folder;
  const { log } = lines;
  const { onFailure } = start;
  const identity = await identify(folder, undo);
  await requireFreePorts(config, path, { nodeId: identity.key.nodeId, home });
  const { machinery = await startMachinery(log, undo, config.identity.suite) } = start;
  const endUnused = machinery.threads.begin();
  undo.add(endUnused);
  const telemetry = await telemetryOf(folder, identity, undo);
  const copies = new CopyAlarm(onFailure);
  const onCopy: NetworkParts["onCopy"] = (copy) => copies.meet(copy);
  const network = await openNetwork({ folder, identity, machinery, onCopy }, undo);
  const watched = makeNode({ folder, identity, machinery, network, telemetry });
  const { node, disk } = watched;
  const observed = { node, network, config, identity, home, clock, log, disk };
  const shown = await observeNode(observed, undo);
  const api = telemetry?.api(node.api) ?? node.api;
  const ends = await openEnds({ ...watched, folder, api, shown, onFailure }, undo);
  const { server, channel, replaceRules } = ends;
  await node.start();
  await endUnused();
  refuseWithoutGroups(node);
  copies.begin();
  const targets = { path, config, node, network, replaceRules, log };
  undo.add(await openOperatorEnds(targets));
  log.write("info", "the node runs", {
    rpc: server.url,
    channel: channel && endpointText(channel.server),
    groups: reportGroups(node.api).running.join(" "),
  });
  const close = () => {
    log.write("info", "the node stops");
    return undo.run();
  };
  const logFile = lines.file;
  return { node, config, server, channel, network, identity, home, log, logFile, close };
}

/**
 * Starts a node; what was begun is undone when a step fails.
 * @throws ConfigFault, FolderFault, StoreFault, ListenFault, CopyFault
 */
export async function startNode(start: NodeStart): Promise<StartedNode> {
  const undo = new Undo();
  let folder: OpenFolder | undefined;
  try {
    folder = await openFolder(start, undo);
    return await startIn(folder, start, undo);
  } catch (cause) {
    folder?.lines.files.write("error", "the node cannot start", { cause: reasonOf(cause) });
    await undo.run().catch(() => undefined);
    throw cause;
  }
}
