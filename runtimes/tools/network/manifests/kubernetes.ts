/** Kubernetes manifests: one StatefulSet per agency, and what the chain needs as a whole. */
import { stringify } from "yaml";
import { majority, quorum } from "../../../../core/consensus/quorum.ts";
import type { FileToWrite } from "../../../folder/whole-files.ts";
import type { LiveNetwork } from "../live-network.ts";
import { confFiles, containerConfig } from "./container.ts";
import { dockerfileText } from "./dockerfile.ts";
import {
  type AgencyPod,
  type AgencyPods,
  agencyPods,
  labelsOf,
  portsOf,
} from "./kubernetes-names.ts";
import { headlessService, MOUNT, type PodFile, statefulSet } from "./kubernetes-set.ts";

/** Objects in one file. */
function documents(head: string, objects: readonly object[]): string {
  const texts = objects.map((object) => stringify(object, { lineWidth: 0 }));
  return `# Written by chain-node network manifests.${head}\n${texts.join("---\n")}`;
}

/** Keys of ConfigMaps and Secrets have no folders. */
function keyOf(pod: string, path: string): string {
  return `${pod}_${path.replaceAll("/", "_")}`;
}

async function filesOfPod(own: AgencyPod, all: readonly AgencyPod[]): Promise<readonly PodFile[]> {
  const { pod, node } = own;
  const at = (path: string, text: string, isSecret: boolean): PodFile => {
    return { key: keyOf(pod, path), path: `${pod}/${path}`, text, isSecret };
  };
  const files = await confFiles(node);
  const config = containerConfig(own, all, { folder: `${MOUNT}/conf/` });
  return [
    at("config.ini", config, false),
    ...files.map(({ path, text, isSecret, isGroup }) =>
      at(isGroup ? `groups/${path}` : `conf/${path}`, text, isSecret),
    ),
  ];
}

function dataOf(files: readonly PodFile[], isSecret: boolean): Readonly<Record<string, string>> {
  const own = files.filter((file) => file.isSecret === isSecret);
  return Object.fromEntries(own.map(({ key, text }) => [key, text]));
}

function objectsOf(network: LiveNetwork, pods: AgencyPods, files: readonly PodFile[]) {
  const { agency, name } = pods;
  const labels = labelsOf(network, agency);
  const config = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, labels },
    data: dataOf(files, false),
  };
  const secret = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, labels },
    type: "Opaque",
    stringData: dataOf(files, true),
  };
  const clients = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: `${name}-sdk`, labels },
    spec: { selector: labels, ports: portsOf(["channel", "rpc"]) },
  };
  const parts = [
    config,
    headlessService(network, pods),
    clients,
    statefulSet(network, pods, files),
  ];
  return { secret, parts };
}

/** How many sealers may be away at one time so that every group goes on. */
export function sealersToSpare({ spec }: LiveNetwork): number {
  const spare = spec.groups.map(({ consensus, sealers: { length } }) =>
    consensus === "raft" ? length - majority(length) : length - quorum(length),
  );
  return spare.length === 0 ? 0 : Math.min(...spare);
}

/**
 * One budget over the sealers of all agencies: one for each agency would let each of them evict a
 * sealer at the same time.
 */
function budget(network: LiveNetwork, all: readonly AgencyPod[]) {
  const { spec } = network;
  const names = new Set(spec.groups.flatMap(({ sealers }) => sealers));
  const pods = all.filter(({ node }) => names.has(node.spec.name)).map(({ pod }) => pod);
  const key = "statefulset.kubernetes.io/pod-name";
  return {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: `${spec.name}-sealers`, labels: labelsOf(network) },
    spec: {
      minAvailable: pods.length - sealersToSpare(network),
      selector: { matchExpressions: [{ key, operator: "In", values: pods }] },
    },
  };
}

/** Reads go to nodes that are ready; a balancer for transactions asks each node by itself. */
function readService(network: LiveNetwork) {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: {
      name: `${network.spec.name}-rpc`,
      labels: labelsOf(network),
      annotations: { "chain-node/select-for-writes": "GET /readyz?writes" },
    },
    spec: { selector: labelsOf(network), ports: portsOf(["rpc"]) },
  };
}

/** All manifests and the Dockerfile. @throws FolderFault */
export async function kubernetesFiles(network: LiveNetwork): Promise<FileToWrite[]> {
  const agencies = agencyPods(network);
  const all = agencies.flatMap(({ pods }) => pods);
  const files: FileToWrite[] = [];
  for (const agency of agencies) {
    const own = await Promise.all(agency.pods.map((pod) => filesOfPod(pod, all)));
    const { secret, parts } = objectsOf(network, agency, own.flat());
    const secretHead = " Keys: a user who has them is the node.";
    const text = documents(secretHead, [secret]);
    files.push({ path: `${agency.name}-secret.yaml`, text, use: "key" });
    files.push({ path: `${agency.name}.yaml`, text: documents("", parts), use: "text" });
  }
  const common = documents("", [readService(network), budget(network, all)]);
  const { name } = network.spec;
  return [
    ...files,
    { path: `${name}.yaml`, text: common, use: "text" },
    { path: "Dockerfile", text: dockerfileText(), use: "text" },
  ];
}

/** What to do with them. */
export function kubernetesSteps(network: LiveNetwork, out: string): readonly string[] {
  const { image } = network.spec;
  const sets = agencyPods(network).map(({ name }) => name);
  return [
    `docker build -t ${image} ${out}    (with the package next to the Dockerfile), and push it`,
    `kubectl apply -f ${out}`,
    `kubectl rollout status statefulset/${sets[0] ?? ""}`,
    `to upgrade, change the image of one StatefulSet after the other: ${sets.join(", ")}`,
  ];
}
