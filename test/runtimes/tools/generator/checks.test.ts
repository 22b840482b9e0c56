// rules: generator 2, generator 3, generator 4, generator 6, generator 7, generator 8
import assert from "node:assert/strict";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { afterAll, afterEach, beforeAll, test } from "vitest";
import { portsInRow } from "../../../support/process/ports.ts";
import {
  contentBelow,
  deploymentIni,
  nodeAt,
  ToolFolder,
} from "../../../support/generator/tool.ts";

let tool: ToolFolder;
/** Files of a case that go after it. */
let remains: string[] = [];

beforeAll(async () => {
  tool = await ToolFolder.create();
  tool.write(deploymentIni([nodeAt(31_400)]), "conf/node_deployment.ini");
  for (const args of [
    ["--generate_chain_certificate", "chain"],
    ["--generate_agency_certificate", ".", "chain", "agency"],
  ]) {
    assert.equal((await tool.run(args)).code, 0);
  }
  tool.write("127.0.0.1:31400\n", "peers.txt");
});

afterEach(() => {
  for (const path of remains) rmSync(path, { recursive: true, force: true });
  remains = [];
});

afterAll(() => tool.remove());

/** Text of a file for the length of a case. */
function put(text: string, ...names: readonly string[]): void {
  const path = tool.path(...names);
  if (!existsSync(path)) remains.push(path);
  mkdirSync(tool.path(...names, ".."), { recursive: true });
  writeFileSync(path, text);
}

interface Refusal {
  readonly says: RegExp | readonly RegExp[];
  readonly code?: number;
}

/** A run fails with a code and a message, and changes nothing. */
async function refuses(args: readonly string[], { says, code = 1 }: Refusal): Promise<void> {
  const before = contentBelow(tool.tool);
  const end = await tool.run(args);
  assert.equal(end.code, code, end.stderr);
  assert.equal(end.stdout, "");
  for (const each of [says].flat()) assert.match(end.stderr, each);
  for (const line of end.stderr.split("\n").filter((text) => text !== "")) {
    if (code === 1) assert.match(line, /^(INFO|WARN|ERROR) \| /);
  }
  assert.doesNotMatch(end.stderr, / ends$/m);
  assert.deepEqual(contentBelow(tool.tool), before);
}

const INI = "conf/node_deployment.ini";
const ALL = ["--generate_all_certificates", "send"];
const GOOD = nodeAt(31_400);

const INI_CASES: readonly (readonly [string, string, RegExp | readonly RegExp[]])[] = [
  ["without sections", "", [/\[group\] group_id is missing/, /\[node0\] is missing: a section/]],
  [
    "with a group that is no number",
    deploymentIni([GOOD], "x"),
    /line 2, \[group\] group_id = "x"/,
  ],
  ["with group 0", deploymentIni([GOOD], 0), /a whole number from 1 to 32767/],
  ["with group 32768", deploymentIni([GOOD], 32_768), /a whole number from 1 to 32767/],
  [
    "without keys",
    "[group]\ngroup_id=1\n[node0]\n",
    [
      ...["p2p_ip", "rpc_ip", "channel_ip", "p2p_listen_port", "channel_listen_port"].map(
        (key) => new RegExp(`\\[node0\\] ${key} is missing`),
      ),
      /\[node0\] jsonrpc_listen_port is missing/,
    ],
  ],
  [
    "with a low port",
    deploymentIni([{ ...GOOD, p2p_listen_port: 1023 }]),
    /line 7, \[node0\] p2p_listen_port = "1023" is not allowed: a whole number from 1024 to 65535/,
  ],
  ["with a high port", deploymentIni([{ ...GOOD, p2p_listen_port: 65_536 }]), /1024 to 65535/],
  [
    "with a port that is a word",
    deploymentIni([{ ...GOOD, channel_listen_port: "abc" }]),
    /channel_listen_port = "abc"/,
  ],
  [
    "with a port twice in a node",
    deploymentIni([{ ...GOOD, channel_listen_port: 31_400 }]),
    /another port than p2p_listen_port of \[node0\]/,
  ],
  [
    "with a port twice on a host",
    deploymentIni([GOOD, { ...nodeAt(31_410), jsonrpc_listen_port: 31_401 }]),
    /\[node1\] jsonrpc_listen_port = "31401".*another port than channel_listen_port of \[node0\]/,
  ],
  ["with a node twice", deploymentIni([GOOD, GOOD]), /\[node1\] p2p_listen_port = "31400"/],
  [
    "with localhost and its address",
    deploymentIni([GOOD, { ...GOOD, p2p_ip: "localhost" }]),
    /\[node1\] p2p_listen_port = "31400"/,
  ],
  [
    "with an address that cannot be dialled",
    deploymentIni([{ ...GOOD, p2p_ip: "0.0.0.0" }]),
    /p2p_ip = "0.0.0.0".*at which peers reach the node/,
  ],
  [
    "with an address that is none",
    deploymentIni([{ ...GOOD, rpc_ip: "10.0.0.300" }]),
    /rpc_ip = "10.0.0.300"/,
  ],
  [
    "with a key twice",
    `${deploymentIni([GOOD])}rpc_ip=127.0.0.1\n`,
    /rpc_ip stands on line \d+ already/,
  ],
  ["with a line that is none", `${deploymentIni([GOOD])}hello\n`, /"hello" cannot be read/],
  [
    "with several problems",
    deploymentIni([{ ...GOOD, p2p_ip: "a b", p2p_listen_port: 1 }], "z"),
    [/\[group\] group_id/, /\[node0\] p2p_ip/, /\[node0\] p2p_listen_port/],
  ],
];

