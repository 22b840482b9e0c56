/** The StatefulSet of an agency's nodes. */
import { NODE_ENVIRONMENT } from "../../../folder/node-scripts.ts";
import type { LiveNetwork } from "../live-network.ts";
import { CONTAINER_HOME, CONTAINER_PORTS, CONTAINER_UID, GRACE_SECONDS } from "./container.ts";
import { type AgencyPods, labelsOf, portsOf } from "./kubernetes-names.ts";

/** Where a pod finds what is its node's: config.ini, conf/ and groups/. */
export const MOUNT = "/etc/chain-node";
const VOLUME_SIZE = "10Gi";
/** Requests in flight reach a pod a moment after it is asked to end. */
const DRAIN_SECONDS = 5;
/** A node that has just become ready votes before the next one is touched. */
const MIN_READY_SECONDS = 10;

/**
 * Config files go where the node may change them; group files that are there are the node's own,
 * because groups are made while it runs.
 */
const PREPARE = [
  "mkdir -p conf",
  `cp -L ${MOUNT}/config.ini config.ini`,
  `for file in ${MOUNT}/groups/*; do own="conf/\${file##*/}"; ` +
    '[ -e "$own" ] || cp -L "$file" "$own"; done',
].join(" && ");

const CONTAINER_SECURITY = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ["ALL"] },
} as const;

const MOUNTS = [
  { name: "data", mountPath: CONTAINER_HOME },
  // Each pod sees what is its own, whatever else the volume holds.
  { name: "node", mountPath: MOUNT, subPathExpr: "$(POD_NAME)", readOnly: true },
  { name: "tmp", mountPath: "/tmp" },
] as const;

const POD_NAME = {
  name: "POD_NAME",
  valueFrom: { fieldRef: { fieldPath: "metadata.name" } },
} as const;

function probe(path: string, seconds: number, failures: number) {
  return {
    httpGet: { path, port: "rpc" },
    periodSeconds: seconds,
    timeoutSeconds: 5,
    failureThreshold: failures,
  };
}

/** Nodes of a chain keep apart: one machine that fails takes one of them. */
function affinityOf(network: LiveNetwork) {
  const near = (topologyKey: string, weight: number) => ({
    weight,
    podAffinityTerm: { topologyKey, labelSelector: { matchLabels: labelsOf(network) } },
  });
  const terms = [near("kubernetes.io/hostname", 100), near("topology.kubernetes.io/zone", 50)];
  return { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: terms } };
}

function containersOf({ spec }: LiveNetwork, hasWebSocket: boolean) {
  const env = [
    POD_NAME,
    ...Object.entries(NODE_ENVIRONMENT).map(([name, value]) => ({ name, value })),
  ];
  const common = {
    image: spec.image,
    workingDir: CONTAINER_HOME,
    env,
    volumeMounts: MOUNTS,
    securityContext: CONTAINER_SECURITY,
  };
  const names = ["rpc", "channel", "p2p", ...(hasWebSocket ? (["ws"] as const) : [])] as const;
  return {
    initContainers: [{ name: "prepare", command: ["/bin/sh", "-ec", PREPARE], ...common }],
    containers: [
      {
        name: "node",
        ...common,
        args: ["start", "-c", "config.ini"],
        ports: names.map((name) => ({ name, containerPort: CONTAINER_PORTS[name] })),
        startupProbe: probe("/healthz", 2, 60),
        livenessProbe: probe("/healthz", 10, 6),
        readinessProbe: probe("/readyz", 5, 2),
        lifecycle: { preStop: { exec: { command: ["sleep", `${DRAIN_SECONDS}`] } } },
        resources: { requests: { cpu: "250m", memory: "512Mi" } },
      },
    ],
  };
}

/** A file of a pod: key in its object, and where the pod sees it. */
export interface PodFile {
  readonly key: string;
  /** `<pod>/<path>`. */
  readonly path: string;
  readonly text: string;
  readonly isSecret: boolean;
}

function volumesOf(name: string, files: readonly PodFile[]) {
  const itemsOf = (isSecret: boolean) =>
    files.filter((file) => file.isSecret === isSecret).map(({ key, path }) => ({ key, path }));
  return [
    {
      name: "node",
      projected: {
        defaultMode: 0o440,
        sources: [
          { configMap: { name, items: itemsOf(false) } },
          { secret: { name, items: itemsOf(true) } },
        ],
      },
    },
    { name: "tmp", emptyDir: { sizeLimit: "64Mi" } },
  ];
}

/** The StatefulSet. All pods start at once: a chain begins to decide when a quorum is there. */
export function statefulSet(
  network: LiveNetwork,
  { agency, name, pods }: AgencyPods,
  files: readonly PodFile[],
) {
  const labels = labelsOf(network, agency);
  const hasWebSocket = pods.some(({ node }) => node.found.ports.ws !== undefined);
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name, labels },
    spec: {
      serviceName: name,
      replicas: pods.length,
      podManagementPolicy: "Parallel",
      minReadySeconds: MIN_READY_SECONDS,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          automountServiceAccountToken: false,
          terminationGracePeriodSeconds: GRACE_SECONDS + DRAIN_SECONDS,
          securityContext: {
            runAsNonRoot: true,
            runAsUser: CONTAINER_UID,
            runAsGroup: CONTAINER_UID,
            fsGroup: CONTAINER_UID,
            fsGroupChangePolicy: "OnRootMismatch",
            seccompProfile: { type: "RuntimeDefault" },
          },
          affinity: affinityOf(network),
          ...containersOf(network, hasWebSocket),
          volumes: volumesOf(name, files),
        },
      },
      volumeClaimTemplates: [
        {
          metadata: { name: "data" },
          spec: {
            accessModes: ["ReadWriteOnce"],
            resources: { requests: { storage: VOLUME_SIZE } },
          },
        },
      ],
    },
  } as const;
}

/** The service that gives each pod a name of its own, also before it is ready. */
export function headlessService(network: LiveNetwork, { agency, name, pods }: AgencyPods) {
  const labels = labelsOf(network, agency);
  const hasWebSocket = pods.some(({ node }) => node.found.ports.ws !== undefined);
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, labels },
    spec: {
      clusterIP: "None",
      publishNotReadyAddresses: true,
      selector: labels,
      ports: portsOf(["p2p", "channel", "rpc", ...(hasWebSocket ? (["ws"] as const) : [])]),
    },
  };
}
