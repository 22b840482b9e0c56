/** The input files of the tool folder, with what is worth knowing about them said. */
import { join } from "node:path";
import { type Reading, warningText } from "../../../formats/config/config-fault.ts";
import type { ToolContext } from "../context.ts";
import {
  type Deployment,
  entriesOf,
  GROUP_ID,
  inputText,
  readDeployment,
  refuseFlaws,
  required,
} from "./deployment-ini.ts";
import { ENDPOINT, type Endpoint } from "../../../formats/config/config-kinds.ts";
import { Findings } from "../../../formats/config/config-reader.ts";
import { parseIni } from "../../../formats/config/ini-text.ts";

/** A group that is to be. */
export interface PlannedGenesis {
  readonly file: string;
  readonly groupId: number;
  /** Its sealers, in the order of the file. */
  readonly members: readonly Endpoint[];
}

/**
 * Reads the text of a group_genesis.ini. All problems are found in one pass.
 * @param file its name, for messages
 * @throws ConfigFault
 * Source: generator 4
 */
export function readGenesisIni(text: string, file: string): Reading<PlannedGenesis> {
  const findings = new Findings(file);
  const ini = parseIni(text);
  refuseFlaws(ini, findings);
  const wanted = { section: "group", key: "group_id", kind: GROUP_ID };
  const groupId = required(ini, wanted, findings);
  const members: Endpoint[] = [];
  const lines = new Map<string, number>();
  for (const { section, key, value, line } of entriesOf(ini, "nodes")) {
    const place = { line, section, key, value };
    const refuse = (allowed: string) => findings.refuse("notAllowed", { ...place, allowed });
    const endpoint = ENDPOINT.read(value);
    const before = lines.get(value);
    lines.set(value, line);
    if (!/^node\d+$/.test(key)) refuse("keys are node0, node1 and so on");
    else if (!endpoint) refuse(`${ENDPOINT.allowed}, the p2p_ip and p2p_listen_port of a node`);
    else if (before !== undefined) refuse(`each node once; it stands on line ${before} already`);
    else members.push(endpoint);
  }
  if (lines.size === 0) {
    const line = ini.sections.get("nodes");
    const place = { line, section: "nodes", key: "node0", value: undefined };
    findings.refuse("missing", { ...place, allowed: "a line node<i>=ip:p2p_port for each member" });
  }
  return findings.finish(() => ({ file, groupId: groupId ?? 0, members }));
}

/** conf/node_deployment.ini. Source: generator 1 */
export const DEPLOYMENT_INI = "conf/node_deployment.ini";
/** conf/group_genesis.ini. Source: generator 1 */
export const GENESIS_INI = "conf/group_genesis.ini";

function told<T>({ value, warnings }: Reading<T>, { report }: Pick<ToolContext, "report">): T {
  for (const warning of warnings) report.warn(warningText(warning));
  return value;
}

/** A node_deployment.ini. @throws FolderFault missing; ConfigFault */
export async function readDeploymentAt(
  path: string,
  file: string,
  context: Pick<ToolContext, "report">,
): Promise<Deployment> {
  return told(readDeployment(await inputText(path, file), file), context);
}

/** That of the tool folder. @throws FolderFault missing; ConfigFault */
export async function readOwnDeployment(context: ToolContext): Promise<Deployment> {
  const path = join(context.home, DEPLOYMENT_INI);
  return await readDeploymentAt(path, DEPLOYMENT_INI, context);
}

/** The group_genesis.ini of the tool folder. @throws FolderFault missing; ConfigFault */
export async function readOwnGenesis(context: ToolContext): Promise<PlannedGenesis> {
  const text = await inputText(join(context.home, GENESIS_INI), GENESIS_INI);
  return told(readGenesisIni(text, GENESIS_INI), context);
}