for (const [name, text, says] of INI_CASES) {
  test(`a node_deployment.ini ${name} is refused with section and key`, async () => {
    const before = tool.read(INI);
    tool.write(text, INI);
    await refuses(ALL, { says });
    tool.write(before, INI);
  });
}

test("a missing node_deployment.ini is named with the way to a sample", async () => {
  const before = tool.read(INI);
  rmSync(tool.path(INI));
  const says = /conf\/node_deployment\.ini is missing: generator --create_tool_folder DIR/;
  await refuses(ALL, { says });
  tool.write(before, INI);
});

test("a section behind a gap, and unknown keys, are warned about", async () => {
  const before = tool.read(INI);
  tool.write(`${deploymentIni([{ ...GOOD, color: "red" }])}[node2]\np2p_ip=127.0.0.1\n`, INI);
  const { code, stderr } = await tool.run(["--build_package_only", "out", "x", "--dry-run"]);
  assert.equal(code, 0, stderr);
  assert.match(stderr, /WARN \| .*\[node2\]: ignored: \[node1\] is missing before it/);
  assert.match(stderr, /WARN \| .*\[node0\] color: unknown key, ignored/);
  tool.write(before, INI);
});

test("JSON-RPC that is open to others, and addresses of other hosts, are warned about", async () => {
  const before = tool.read(INI);
  const node = { ...GOOD, rpc_ip: "0.0.0.0", channel_ip: "192.0.2.7" };
  tool.write(deploymentIni([node]), INI);
  const { code, stderr } = await tool.run(["--build_package_only", "out", "x", "--dry-run"]);
  assert.equal(code, 0, stderr);
  assert.match(stderr, /WARN \| .*rpc_ip of node0 opens JSON-RPC to other hosts/);
  assert.match(stderr, /WARN \| .*channel_ip = 192\.0\.2\.7 is no address of this host/);
  tool.write(before, INI);
});

test("ports in use are all named, unless they are not to be examined", async () => {
  const before = tool.read(INI);
  const base = await portsInRow(3);
  const servers = [base, base + 2].map((port) => createServer().listen(port, "127.0.0.1"));
  await Promise.all(
    servers.map((server) => new Promise((resume) => server.once("listening", resume))),
  );
  tool.write(deploymentIni([nodeAt(base)]), INI);
  const build = ["--build_package_only", "out", "x"];
  const inUse = (key: string) => new RegExp(`\\[node0\\] ${key} = .*nothing on this host has`);
  await refuses(build, { says: [inUse("p2p_listen_port"), inUse("jsonrpc_listen_port")] });
  assert.equal((await tool.run([...build, "--dry-run", "--no-port-check"])).code, 0);
  for (const server of servers) await new Promise((resume) => server.close(resume));
  tool.write(before, INI);
});

