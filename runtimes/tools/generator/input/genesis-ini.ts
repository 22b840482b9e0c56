/** conf/group_genesis.ini: the members of a new group. Source: generator 4; interface 2.7 */
import type { Reading } from "../../../formats/config/config-fault.ts";
import { ENDPOINT, type Endpoint } from "../../../formats/config/config-kinds.ts";
import { Findings } from "../../../formats/config/config-reader.ts";
import { parseIni } from "../../../formats/config/ini-text.ts";
import { entriesOf, GROUP_ID, refuseFlaws, required } from "./deployment-ini.ts";

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
