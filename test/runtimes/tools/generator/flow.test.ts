// rules: generator 5, generator 5.1, generator 5.2, generator 6, generator 7, generator 8
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import { parseCertificates } from "../../../../runtimes/folder/certificate.ts";
import { verifyChain } from "../../../../runtimes/formats/certificates/certificate-chain.ts";
import { parseCertificate } from "../../../../runtimes/formats/certificates/parsed-certificate.ts";
import { readGenesisFile } from "../../../../runtimes/formats/config/genesis-file.ts";
import { readNodeConfig } from "../../../../runtimes/formats/config/node-config.ts";
import {
  deploymentIni,
  filesBelow,
  HAS_OPENSSL,
  nodeAt,
  ToolFolder,
} from "../../../support/generator/tool.ts";

const BASES = { agencyA: [31_300, 31_310], agencyB: [31_320, 31_330] } as const;
type AgencyName = keyof typeof BASES;
const NAMES: readonly AgencyName[] = ["agencyA", "agencyB"];

/** Three hosts: the owner of the chain, and two agencies with tool folders of their own. */
let owner: ToolFolder;
const agencies = new Map<AgencyName, ToolFolder>();

function toolOf(name: AgencyName): ToolFolder {
  const found = agencies.get(name);
  assert.ok(found);
  return found;
}

async function done(tool: ToolFolder, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await tool.run([...args, "--no-port-check"]);
  assert.equal(code, 0, stderr);
  return stdout;
}

beforeAll(async () => {
  owner = await ToolFolder.create();
  await done(owner, "--generate_chain_certificate", "./chain");
  for (const name of NAMES) {
    const tool = await ToolFolder.create();
    agencies.set(name, tool);
    tool.write(deploymentIni(BASES[name].map((base) => nodeAt(base))), "conf/node_deployment.ini");
    // Of agency B the key never leaves its host.
    if (name === "agencyA") {
      await done(owner, "--generate_agency_certificate", "./agencies", "./chain", name);
      cpSync(owner.path("agencies", name), tool.path("meta"), { recursive: true });
    } else {
      await done(tool, "--generate_agency_request", ".", name);
      const request = tool.path(name, "agency.csr");
      await done(owner, "--sign_agency_request", "./chain", request, "./signed");
      cpSync(owner.path("signed"), tool.path("meta"), { recursive: true });
      cpSync(tool.path(name, "agency.key"), tool.path("meta", "agency.key"));
    }
    await done(tool, "--generate_all_certificates", "./send");
  }
  // The first agency makes the genesis.
  const maker = toolOf("agencyA");
  for (const name of NAMES)
    cpSync(toolOf(name).path("send"), maker.path("meta"), { recursive: true });
  const lines = NAMES.flatMap((name) => BASES[name].map((base) => `127.0.0.1:${base}`));
  const nodes = lines.map((line, index) => `node${index}=${line}`).join("\n");
  maker.write(`[group]\ngroup_id=1\n[nodes]\n${nodes}\n`, "conf/group_genesis.ini");
  await done(maker, "-c", "./group");
  for (const [name, other] of [
    ["agencyA", "agencyB"],
    ["agencyB", "agencyA"],
  ] as const) {
    const tool = toolOf(name);
    cpSync(maker.path("group/group.1.genesis"), tool.path("meta/group.1.genesis"));
    cpSync(toolOf(other).path("send/peers.txt"), tool.path("peers.txt"));
    await done(tool, "-b", "peers.txt", "./nodes");
    await done(tool, "--get_sdk_file", "./sdk");
  }
});

afterAll(async () => {
  for (const tool of [owner, ...agencies.values()]) await tool.remove();
});

test("what an agency sends holds no private key", () => {
  const sent = filesBelow(toolOf("agencyA").path("send"));
  assert.deepEqual(sent, ["cert_127.0.0.1_31300.crt", "cert_127.0.0.1_31310.crt", "peers.txt"]);
  assert.equal(toolOf("agencyA").read("send/peers.txt"), "127.0.0.1:31300\n127.0.0.1:31310\n");
});

