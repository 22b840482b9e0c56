/** The SDK port of a node with files of its own. Source: channel-protocol 2, 10; groups 8 */
import { readdir, readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { AccessRules, GroupRules } from "../../core/channel/access.ts";
import type { RunningNode } from "../../core/node/create-node.ts";
import { failedOperation } from "../../core/node/group-lifecycle.ts";
import type { NodeApi } from "../../core/node/node-api.ts";
import type { Log } from "../../core/ports/log.ts";
import type { ObserveCall } from "../../core/rpc/dispatch.ts";
import { channelPaths, readChannelFiles } from "../folder/channel-files.ts";
import { FolderFault } from "../folder/folder-fault.ts";
import { readGroupFile } from "../folder/group-file.ts";
import type { NodeConfig } from "../folder/node-config.ts";
import { type ChannelPort, openChannelPort } from "./channel-port.ts";
import { readSettings } from "./node-settings.ts";
import type { Undo } from "./undo.ts";

/** What the port of a node is made of. */
export interface NodeChannel {
  readonly node: RunningNode;
  /** What requests are answered by. */
  readonly api: NodeApi;
  /** Path of config.ini. */
  readonly path: string;
  readonly home: string;
  readonly config: NodeConfig;
  readonly observe: ObserveCall | undefined;
  readonly log: Log;
}

const GROUP_FILE = /^group\.([1-9]\d{0,4})\.ini$/;

/** What a group's file says of SDKs; undefined when it cannot be read. */
async function groupRules(file: string, log: Log): Promise<GroupRules | undefined> {
  try {
    const { value } = readGroupFile(await readFile(file, "utf8"), file);
    const { requestsPerSecond } = value.flowControl;
    return { allowlist: value.sdkAllowlist, requestsPerSecond };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    log.write("warning", "lists and limits of SDKs cannot be read", { file, cause: reason });
    return undefined;
  }
}

/**
 * Lists and limits of SDKs as the files have them now. A group whose file cannot be read keeps what
 * it had: a slip of the pen must not open it to all.
 *
 * @param path of config.ini
 */
export async function readAccessRules(
  path: string,
  log: Log,
  before?: AccessRules,
): Promise<AccessRules> {
  const { value: config } = await readSettings(path);
  const folder = resolve(dirname(path), config.groups.configPath);
  const names = await readdir(folder).catch(() => []);
  const groups = new Map<number, GroupRules>();
  for (const name of names) {
    const groupId = Number(GROUP_FILE.exec(name)?.[1]);
    if (!(groupId > 0)) continue;
    const rules = (await groupRules(join(folder, name), log)) ?? before?.groups.get(groupId);
    if (rules) groups.set(groupId, rules);
  }
  return { requestsPerSecond: config.flowControl.requestsPerSecond, groups };
}

/**
 * The node's interface with lists and limits read again before a group begins: its file may have
 * changed while it did not run.
 */
export function readingRules(api: NodeApi, replaceRules: () => Promise<unknown>): NodeApi {
  return {
    ...api,
    async manageGroup(operation, groupId, params) {
      try {
        if (operation === "startGroup") await replaceRules();
      } catch (cause) {
        const reason = cause instanceof Error ? cause.message : String(cause);
        return failedOperation(`the lists of SDKs cannot be read: ${reason}`);
      }
      return api.manageGroup(operation, groupId, params);
    },
  };
}

/** Chains that were made before the port existed lack the files; their nodes run on without it. */
async function filesOf({ home, config, log }: NodeChannel) {
  const paths = channelPaths(home, config);
  try {
    return await readChannelFiles(paths);
  } catch (cause) {
    const mayLack = config.chain.nationalCrypto && paths.kind === "secp256k1";
    if (!(cause instanceof FolderFault) || cause.kind !== "missing" || !mayLack) throw cause;
    const said = "there is no port for SDKs: it needs a certificate of a secp256k1 key";
    log.write("warning", said, { file: paths.cert });
    return undefined;
  }
}

/**
 * Opens the port.
 *
 * @returns undefined on a national chain without the files for it
 * @throws ListenFault; FolderFault when a file is missing
 */
export async function openNodeChannel(
  channel: NodeChannel,
  undo: Undo,
): Promise<ChannelPort | undefined> {
  const { node, api, path, config, observe, log } = channel;
  const files = await filesOf(channel);
  if (!files) return undefined;
  const { ip, port } = config.rpc.channel;
  const { sessions, heldBytes, unsentBytes } = config.rpc.channelLimits;
  const opened = await openChannelPort({
    node,
    api,
    address: { host: ip, port },
    files,
    rules: await readAccessRules(path, log),
    limits: { sessions, heldBytes, unsentBytes },
    checkIssuer: config.checkCertIssuer,
    observe,
    log,
  });
  undo.add(() => opened.server.close());
  return opened;
}
