/** Names of Kubernetes objects: pods and services by agency, and where each node is among them. */
import type { LiveNetwork, LiveNode } from "../live-network.ts";
import { CONTAINER_PORTS, type ContainerNode } from "./container.ts";

/** Names of StatefulSets go into labels with a hash behind them. */
const LONGEST_SET = 52;

/** The pods of one agency. */
export interface AgencyPods {
  readonly agency: string;
  /** Of the StatefulSet and its headless service. */
  readonly name: string;
  readonly pods: readonly AgencyPod[];
}

/** One pod, always of the same node. */
export interface AgencyPod extends ContainerNode {
  /** `<set>-<ordinal>`. */
  readonly pod: string;
}

function slug(text: string): string {
  const plain = text.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  return plain.replaceAll(/^-+|-+$/g, "") || "agency";
}

/** Names that no other agency has got. */
function uniqueNames(chain: string, agencies: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return agencies.map((agency) => {
    const base = `${chain}-${slug(agency)}`.slice(0, LONGEST_SET).replace(/-+$/, "");
    let name = base;
    for (let count = 2; taken.has(name); count++)
      name = `${base.slice(0, LONGEST_SET - `${count}`.length - 1)}-${count}`;
    taken.add(name);
    return name;
  });
}

/** The pods of a network, in the order of the file. */
export function agencyPods({ spec, nodes }: LiveNetwork): readonly AgencyPods[] {
  const agencies = spec.agencies.filter((agency) =>
    nodes.some((node) => node.spec.agency === agency),
  );
  const names = uniqueNames(spec.name, agencies);
  return agencies.map((agency, index) => {
    const name = names[index] ?? "";
    const own = nodes.filter((node) => node.spec.agency === agency);
    const podOf = (node: LiveNode, ordinal: number): AgencyPod => {
      const pod = `${name}-${ordinal}`;
      return { node, pod, host: `${pod}.${name}` };
    };
    return { agency, name, pods: own.map(podOf) };
  });
}

/** What every object of a chain is marked with. */
export function labelsOf({ spec }: LiveNetwork, agency?: string) {
  return {
    "app.kubernetes.io/name": "chain-node",
    "app.kubernetes.io/instance": spec.name,
    ...(agency === undefined ? {} : { "chain-node/agency": agency }),
  };
}

/** Ports of a pod or a service, by name. */
export function portsOf(names: readonly (keyof typeof CONTAINER_PORTS)[]) {
  return names.map((name) => ({ name, port: CONTAINER_PORTS[name] }));
}