test("a package holds what is documented and nothing else", () => {
  const conf = ["ca.crt", "group.1.genesis", "group.1.ini", "node.crt", "node.key", "node.nodeid"];
  const scripts = ["load_new_groups", "reload_whitelist"].flatMap((name) =>
    ["sh", "cmd"].map((end) => `scripts/${name}.${end}`),
  );
  const own = ["chain-node", "config.ini", "start.sh", "stop.sh"];
  const windows = ["chain-node.cmd", "start.cmd", "stop.cmd"];
  const node = [...own, ...windows, ...scripts, ...conf.map((name) => `conf/${name}`)];
  const all = ["start_all.sh", "stop_all.sh", "start_all.cmd", "stop_all.cmd"];
  const others = ["scripts/install.sh", "scripts/pack.sh"];
  const monitor = ["monitor/monitor.sh", "monitor/monitor.awk"];
  const expected = [
    ...[...all, ...others, ...monitor],
    ...[31_300, 31_310].flatMap((port) => node.map((name) => `node_127.0.0.1_${port}/${name}`)),
  ];
  assert.deepEqual(filesBelow(toolOf("agencyA").path("nodes")), expected.sort());
});

test("an SDK folder holds what is documented, with the ports of the nodes", () => {
  const tool = toolOf("agencyA");
  const pair = ["ca.crt", "node.crt", "node.key", "sdk.crt", "sdk.key"];
  const connections = ["applicationContext.xml", "config.toml", "connection.json"];
  assert.deepEqual(filesBelow(tool.path("sdk")), [...pair, ...connections].sort());
  assert.match(
    tool.read("sdk/config.toml"),
    /peers = \["127\.0\.0\.1:31301", "127\.0\.0\.1:31311"\]/,
  );
  const context = tool.read("sdk/applicationContext.xml");
  assert.match(
    context,
    /<value>127\.0\.0\.1:31301<\/value>\n\s*<value>127\.0\.0\.1:31311<\/value>/,
  );
  const { channels, rpc, groupId } = JSON.parse(tool.read("sdk/connection.json"));
  assert.deepEqual(
    [channels[1], rpc[0], groupId],
    ["127.0.0.1:31311", "http://127.0.0.1:31302", 1],
  );
  assert.equal(tool.read("sdk/sdk.key"), tool.read("meta/sdk/sdk.key"));
});

test("every certificate proves its holder, and the node ID is its key", () => {
  const ca = parseCertificates(owner.read("chain/ca.crt"));
  for (const name of NAMES) {
    for (const base of BASES[name]) {
      const node = `node_127.0.0.1_${base}`;
      const conf = (file: string) => toolOf(name).read("nodes", node, "conf", file);
      const certificates = parseCertificates(conf("node.crt"));
      assert.equal(certificates.length, 2);
      const verdict = verifyChain(certificates, { authorities: ca, now: Date.now() });
      assert.ok(verdict.ok);
      assert.deepEqual([verdict.node, verdict.agency], [node, name]);
      assert.equal(conf("node.nodeid"), `${verdict.nodeId}\n`);
      assert.match(conf("node.key"), /^-----BEGIN PRIVATE KEY-----/);
      assert.equal(statSync(toolOf(name).path("nodes", node, "conf/node.key")).mode & 0o777, 0o600);
    }
    const sdk = parseCertificates(toolOf(name).read("sdk/sdk.crt"));
    const verdict = verifyChain(sdk, { authorities: ca, now: Date.now() });
    assert.ok(verdict.ok && verdict.node === "sdk" && verdict.agency === name);
  }
});

test("certificates last 3650 days", () => {
  for (const path of ["chain/ca.crt", "agencies/agencyA/agency.crt"]) {
    const [der] = parseCertificates(owner.read(path));
    const parsed = der && parseCertificate(der);
    assert.ok(parsed && typeof parsed !== "string");
    assert.ok(Math.abs(parsed.notAfter - Date.now() - 3650 * 86_400_000) < 3_600_000, path);
  }
});

