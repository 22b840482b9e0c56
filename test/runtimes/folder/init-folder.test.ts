// rules: generator 5, generator 6, groups 1, interface 2.7
import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import { parseCertificates } from "../../../runtimes/folder/certificate.ts";
import { daysLeft, verifyChain } from "../../../runtimes/folder/certificate-chain.ts";
import { createChainFolder, type WrittenNode } from "../../../runtimes/folder/chain-folder.ts";
import {
  type ChainChoices,
  DEFAULT_PORTS,
  parseBasePorts,
  planChain,
} from "../../../runtimes/folder/chain-layout.ts";
import { FolderFault } from "../../../runtimes/folder/folder-fault.ts";
import { parsePrivateKey } from "../../../runtimes/folder/private-key.ts";
import { DAY_MS, NOW, seededEntropy } from "./chain-of-certificates.ts";

const CONTEXT = {
  entropy: seededEntropy("init"),
  now: NOW + 123,
  days: 3650,
  program: { runtime: "/usr/bin/node", entry: "/opt/chain-node/main.js" },
};
const CHOICES: ChainChoices = {
  nodes: 4,
  agencies: ["A", "B"],
  groups: [
    { id: 1, consensus: "pbft" },
    { id: 7, consensus: "raft" },
  ],
  host: "127.0.0.1",
  basePorts: parseBasePorts("8545,20200,30300,40300"),
};
const POSIX = process.platform !== "win32";

let home: string;
let chain: string;
let nodes: readonly WrittenNode[];

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "chain-init-"));
  chain = join(home, "chain");
  nodes = await createChainFolder(chain, planChain(CHOICES), CONTEXT);
});

afterAll(() => rm(home, { recursive: true, force: true }));

function text(...path: readonly string[]): string {
  return readFileSync(join(chain, ...path), "utf8");
}

function filesBelow(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names.filter((name) => statSync(join(folder, name)).isFile()).sort();
}

/** Keys and values by section, comments left out. */
function sectionsOf(ini: string): Record<string, Record<string, string>> {
  const sections: Record<string, Record<string, string>> = {};
  let current: Record<string, string> = {};
  for (const line of ini.split("\n").map((raw) => raw.trim())) {
    const [, section] = /^\[(\w+)\]$/.exec(line) ?? [];
    const [, key, value = ""] = /^([\w.]+)=(.*)$/.exec(line) ?? [];
    if (section !== undefined) {
      current = {};
      sections[section] = current;
    } else if (key !== undefined) current[key] = value;
    else assert.match(line, /^(;.*)?$/);
  }
  return sections;
}

async function refusalOf(work: Promise<unknown>): Promise<FolderFault> {
  const error = await work.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  assert.ok(error instanceof FolderFault, String(error));
  return error;
}

test("the folder holds what is documented and nothing else", () => {
  const groups = ["group.1.genesis", "group.1.ini", "group.7.genesis", "group.7.ini"];
  const conf = ["ca.crt", ...groups, "node.crt", "node.key", "node.nodeid"];
  const node = ["chain-node", ...conf.map((name) => `conf/${name}`), "config.ini", "start.sh"];
  const sdk = ["ca.crt", "node.crt", "node.key", "sdk.crt", "sdk.key"];
  const agency = ["agency.crt", "agency.key", "ca.crt"];
  const expected = [
    ...["A", "B"].flatMap((name) => sdk.map((file) => `${name}/sdk/${file}`)),
    ...["A", "B"].flatMap((name) => agency.map((file) => `cert/${name}/${file}`)),
    "cert/ca.crt",
    "cert/ca.key",
    ...[0, 1, 2, 3].flatMap((i) => [...node, "stop.sh"].map((file) => `node${i}/${file}`)),
    "start_all.sh",
    "stop_all.sh",
  ];
  assert.deepEqual(filesBelow(chain), expected.sort());
});

test.runIf(POSIX)("keys belong to their owner, scripts can be run", () => {
  for (const name of filesBelow(chain)) {
    const mode = statSync(join(chain, name)).mode & 0o777;
    const isScript = name.endsWith(".sh") || name.endsWith("chain-node");
    const expected = name.endsWith(".key") ? 0o600 : isScript ? 0o755 : 0o644;
    assert.equal(mode.toString(8), expected.toString(8), name);
  }
  for (const folder of ["cert", "cert/A", "A/sdk", "node0/conf"]) {
    assert.equal(statSync(join(chain, folder)).mode & 0o777, 0o700, folder);
  }
});

test("every node's certificate proves its membership, its key and its ID", () => {
  const [ca] = parseCertificates(text("cert", "ca.crt"));
  assert.ok(ca);
  assert.equal(new Set(nodes.map(({ nodeId }) => nodeId)).size, 4);
  for (const { name, agency, nodeId } of nodes) {
    const certificates = parseCertificates(text(name, "conf", "node.crt"));
    assert.equal(certificates.length, 2);
    const verdict = verifyChain(certificates, { authorities: [ca], now: CONTEXT.now });
    assert.ok(verdict.ok);
    assert.deepEqual([verdict.node, verdict.agency, verdict.nodeId], [name, agency, nodeId]);
    assert.equal(text(name, "conf", "node.nodeid"), `${nodeId}\n`);
    assert.equal(parsePrivateKey(text(name, "conf", "node.key"))?.nodeId, nodeId);
    assert.equal(text(name, "conf", "ca.crt"), text("cert", "ca.crt"));
    const [leaf, issuer] = certificates.map((der) => new X509Certificate(der));
    assert.ok(leaf && issuer && leaf.checkIssued(issuer) && leaf.verify(issuer.publicKey));
  }
});