const GENESIS = "conf/group_genesis.ini";
const GENESIS_CASES: readonly (readonly [string, string, RegExp | readonly RegExp[]])[] = [
  ["without sections", "", [/\[group\] group_id is missing/, /\[nodes\] node0 is missing/]],
  [
    "with a member that is no endpoint",
    "[group]\ngroup_id=2\n[nodes]\nnode0=here\n",
    /node0 = "here"/,
  ],
  [
    "with a member twice",
    "[group]\ngroup_id=2\n[nodes]\nnode0=a:1025\nnode1=a:1025\n",
    /node1 = "a:1025".*it stands on line 4 already/,
  ],
  ["with another key", "[group]\ngroup_id=2\n[nodes]\nmember=a:1025\n", /keys are node0, node1/],
  [
    "whose members have no certificates",
    "[group]\ngroup_id=2\n[nodes]\nnode0=a:1025\nnode1=b:1\n",
    [/cert_a_1025\.crt is missing: copy it from the agency/, /cert_b_1\.crt is missing/],
  ],
];
for (const [name, text, says] of GENESIS_CASES) {
  test(`a group_genesis.ini ${name} is refused, and nothing is left`, async () => {
    const before = tool.read(GENESIS);
    tool.write(text, GENESIS);
    await refuses(["-c", "group"], { says });
    assert.ok(!existsSync(tool.path("group")));
    tool.write(before, GENESIS);
  });
}

test("a certificate that is none, and one that two members share, are refused", async () => {
  const before = tool.read(GENESIS);
  tool.write("[group]\ngroup_id=2\n[nodes]\nnode0=a:1025\nnode1=b:1025\n", GENESIS);
  put("nothing", "meta/cert_a_1025.crt");
  put(tool.read("agency/agency.crt"), "meta/cert_b_1025.crt");
  await refuses(["-c", "group"], { says: /cert_a_1025\.crt holds no certificate/ });
  put(tool.read("agency/agency.crt"), "meta/cert_a_1025.crt");
  await refuses(["-c", "group"], { says: /a:1025 and b:1025 have the same node ID/ });
  put("short", "meta/node_a_1025.nodeid");
  put("short", "meta/node_b_1025.nodeid");
  const byId = ["--create_group_genesis_with_nodeid", "group"];
  await refuses(byId, { says: /node_a_1025\.nodeid: 128 hexadecimal digits/ });
  tool.write(before, GENESIS);
});

test("the steps before a package are checked in their order", async () => {
  const build = ["-b", "none.txt", "out"];
  const program = tool.read("meta/chain-node");
  rmSync(tool.path("meta/chain-node"));
  await refuses(build, { says: /meta\/chain-node is not there: generator --download_chain-node/ });
  tool.placeProgram("#!/bin/sh\nexit 3\n");
  await refuses(build, { says: /-v ended with 3/ });
  tool.placeProgram("#!/bin/sh\necho other 1.0\n");
  await refuses(build, { says: /which does not name chain-node/ });
  tool.placeProgram(program);
  await refuses(build, { says: /meta\/ca\.crt is missing/ });
  put(tool.read("chain/ca.crt"), "meta/ca.crt");
  await refuses(build, { says: /none\.txt is missing/ });
  put("127.0.0.1\nx:y\n", "bad.txt");
  await refuses(["-b", "bad.txt", "out"], { says: [/line 1: "127\.0\.0\.1"/, /line 2: "x:y"/] });
  const good = ["-b", "peers.txt", "out"];
  await refuses(good, {
    says: /group\.1\.genesis is missing: \[group\] group_id of conf\/node_depl/,
  });
  const id = "ab".repeat(64);
  const genesis = (group: number) => `[group]\nid=${group}\n[consensus]\nnode.0=${id}\n`;
  put(genesis(2), "meta/group.1.genesis");
  await refuses(good, { says: /is of group 2, not of group 1/ });
  put(genesis(1), "meta/group.1.genesis");
  await refuses(["-b", "peers.txt", "chain"], {
    says: /chain exists already: choose a new folder/,
  });
  await refuses(good, { says: /cert_127\.0\.0\.1_31400\.crt is missing, of \[node0\]/ });
  put(tool.read("agency/agency.crt"), "meta/cert_127.0.0.1_31400.crt");
  await refuses(good, { says: /node_127\.0\.0\.1_31400\/node\.key is missing/ });
});