test.runIf(HAS_OPENSSL)("openssl verifies the certificates and reads who holds them", () => {
  const tool = toolOf("agencyB");
  const conf = tool.path("nodes/node_127.0.0.1_31320/conf");
  const [leaf = "", agency = ""] = readFileSync(join(conf, "node.crt"), "utf8").split(
    /(?<=END CERTIFICATE-----\n)/,
  );
  writeFileSync(join(tool.home, "leaf.crt"), leaf);
  writeFileSync(join(tool.home, "agency.crt"), agency);
  const told = (...args: readonly string[]) =>
    spawnSync("openssl", args, { cwd: tool.home, encoding: "utf8" }).stdout;
  const ca = join(conf, "ca.crt");
  const verified = told("verify", "-CAfile", ca, "-untrusted", "agency.crt", "leaf.crt");
  assert.match(verified, /leaf\.crt: OK/);
  const text = told("x509", "-in", "leaf.crt", "-noout", "-text", "-nameopt", "RFC2253");
  assert.match(text, /Subject: OU=node,O=chain-node,CN=node_127\.0\.0\.1_31320/);
  assert.match(text, /Issuer: OU=agency,O=chain-node,CN=agencyB/);
  assert.match(text, /Version: 3/);
  assert.match(text, /ecdsa-with-SHA256/);
  assert.match(text, /Digital Signature, Non Repudiation, Key Encipherment/);
  assert.match(text, /secp256k1/);
  const sdk = told(
    "x509",
    "-in",
    tool.path("sdk/sdk.crt"),
    "-noout",
    "-subject",
    "-nameopt",
    "RFC2253",
  );
  assert.match(sdk, /OU=sdk,O=chain-node,CN=sdk/);
});

test("config.ini has the ports, and peers in the order of the file with the own nodes behind", () => {
  const text = toolOf("agencyB").read("nodes/node_127.0.0.1_31320/config.ini");
  const { value, warnings } = readNodeConfig(text, "config.ini");
  assert.deepEqual(warnings, []);
  const ports = value.p2p.peers.map(({ port }) => port);
  assert.deepEqual(ports, [31_300, 31_310, 31_320, 31_330]);
  assert.deepEqual(value.p2p.listen, { ip: "0.0.0.0", port: 31_320 });
  assert.deepEqual(value.rpc.jsonrpc, { ip: "127.0.0.1", port: 31_322 });
  assert.deepEqual(value.rpc.channel, { ip: "0.0.0.0", port: 31_321 });
  assert.equal(value.rpc.management.mode, "local");
  assert.match(text, /^\s*management=local$/m);
});

test("config.ini has every section and key that is documented", () => {
  const text = toolOf("agencyA").read("nodes/node_127.0.0.1_31300/config.ini");
  const keys = ["channel_listen_ip", "jsonrpc_listen_ip", "node.0", "group_data_path", "data_path"];
  const more = ["key_manager_ip", "key_manager_port", "cipher_data_key", "sm_crypto_channel"];
  const last = [
    "supported_version",
    "log_flush_threshold",
    "enable_statistic",
    "disable_dynamic_group",
  ];
  for (const key of [...keys, ...more, ...last]) {
    assert.match(text, new RegExp(`^\\s*${key}=`, "m"), key);
  }
  const sections = [...text.matchAll(/^\[(\w+)\]$/gm)].map(([, name]) => name);
  assert.deepEqual(sections, [
    ...["rpc", "p2p", "certificate_blacklist", "certificate_whitelist", "group"],
    ...["network_security", "storage_security", "chain", "compatibility", "log"],
    ...["flow_control", "metrics"],
  ]);
});

test("the genesis names the members in the order of its file, the same everywhere", () => {
  const maker = toolOf("agencyA");
  const text = maker.read("group/group.1.genesis");
  assert.equal(maker.read("meta/group.1.genesis"), text);
  assert.equal(toolOf("agencyB").read("nodes/node_127.0.0.1_31330/conf/group.1.genesis"), text);
  const { genesis } = readGenesisFile(text, "group.1.genesis").value;
  const ids = NAMES.flatMap((name) =>
    BASES[name].map((base) =>
      toolOf(name).read(`nodes/node_127.0.0.1_${base}/conf/node.nodeid`).trim(),
    ),
  );
  assert.deepEqual(genesis.sealers, ids);
  assert.equal(genesis.timestamp % 1000n, 0n);
  assert.match(text, /^\s*epoch_sealer_num=4$/m);
  assert.match(text, /^\s*epoch_block_num=1000$/m);
});

