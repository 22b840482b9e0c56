/** Whether the parts of a network fit together. */
import type { FileFindings, FilePlace } from "./file-findings.ts";
import { type NetworkGroup, type NetworkNode, type NetworkSpec, servers } from "./network-spec.ts";

/** Where the parts of a network stand in its file. */
export interface SpecPlaces {
  agency(index: number): FilePlace;
  node(index: number, key: string): FilePlace;
  group(index: number, key: string): FilePlace;
  member(index: number, list: "sealers" | "observers", name: string): FilePlace;
}

/** Names in the chain's folder that are not for agencies and nodes. Source: generator 5 */
const RESERVED = /^(cert|origin|joins|(start|stop)_all\.(sh|cmd))$/i;

/** Agencies and nodes are folders side by side; some systems do not tell upper from lower case. */
function checkNames(spec: NetworkSpec, places: SpecPlaces, findings: FileFindings): void {
  const taken = new Map<string, string>();
  const check = (name: string, what: string, place: FilePlace): void => {
    const other = taken.get(name.toLowerCase());
    if (RESERVED.test(name)) findings.refuse(place, name, "it is a folder of the chain");
    else if (other !== undefined) findings.refuse(place, name, `${other} has that name already`);
    else taken.set(name.toLowerCase(), what);
  };
  for (const [index, name] of spec.agencies.entries())
    check(name, `agency ${name}`, places.agency(index));
  for (const [index, { name }] of spec.nodes.entries())
    check(name, `nodes[${index}]`, places.node(index, "name"));
}

function checkAgencies(spec: NetworkSpec, places: SpecPlaces, findings: FileFindings): void {
  for (const [index, { agency }] of spec.nodes.entries())
    if (!spec.agencies.includes(agency))
      findings.unknown(places.node(index, "agency"), agency, spec.agencies);
}

/** Nodes of one host cannot share a port. */
function checkPorts(spec: NetworkSpec, places: SpecPlaces, findings: FileFindings): void {
  const taken = new Map<string, string>();
  for (const [index, { name, host, ports, runtime }] of spec.nodes.entries()) {
    const place = places.node(index, "ports");
    if (ports && runtime !== "node")
      findings.say(place, `is not for a ${runtime}: nobody can dial it`);
    for (const [use, port] of Object.entries(ports ?? {})) {
      const owner = taken.get(`${host} ${port}`);
      if (owner !== undefined)
        findings.refuse(place, `${port}`, `${owner} has that port of ${host} already`);
      else taken.set(`${host} ${port}`, `${name} (${use})`);
    }
  }
}

function checkJoiners(spec: NetworkSpec, places: SpecPlaces, findings: FileFindings): void {
  for (const [index, { runtime, publicKey }] of spec.nodes.entries())
    if (runtime === "node" && publicKey !== undefined)
      findings.say(
        places.node(index, "public_key"),
        "is for a tab or edge: a node has its own key",
      );
  const hasTab = spec.nodes.some(({ runtime }) => runtime === "tab");
  const hasWebSocket = servers(spec).some(
    ({ ports }) => (ports ?? spec.basePorts).ws !== undefined,
  );
  if (hasTab && !hasWebSocket) {
    const what = "needs a node with a WebSocket port, the fourth one of its ports";
    findings.say({ line: undefined, key: "runtime tab" }, what);
  }
}

/** A group with what is needed to say where it stands. */
interface GroupCheck {
  readonly group: NetworkGroup;
  readonly index: number;
  readonly nodes: readonly NetworkNode[];
}

function checkMembers({ group, index, nodes }: GroupCheck, places: SpecPlaces, f: FileFindings) {
  const names = nodes.map(({ name }) => name);
  const seen = new Set<string>();
  for (const list of ["sealers", "observers"] as const) {
    for (const name of group[list]) {
      const place = places.member(index, list, name);
      const node = nodes.find((each) => each.name === name);
      if (!node) f.unknown(place, name, names);
      else if (seen.has(name)) f.refuse(place, name, "each member once, as sealer or observer");
      else if (list === "sealers" && node.runtime === "edge")
        f.refuse(place, name, "an edge function sleeps between requests: an observer only");
      seen.add(name);
    }
  }
  const own = group.sealers.filter((name) =>
    nodes.some((node) => node.name === name && node.runtime === "node"),
  );
  if (own.length > 0) return;
  f.say(places.group(index, "sealers"), "has no node of runtime node: one at least is wanted");
}

/** Checks a network whose parts could all be read; what does not fit goes to the findings. */
export function checkSpec(spec: NetworkSpec, places: SpecPlaces, findings: FileFindings): void {
  checkNames(spec, places, findings);
  checkAgencies(spec, places, findings);
  checkPorts(spec, places, findings);
  checkJoiners(spec, places, findings);
  const ids = new Set<number>();
  for (const [index, group] of spec.groups.entries()) {
    if (ids.has(group.id))
      findings.refuse(places.group(index, "id"), `${group.id}`, "each group once");
    ids.add(group.id);
    checkMembers({ group, index, nodes: spec.nodes }, places, findings);
  }
}
