/**
 * All files of a node's folder, for every command that writes one. Where a file has a template that
 * its owner may change, that one is used. Source: generator 1, 6; groups 1
 */
import { join } from "node:path";
import { below } from "./authority.ts";
import {
  launcherScript,
  type ProgramPlace,
  START_ALL_SCRIPT,
  START_SCRIPT,
  STOP_ALL_SCRIPT,
  STOP_SCRIPT,
} from "./node-scripts.ts";
import {
  nodeConfigFrom,
  nodeConfigTemplate,
  nodeConfigText,
  type NodeSettings,
} from "./node-texts.ts";
import { LOAD_NEW_GROUPS_SCRIPT, RELOAD_WHITELIST_SCRIPT } from "./signal-scripts.ts";
import { writeGroupFile } from "../formats/config/group-file.ts";
import type { FileToWrite } from "./whole-files.ts";
import {
  launcherCmd,
  LOAD_NEW_GROUPS_CMD,
  RELOAD_WHITELIST_CMD,
  START_ALL_CMD,
  START_CMD,
  STOP_ALL_CMD,
  STOP_CMD,
} from "./windows-scripts.ts";
import { toHex } from "../../core/bytes/hex.ts";
import type { Entropy } from "../../core/ports/entropy.ts";
import type { Identity } from "./holder-files.ts";

/** The executable next to each node. */
export const NODE_PROGRAM = "chain-node";

/** Where the program folder may lie, seen from a node's folder. */
const NEAR = ["", "/.."];

/** Files of nodes that people may change before they are written, by their names in tpl/. */
export type NodeTemplateName =
  | "config.ini"
  | "config.ini.gm"
  | "group.i.ini"
  | "start.sh"
  | "stop.sh"
  | "start_all.sh"
  | "stop_all.sh"
  | "load_new_groups.sh"
  | "reload_whitelist.sh";

/** Templates as their owner left them; those that are absent are the usual ones. */
export type NodeTemplates = Readonly<Partial<Record<NodeTemplateName, string>>>;

/** The usual templates. Source: generator 1 */
export function usualTemplates(): Readonly<Record<NodeTemplateName, string>> {
  return {
    "config.ini": nodeConfigTemplate("standard"),
    "config.ini.gm": nodeConfigTemplate("national"),
    "group.i.ini": writeGroupFile(),
    "start.sh": START_SCRIPT,
    "stop.sh": STOP_SCRIPT,
    "start_all.sh": START_ALL_SCRIPT,
    "stop_all.sh": STOP_ALL_SCRIPT,
    "load_new_groups.sh": LOAD_NEW_GROUPS_SCRIPT,
    "reload_whitelist.sh": RELOAD_WHITELIST_SCRIPT,
  };
}

/** A group that a node takes part in. */
export interface PackedGroup {
  readonly id: number;
  /** Text of group.N.genesis, the same on all members; it comes later when absent. */
  readonly genesis?: string;
}

/** What a node's folder is made of. */
export interface NodePackage {
  readonly settings: NodeSettings;
  /** Key, certificates and node ID, named as below conf/; none when they come later. */
  readonly identity: readonly FileToWrite[];
  readonly groups: readonly PackedGroup[];
  /** What the launcher next to the node runs. */
  readonly program: ProgramPlace;
  readonly templates?: NodeTemplates;
}

/** All files of a node's folder, relative to it, keys first. Source: generator 6 */
export function nodePackage(node: NodePackage): FileToWrite[] {
  const { settings, identity, groups, program, templates = {} } = node;
  const config = templates[configTemplate(settings)];
  const script = (name: NodeTemplateName, usual: string, folder = ""): FileToWrite => ({
    path: join(folder, name),
    text: templates[name] ?? usual,
    use: "script",
  });
  return [
    ...below("conf", identity),
    {
      path: "config.ini",
      text: config === undefined ? nodeConfigText(settings) : nodeConfigFrom(config, settings),
      use: "text",
    },
    { path: NODE_PROGRAM, text: launcherScript(program), use: "script" },
    script("start.sh", START_SCRIPT),
    script("stop.sh", STOP_SCRIPT),
    { path: `${NODE_PROGRAM}.cmd`, text: launcherCmd(undefined, NEAR, program.entry), use: "text" },
    { path: "start.cmd", text: START_CMD, use: "text" },
    { path: "stop.cmd", text: STOP_CMD, use: "text" },
    script("load_new_groups.sh", LOAD_NEW_GROUPS_SCRIPT, "scripts"),
    script("reload_whitelist.sh", RELOAD_WHITELIST_SCRIPT, "scripts"),
    { path: "scripts/load_new_groups.cmd", text: LOAD_NEW_GROUPS_CMD, use: "text" },
    { path: "scripts/reload_whitelist.cmd", text: RELOAD_WHITELIST_CMD, use: "text" },
    ...groups.flatMap((group) => below("conf", groupFiles(group, templates))),
  ];
}

function configTemplate({ suite }: NodeSettings): NodeTemplateName {
  return suite === "national" ? "config.ini.gm" : "config.ini";
}

/** The two files of a group, as below conf/; the genesis last: it is what makes the group. */
export function groupFiles(
  { id, genesis }: PackedGroup,
  templates: NodeTemplates = {},
): FileToWrite[] {
  const tuning = templates["group.i.ini"] ?? writeGroupFile();
  const ini: FileToWrite = { path: `group.${id}.ini`, text: tuning, use: "text" };
  if (genesis === undefined) return [ini];
  return [ini, { path: `group.${id}.genesis`, text: genesis, use: "text" }];
}

/** The scripts over all nodes of a folder. Source: generator 6.5 */
export function allNodesScripts(templates: NodeTemplates = {}): FileToWrite[] {
  return [
    { path: "start_all.sh", text: templates["start_all.sh"] ?? START_ALL_SCRIPT, use: "script" },
    { path: "stop_all.sh", text: templates["stop_all.sh"] ?? STOP_ALL_SCRIPT, use: "script" },
    { path: "start_all.cmd", text: START_ALL_CMD, use: "text" },
    { path: "stop_all.cmd", text: STOP_ALL_CMD, use: "text" },
  ];
}

/** A node's folder that is to be written. */
export interface NodeOrder extends Omit<NodePackage, "identity"> {
  /** Text of the token, where its settings name a file for it. Source: decision 31 */
  readonly token?: string | undefined;
}

/** Random bytes of a token. */
const TOKEN_BYTES = 32;

/** A new token for callers who change groups and peers. Source: decision 31 */
export function createToken(entropy: Entropy): string {
  return toHex(entropy.bytes(TOKEN_BYTES));
}

/** All files of a node's folder, relative to it. */
export function nodeFolderFiles(
  order: NodeOrder,
  { files }: Pick<Identity, "files">,
): FileToWrite[] {
  const { token, ...node } = order;
  const { tokenFile } = node.settings;
  const all = nodePackage({ ...node, identity: files });
  if (token === undefined || tokenFile === undefined) return all;
  return [...all, { path: tokenFile, text: `${token}\n`, use: "key" }];
}