test("a genesis can be made from node IDs alone", async () => {
  const tool = toolOf("agencyA");
  for (const name of NAMES) {
    for (const base of BASES[name]) {
      const id = toolOf(name).read(`nodes/node_127.0.0.1_${base}/conf/node.nodeid`);
      tool.write(id, "meta", `node_127.0.0.1_${base}.nodeid`);
    }
  }
  const ini = tool.read("conf/group_genesis.ini").replace("group_id=1", "group_id = 9");
  tool.write(ini, "conf/group_genesis.ini");
  await done(tool, "--create_group_genesis_with_nodeid", "./by-id");
  const read = (path: string) => readGenesisFile(tool.read(path), path).value.genesis;
  assert.deepEqual(read("by-id/group.9.genesis").sealers, read("group/group.1.genesis").sealers);
});

test("a group is added to a node, and to all nodes of a folder", async () => {
  const tool = toolOf("agencyA");
  const file = tool.path("group.5.genesis");
  writeFileSync(file, tool.read("group/group.1.genesis").replace(/\bid=1\b/, "id=5"));
  await done(tool, "-a", file, "nodes/node_127.0.0.1_31300");
  const conf = (node: string) =>
    filesBelow(tool.path("nodes", node, "conf")).filter((n) => /\.5\./.test(n));
  assert.deepEqual(conf("node_127.0.0.1_31300"), ["group.5.genesis", "group.5.ini"]);
  assert.deepEqual(conf("node_127.0.0.1_31310"), []);
  const again = await tool.run(["-a", file, "nodes"]);
  assert.equal(again.code, 1);
  assert.match(again.stderr, /the node has that group already/);
  assert.deepEqual(conf("node_127.0.0.1_31310"), []);
});

test("peers are added to all nodes, and merged from one file into another", async () => {
  const tool = toolOf("agencyB");
  tool.write("10.0.0.9:30300\n# a comment\n127.0.0.1:31300\n", "more.txt");
  const path = "nodes/node_127.0.0.1_31320/config.ini";
  tool.write(`; kept by its owner\n${tool.read(path)}`, path);
  const peersOf = (file: string) =>
    readNodeConfig(tool.read(file), file).value.p2p.peers.map(
      ({ port, host }) => `${host}:${port}`,
    );
  const before = peersOf(path);
  await done(tool, "-p", "more.txt", path.replace("/config.ini", ""));
  assert.deepEqual(peersOf(path), [...before, "10.0.0.9:30300"]);
  assert.match(tool.read(path), /^; kept by its owner\n/);
  const other = "nodes/node_127.0.0.1_31330/config.ini";
  await done(tool, "-m", path, other);
  assert.deepEqual(peersOf(other), [...before, "10.0.0.9:30300"]);
});

test("a package without certificates gets its keys by name", async () => {
  const tool = toolOf("agencyA");
  await done(tool, "--build_package_only", "./bare", "none.txt");
  const conf = "bare/node_127.0.0.1_31300/conf";
  assert.deepEqual(filesBelow(tool.path(conf)), ["group.1.ini"]);
  await done(tool, "-d", "meta", "bare");
  assert.deepEqual(filesBelow(tool.path(conf)), ["group.1.ini", "node.key", "node.nodeid"]);
  tool.write("other", conf, "node.key");
  const again = await tool.run(["-d", "meta", "bare"]);
  assert.equal(again.code, 1);
  assert.match(
    again.stderr,
    /node\.key exists already and differs: a node's key is never replaced/,
  );
});

test("single certificates are made for nodes and SDKs", async () => {
  mkdirSync(owner.path("single"));
  await done(owner, "--generate_node_certificate", "single", "agencies/agencyA", "node9");
  await done(owner, "--generate_sdk_certificate", "single", "agencies/agencyA");
  assert.deepEqual(filesBelow(owner.path("single")), [
    ...["ca.crt", "node.crt", "node.key", "node.nodeid"].map((name) => `node9/${name}`),
    ...["ca.crt", "node.crt", "node.key", "sdk.crt", "sdk.key"].map((name) => `sdk/${name}`),
  ]);
});
