/** What the signal files in a node's folder ask for. Source: groups 1, 4 */
import type { RunningNode } from "../../../core/node/create-node.ts";
import type { Log } from "../../../core/ports/log.ts";
import type { NodeConfig } from "../../formats/config/node-config.ts";
import type { P2pNetwork } from "../../shared/p2p/p2p-options.ts";
import { readSettings } from "./node-settings.ts";
import type { Signal } from "./signal-files.ts";

/** The file that `chain-node confirm` leaves. Source: decision 25 */
export const CONFIRM_FILE = "config.ini.confirm_only_copy";
/** What it says for all groups. */
const ALL_GROUPS = "all";

/** What the file says. */
export function confirmText(group: number | undefined): string {
  return `${group ?? ALL_GROUPS}\n`;
}

/** Which groups a file means; undefined: all. A file that says nothing means none. */
export function confirmedGroups(text: string): readonly number[] | undefined {
  const words = text.split(/\s+/).filter((word) => word !== "");
  if (words.includes(ALL_GROUPS)) return undefined;
  return words.map(Number).filter((id) => Number.isSafeInteger(id) && id > 0);
}

/** What signals act on. */
export interface SignalTargets {
  /** Path of config.ini, absolute. */
  readonly path: string;
  /** As the node was started. */
  readonly config: NodeConfig;
  readonly node: RunningNode;
  readonly network: P2pNetwork;
  /** Reads lists and limits of SDKs again and has the port of SDKs follow them. */
  replaceRules(): Promise<unknown>;
  readonly log: Log;
}

/** Their lists of SDKs are read when they start. */
async function loadGroups({ node, log }: SignalTargets): Promise<void> {
  const groups = (await node.loadNewGroups()).join(" ");
  if (groups === "") log.write("info", "there are no new groups to load");
  else log.write("info", "new groups are loaded; startGroup starts them", { groups });
}

async function reloadWhitelist({ path, config, network, log }: SignalTargets): Promise<void> {
  const { value } = await readSettings(path);
  network.setWhitelist(value.whitelist);
  const entries = value.whitelist.length;
  log.write("info", "the whitelist of peers is reloaded", { entries });
  if (value.blacklist.toSorted().join() === config.blacklist.toSorted().join()) return;
  log.write("warning", "the blacklist has changed too: it takes effect when the node restarts");
}

/** Lists of SDKs, and how much they may ask. Source: groups 1, 4; channel-protocol 10 */
async function reloadAccess({ replaceRules, log }: SignalTargets): Promise<void> {
  await replaceRules();
  log.write("info", "lists and limits of SDKs are read again");
}

/** Silent groups vote again. Source: decision 25 */
async function confirmOnlyCopy({ node, log }: SignalTargets, text: string): Promise<void> {
  const groups = (await node.confirmOnlyCopy(confirmedGroups(text))).join(" ");
  if (groups === "") log.write("info", "no such group is silent: nothing is to be confirmed");
  else log.write("info", "groups vote again at the operator's word", { groups });
}

/** All signals of a node. */
export function signalsOf(targets: SignalTargets): readonly Signal[] {
  return [
    { file: "config.ini.append_group", obey: () => loadGroups(targets) },
    { file: "config.ini.reset_certificate_whitelist", obey: () => reloadWhitelist(targets) },
    { file: CONFIRM_FILE, reads: true, obey: (text) => confirmOnlyCopy(targets, text) },
    { file: "config.ini.reset_allowlist", obey: () => reloadAccess(targets) },
  ];
}