test("an SDK has one pair under both names, from its agency", () => {
  const [ca] = parseCertificates(text("A", "sdk", "ca.crt"));
  assert.ok(ca);
  assert.equal(text("A", "sdk", "sdk.key"), text("A", "sdk", "node.key"));
  assert.equal(text("A", "sdk", "sdk.crt"), text("A", "sdk", "node.crt"));
  const certificates = parseCertificates(text("A", "sdk", "sdk.crt"));
  const verdict = verifyChain(certificates, { authorities: [ca], now: CONTEXT.now });
  assert.ok(verdict.ok && verdict.agency === "A" && verdict.node === "sdk");
});

test("node certificates last as long as asked, those that issue them ten times as long", () => {
  const left = (...path: readonly string[]) => {
    const [first] = parseCertificates(text(...path));
    return first && daysLeft(first, CONTEXT.now);
  };
  assert.equal(left("node0", "conf", "node.crt"), 3650);
  assert.equal(left("cert", "A", "agency.crt"), 36_500);
  assert.equal(left("cert", "ca.crt"), 36_500);
});

test("new certificates are valid where the clock is some minutes behind", () => {
  const authorities = parseCertificates(text("cert", "ca.crt"));
  const certificates = parseCertificates(text("node0", "conf", "node.crt"));
  assert.ok(verifyChain(certificates, { authorities, now: CONTEXT.now - DAY_MS / 48 }).ok);
});

test("config.ini names the node's ports, all peers and the files that are there", () => {
  const config = sectionsOf(text("node2", "config.ini"));
  assert.deepEqual(config["rpc"], {
    channel_listen_ip: "127.0.0.1",
    channel_listen_port: "20202",
    jsonrpc_listen_ip: "127.0.0.1",
    jsonrpc_listen_port: "8547",
    disable_dynamic_group: "false",
  });
  assert.deepEqual(config["p2p"], {
    listen_ip: "127.0.0.1",
    listen_port: "30302",
    ws_listen_ip: "127.0.0.1",
    ws_listen_port: "40302",
    ...Object.fromEntries([0, 1, 2, 3].map((i) => [`node.${i}`, `127.0.0.1:3030${i}`])),
  });
  const { data_path = "", ...names } = config["network_security"] ?? {};
  assert.deepEqual(Object.keys(names), ["key", "cert", "ca_cert"]);
  for (const file of Object.values(names)) {
    assert.ok(existsSync(join(chain, "node2", data_path, file)), file);
  }
});

test("a chain without WebSocket ports opens none", async () => {
  const folder = join(home, "plain");
  await createChainFolder(folder, planChain({ ...CHOICES, basePorts: DEFAULT_PORTS }), CONTEXT);
  const config = sectionsOf(readFileSync(join(folder, "node0", "config.ini"), "utf8"));
  assert.ok(config["p2p"] && !("ws_listen_port" in config["p2p"]));
});

test("all nodes hold the same genesis of each group, with every node as a sealer", () => {
  for (const [id, consensus] of [
    [1, "pbft"],
    [7, "raft"],
  ] as const) {
    const genesis = text("node0", "conf", `group.${id}.genesis`);
    for (const { name } of nodes) {
      assert.equal(text(name, "conf", `group.${id}.genesis`), genesis);
    }
    const parsed = sectionsOf(genesis);
    assert.equal(parsed["consensus"]?.["consensus_type"], consensus);
    assert.deepEqual(parsed["group"], { id: `${id}`, timestamp: `${NOW}` });
    for (const [i, { nodeId }] of nodes.entries()) {
      assert.match(genesis, new RegExp(`^ +node\\.${i}=${nodeId}$`, "m"));
    }
  }
});

test("a folder that holds a CA is refused and stays as it is", async () => {
  const before = text("cert", "ca.key");
  const fault = await refusalOf(createChainFolder(chain, planChain(CHOICES), CONTEXT));
  assert.equal(fault.kind, "exists");
  assert.match(fault.message, /already holds a chain's CA \(cert\/ca\.key\)/);
  assert.equal(text("cert", "ca.key"), before);
});

for (const file of ["ca.key", "ca.crt", "cert/ca.crt", "node3/own.txt", "start_all.sh"]) {
  test(`a folder with ${file} is refused and nothing is added`, async () => {
    const folder = join(home, `with-${file.replace("/", "-")}`);
    mkdirSync(join(folder, file, ".."), { recursive: true });
    writeFileSync(join(folder, file), "kept");
    const fault = await refusalOf(createChainFolder(folder, planChain(CHOICES), CONTEXT));
    assert.equal(fault.kind, "exists");
    assert.deepEqual(filesBelow(folder), [file]);
  });
}

test("other files in the folder are left alone", async () => {
  const folder = join(home, "shared");
  mkdirSync(folder);
  writeFileSync(join(folder, "notes.txt"), "mine");
  await createChainFolder(folder, planChain(CHOICES), CONTEXT);
  assert.equal(readFileSync(join(folder, "notes.txt"), "utf8"), "mine");
  assert.ok(existsSync(join(folder, "cert", "ca.key")));
});

test("where nothing can be written, a sentence says so and nothing is left", async () => {
  const file = join(home, "file");
  writeFileSync(file, "");
  const fault = await refusalOf(createChainFolder(join(file, "x"), planChain(CHOICES), CONTEXT));
  assert.equal(fault.kind, "unusable");
  assert.match(fault.message, /cannot be written/);
  assert.equal(readFileSync(file, "utf8"), "");
});