const CASES: readonly (readonly [string, readonly string[], Refusal])[] = [
  [
    "a living CA",
    ["--generate_chain_certificate", "chain"],
    { says: /ca\.key exists already.*never overwritten/ },
  ],
  [
    "an agency that exists",
    ["--generate_agency_certificate", ".", "chain", "agency"],
    { says: /agency exists already/ },
  ],
  [
    "a name that cannot be",
    ["--generate_agency_certificate", ".", "chain", "a b"],
    { says: /"a b" is no name of an agency/ },
  ],
  [
    "a chain that is not there",
    ["--generate_agency_certificate", ".", "none", "x"],
    { says: /none\/ca\.crt is missing/ },
  ],
  [
    "an agency that is not there",
    ["--generate_node_certificate", ".", "none", "x"],
    { says: /none\/ca\.crt is missing/ },
  ],
  [
    "an SDK without an agency",
    ["--generate_sdk_certificate", "new", "none"],
    { says: /none\/ca\.crt is missing/ },
  ],
  [
    "meta without an agency",
    ALL,
    { says: [/ca\.crt is missing/, /agency\.crt is missing/, /agency\.key is missing/] },
  ],
  [
    "a request that is none",
    ["--sign_agency_request", "chain", "peers.txt", "out"],
    { says: /no certificate request/ },
  ],
  ["folders without a common node", ["-d", "chain", "agency"], { says: /no node in common/ }],
  [
    "a folder that is not there",
    ["-d", "none", "agency"],
    { says: /none: there is no such folder/ },
  ],
  [
    "a file of another name",
    ["-a", "peers.txt", "chain"],
    { says: /has to be group\.<id>\.genesis/ },
  ],
  ["group 0", ["-a", "group.0.genesis", "chain"], { says: /has to be group\.<id>\.genesis/ }],
  [
    "a genesis that is not there",
    ["-a", "group.7.genesis", "chain"],
    { says: /group\.7\.genesis is missing/ },
  ],
  ["peers for no node", ["-p", "peers.txt", "chain"], { says: /no folder of a node/ }],
  ["a config.ini that is not there", ["-m", "a.ini", "b.ini"], { says: /a\.ini is missing/ }],
  [
    "SDK files in a folder that is there",
    ["--get_sdk_file", "chain"],
    { says: /chain exists already/ },
  ],
  [
    "a tool folder that is there",
    ["--create_tool_folder", "chain"],
    { says: /chain exists already/ },
  ],
  ["SM TLS", ["-b", "peers.txt", "out", "-G"], { says: /SM TLS for SDKs \(-G\) is not offered/ }],
  ["no option", [], { code: 2, says: [/^ERROR \| invalid operation/, /^usage: generator/m] }],
  ["an unknown option", ["--nothing"], { code: 2, says: /--nothing is no option of generator/ }],
  [
    "an option without its arguments",
    ["-b", "one"],
    { code: 2, says: /-b needs 2 arguments: PEERS_FILE OUT_DIR/ },
  ],
  [
    "an option in the place of an argument",
    ["-c", "--json"],
    { code: 2, says: /-c needs one argument: DIR/ },
  ],
];
for (const [name, args, refusal] of CASES) {
  test(`${name}: a message, code ${refusal.code ?? 1}, and nothing changes`, () =>
    refuses(args, refusal));
}

test("the help begins as installation checks expect, and the version is one line", async () => {
  const help = await tool.run(["-h"]);
  assert.equal(help.code, 0);
  assert.match(help.stdout, /^usage: generator/);
  const version = await tool.run(["-c", "x", "--version"]);
  assert.equal(version.code, 0);
  assert.match(version.stdout, /^generator \d+\.\d+\.\d+\n$/);
});

test("the first action in the documented order wins", async () => {
  const both = ["--generate_chain_certificate", "x", "-c", "chain"];
  const { stderr } = await tool.run(both);
  assert.match(stderr, /^INFO \| create group genesis chain begins$/m);
});

test("a dry run says what it would write, and writes nothing", async () => {
  const before = contentBelow(tool.tool);
  const args = ["--generate_chain_certificate", "other", "--dry-run"];
  const { code, stdout } = await tool.run(args);
  assert.equal(code, 0);
  assert.equal(stdout, `${tool.path("other/ca.key")}\n${tool.path("other/ca.crt")}\n`);
  const json = JSON.parse((await tool.run([...args, "--json"])).stdout);
  assert.deepEqual(json, {
    dryRun: true,
    files: ["other/ca.key", "other/ca.crt"].map((n) => tool.path(n)),
  });
  assert.deepEqual(contentBelow(tool.tool), before);
});

test("a run brackets its work with lines on standard error, and keeps them in its log", async () => {
  const args = ["--generate_chain_certificate", "logged", "--organisation", "Our Company"];
  const { code, stderr } = await tool.run(args);
  assert.equal(code, 0);
  const work = "INFO | generate chain certificate logged";
  assert.equal(stderr, `${work} begins\n${work} ends\n`);
  assert.match(tool.read("log/all.log"), /Z \| INFO \| generate chain certificate logged ends\n/);
});
