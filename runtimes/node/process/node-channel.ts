/** The SDK port of a node with files of its own. Source: channel-protocol 2, 10; groups 8 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { AccessRules, GroupRules } from "../../../core/channel/access.ts";
import type { RunningNode } from "../../../core/node/create-node.ts";
import type { NodeApi } from "../../../core/api/node-api.ts";
import type { Log } from "../../../core/ports/log.ts";
import type { ObserveCall } from "../../../core/rpc/dispatch.ts";
import { channelPaths, readChannelFiles } from "../../folder/channel-files.ts";
import { ConfigFault } from "../../formats/config/config-fault.ts";
import { codeOf } from "../../folder/durable-folder.ts";
import { FolderFault, reasonOf } from "../../folder/folder-fault.ts";
import { readGroupFile } from "../../formats/config/group-file.ts";
import type { NodeConfig } from "../../formats/config/node-config.ts";
import { type ChannelPort, openChannelPort } from "../server/channel-port.ts";
import { readSettings } from "./node-settings.ts";
import type { Undo } from "../machine/undo.ts";

/** Where lists and limits of SDKs are. */
interface RuleFiles {
  /** Path of config.ini. */
  readonly path: string;
  /** Folder of the files of groups, absolute, as the node was started with it. */
  readonly folder: string;
  readonly log: Log;
}

interface NodeChannel {
  readonly node: RunningNode;
  /** What requests are answered by. */
  readonly api: NodeApi;
  readonly rules: RuleFiles;
  readonly home: string;
  readonly config: NodeConfig;
  readonly observe: ObserveCall | undefined;
  readonly log: Log;
}

type RulesByGroup = AccessRules["groups"];

const GROUP_FILE = /^group\.([1-9]\d{0,4})\.ini$/;

/** Nobody has such an id: until the list of a group was read once, no SDK may use the group. */
const CLOSED: GroupRules = { allowlist: ["0".repeat(128)], requestsPerSecond: undefined };

/** What a group's file says of SDKs; as before when it cannot be read, undefined without a file. */
async function groupRules(
  groupId: number,
  { folder, log }: RuleFiles,
  before: RulesByGroup | undefined,
): Promise<GroupRules | undefined> {
  const file = join(folder, `group.${groupId}.ini`);
  try {
    const { value } = readGroupFile(await readFile(file, "utf8"), file);
    const { requestsPerSecond } = value.flowControl;
    return { allowlist: value.sdkAllowlist, requestsPerSecond };
  } catch (cause) {
    if (codeOf(cause) === "ENOENT") return before?.get(groupId);
    const said = "lists and limits of SDKs cannot be read";
    // When the node starts, the start of the group reports a flaw in its file.
    if (before || !(cause instanceof ConfigFault))
      log.write("warning", said, { file, cause: reasonOf(cause) });
    return before?.get(groupId) ?? CLOSED;
  }
}

/** Rules of the groups that have a file; the folder of a node that runs has to be there. */
async function rulesByGroup(files: RuleFiles, before?: RulesByGroup) {
  const names = await readdir(files.folder).catch((cause: unknown): readonly string[] => {
    // A node may be started before its folder has any group.
    if (!before && codeOf(cause) === "ENOENT") return [];
    throw cause;
  });
  const groups = new Map<number, GroupRules>();
  for (const name of names) {
    const groupId = Number(GROUP_FILE.exec(name)?.[1]);
    if (!(groupId > 0)) continue;
    const rules = await groupRules(groupId, files, before);
    if (rules) groups.set(groupId, rules);
  }
  return groups;
}

/**
 * Lists and limits of SDKs as the files have them now. A group whose file cannot be read keeps what
 * it had, and is closed to SDKs when that is nothing: a slip of the pen must not open it to all.
 * @throws ConfigFault of config.ini; what keeps the folder of groups from being read
 */
export async function readAccessRules(
  files: RuleFiles,
  before?: AccessRules,
): Promise<AccessRules> {
  const { value } = await readSettings(files.path);
  const { requestsPerSecond } = value.flowControl;
  return { requestsPerSecond, groups: await rulesByGroup(files, before?.groups) };
}

/** What {@link readingRules} changes. */
type RulesInForce = Pick<ChannelPort, "rules" | "replaceRules">;

/**
 * As {@link readAccessRules} for one group, but what cannot be read, or is not there, stays in
 * force as it was: only the operator's own word for it lifts a list.
 */
async function renewRulesOf(groupId: number, files: RuleFiles, port: RulesInForce): Promise<void> {
  const settings = await readSettings(files.path).catch((cause: unknown) => {
    const said = "the limit of requests stays as it was: it cannot be read";
    files.log.write("warning", said, { file: files.path, cause: reasonOf(cause) });
    return undefined;
  });
  const fresh = await groupRules(groupId, files, port.rules().groups);
  // Not before now: others may have replaced the rules meanwhile.
  const before = port.rules();
  const { requestsPerSecond } = settings ? settings.value.flowControl : before;
  const groups = fresh ? new Map([...before.groups, [groupId, fresh]]) : before.groups;
  port.replaceRules({ requestsPerSecond, groups });
}

/**
 * The node's interface with the lists and limits of a group read again before it begins: its file
 * may have changed while it did not run. A flaw in a file changes no answer of startGroup, whose
 * own checks are all that decides. Source: groups 3
 */
export function readingRules(
  api: NodeApi,
  files: RuleFiles,
  port: () => RulesInForce | undefined,
): NodeApi {
  return {
    ...api,
    async manageGroup(operation, groupId, params) {
      const channel = operation === "startGroup" && !api.group(groupId) ? port() : undefined;
      if (channel) await renewRulesOf(groupId, files, channel);
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
 * @returns undefined on a national chain without the files for it
 * @throws ListenFault; FolderFault when a file is missing
 */
export async function openNodeChannel(
  channel: NodeChannel,
  undo: Undo,
): Promise<ChannelPort | undefined> {
  const { node, api, config, observe, log } = channel;
  const files = await filesOf(channel);
  if (!files) return undefined;
  const { ip, port } = config.rpc.channel;
  const { sessions, heldBytes, unsentBytes } = config.rpc.channelLimits;
  const opened = await openChannelPort({
    node,
    api,
    address: { host: ip, port },
    files,
    rules: await readAccessRules(channel.rules),
    limits: { sessions, heldBytes, unsentBytes },
    checkIssuer: config.checkCertIssuer,
    observe,
    log,
  });
  undo.add(() => opened.server.close());
  return opened;
}
