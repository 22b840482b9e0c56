// rules: generator 9, generator 9.1, generator 9.2, generator 9.3, sm-suite 7, interface 2.7
import assert from "node:assert/strict";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { isAbsolute, join } from "node:path";
import { afterEach, beforeEach, test } from "vitest";
import { parseCertificates } from "../../../../runtimes/folder/certificate.ts";
import { verifyChain } from "../../../../runtimes/formats/certificates/certificate-chain.ts";
import { readGenesisFile } from "../../../../runtimes/formats/config/genesis-file.ts";
import { readNodeConfig } from "../../../../runtimes/formats/config/node-config.ts";
import {
  contentBelow,
  deploymentIni,
  filesBelow,
  nodeAt,
  type ToolEnd,
  ToolFolder,
} from "../../../support/generator/tool.ts";
import { inFull } from "../../../support/runner/in-full.ts";

let tool: ToolFolder;
const SUCCESS = /run one_click_generator successful!\n$/;

beforeEach(async () => {
  tool = await ToolFolder.create();
  agency("work/A", [32_300, 32_310]);
  agency("work/B", [32_320]);
});

afterEach(() => tool.remove());

/** A folder of an agency below the tool folder. */
function agency(folder: string, bases: readonly number[], group = 1): void {
  mkdirSync(tool.path(folder), { recursive: true });
  const text = deploymentIni(
    bases.map((base) => nodeAt(base)),
    group,
  );
  tool.write(text, folder, "node_deployment.ini");
}

function oneClick(...args: readonly string[]): Promise<ToolEnd> {
  return tool.run(["one-click", ...args, "--no-port-check"]);
}

async function builds(...args: readonly string[]): Promise<ToolEnd> {
  const end = await oneClick(...args);
  assert.equal(end.code, 0, end.stderr);
  assert.match(end.stdout, SUCCESS);
  return end;
}

/** A run fails with a message, and changes nothing. */
async function refuses(args: readonly string[], says: RegExp, code = 1): Promise<void> {
  const before = contentBelow(tool.tool);
  const end = await oneClick(...args);
  assert.equal(end.code, code, end.stderr);
  assert.match(end.stderr, says);
  assert.doesNotMatch(end.stdout, /successful/);
  assert.deepEqual(contentBelow(tool.tool), before);
}

/** A folder for an expansion, with what it needs of the chain. */
function expansion(): void {
  mkdirSync(tool.path("more"));
  for (const name of ["ca.crt", "ca.key", "peers.txt", "group.1.genesis"]) {
    cpSync(tool.path("work", name), tool.path("more", name));
  }
  agency("more/A", [32_400]);
  agency("more/C", [32_410]);
  cpSync(tool.path("work/A/agency_cert"), tool.path("more/A/agency_cert"), { recursive: true });
}

test("a work folder becomes what is documented", async () => {
  await builds("-b", "./work");
  assert.deepEqual(readdirSync(tool.path("work")).sort(), [
    ...["A", "B", "ca.crt", "ca.key", "group.1.genesis", "peers.txt"],
  ]);
  const own = ["agency_cert", "generator-agency", "node", "node_deployment.ini", "sdk"];
  assert.deepEqual(readdirSync(tool.path("work/A")).sort(), own);
  const cert = ["agency.crt", "agency.key", "ca.crt"];
  assert.deepEqual(filesBelow(tool.path("work/A/agency_cert")), cert);
  assert.deepEqual(readdirSync(tool.path("work/A/node")).sort(), [
    ...["monitor", "node_127.0.0.1_32300", "node_127.0.0.1_32310", "scripts"],
    ...["start_all.cmd", "start_all.sh", "stop_all.cmd", "stop_all.sh"],
  ]);
  // A program placed by hand can be changed at one node alone.
  const programs = ["A/node/node_127.0.0.1_32300", "A/node/node_127.0.0.1_32310"].map(
    (node) => statSync(tool.path("work", node, "chain-node")).ino,
  );
  assert.equal(new Set(programs).size, 2);
  assert.equal(tool.read("work/peers.txt"), "127.0.0.1:32300\n127.0.0.1:32310\n127.0.0.1:32320\n");
  const genesis = readGenesisFile(tool.read("work/group.1.genesis"), "x").value.genesis;
  const nodes = ["A/node/node_127.0.0.1_32300", "A/node/node_127.0.0.1_32310"];
  const ids = [...nodes, "B/node/node_127.0.0.1_32320"].map((node) =>
    tool.read("work", node, "conf/node.nodeid").trim(),
  );
  assert.deepEqual(genesis.sealers, ids);
  // Nothing of the work stays in the exchange area of the tool.
  assert.deepEqual(readdirSync(tool.path("meta")).sort(), ["README.txt", "chain-node"]);
});

test("certificates carry the names of agencies, of which peers are told", async () => {
  await builds("-b", "work");
  const authorities = parseCertificates(tool.read("work/ca.crt"));
  for (const [name, port] of [
    ["A", 32_310],
    ["B", 32_320],
  ] as const) {
    const path = `work/${name}/node/node_127.0.0.1_${port}/conf/node.crt`;
    const chain = parseCertificates(tool.read(path));
    const verdict = verifyChain(chain, { authorities, now: Date.now() });
    assert.ok(verdict.ok && verdict.agency === name && verdict.node === `node_127.0.0.1_${port}`);
  }
});

// The same run with another path.
inFull("an absolute work folder does the same, and --json tells what was made", async () => {
  const end = await oneClick("-build", tool.path("work"), "--json");
  assert.equal(end.code, 0, end.stderr);
  const { agencies, groups, peers, folder } = JSON.parse(end.stdout.split("\n")[0] ?? "");
  assert.deepEqual([groups, folder, peers.length], [[1], tool.path("work"), 3]);
  const [node] = agencies[0].nodes;
  assert.equal(node.name, "node_127.0.0.1_32300");
  assert.ok(isAbsolute(node.folder) && existsSync(join(node.folder, "config.ini")));
});

test("agencies get the tool with its owner's templates, and can go on by themselves", async () => {
  tool.write(
    `; ours\n${tool.read("tpl/config.ini")}`.replace("level=info", "level=debug"),
    "tpl/config.ini",
  );
  // Not everything that people put there is a text for all.
  const bytes = Buffer.from([0xff, 0xfe, 0]);
  writeFileSync(tool.path("conf/secret.bin"), bytes, { mode: 0o600 });
  await builds("-b", "work");
  const copies = ["A", "B"].map((name) =>
    tool.path("work", name, "generator-agency/conf/secret.bin"),
  );
  for (const copy of copies) {
    assert.deepEqual(readFileSync(copy), bytes);
    assert.equal(statSync(copy).mode & 0o777, 0o600);
  }
  assert.equal(new Set(copies.map((copy) => statSync(copy).ino)).size, 2);
  const config = tool.read("work/A/node/node_127.0.0.1_32310/config.ini");
  assert.match(config, /^; ours\n/);
  const { value } = readNodeConfig(config, "config.ini");
  assert.deepEqual(
    [value.log.level, value.p2p.listen.port, value.p2p.peers.length],
    ["debug", 32_310, 3],
  );
  const home = tool.path("work/A/generator-agency");
  const genesis = "[group]\ngroup_id=3\n[nodes]\nnode0=127.0.0.1:32300\n";
  writeFileSync(join(home, "conf/group_genesis.ini"), genesis);
  const made = await tool.run(["-c", "group"], home);
  assert.equal(made.code, 0, made.stderr);
  const sdk = await tool.run(["--get_sdk_file", "again"], home);
  assert.equal(sdk.code, 0, sdk.stderr);
  assert.match(tool.read("work/A/generator-agency/tpl/config.ini"), /^; ours\n/);
});

test("a second -b leaves the living chain as it is", async () => {
  await builds("-b", "work");
  await refuses(["-b", "work"], /generator-agency exists already/);
  for (const name of ["A", "B"]) {
    rmSync(tool.path("work", name, "generator-agency"), { recursive: true });
  }
  await refuses(["-b", "work"], /ca\.key exists already: a chain lives by it/);
});

test("nodes are added for an agency of the chain and for a new one", async () => {
  await builds("-b", "work");
  expansion();
  const key = tool.read("more/A/agency_cert/agency.key");
  await builds("-e", "./more");
  assert.equal(tool.read("more/A/agency_cert/agency.key"), key);
  assert.equal(tool.read("more/peers.txt").trim().split("\n").length, 5);
  assert.equal(tool.read("more/ca.key"), tool.read("work/ca.key"));
  const authorities = parseCertificates(tool.read("work/ca.crt"));
  for (const [name, port] of [
    ["A", 32_400],
    ["C", 32_410],
  ] as const) {
    const node = `more/${name}/node/node_127.0.0.1_${port}`;
    const chain = parseCertificates(tool.read(node, "conf/node.crt"));
    const verdict = verifyChain(chain, { authorities, now: Date.now() });
    assert.ok(verdict.ok && verdict.agency === name);
    assert.equal(tool.read(node, "conf/group.1.genesis"), tool.read("work/group.1.genesis"));
    const { value } = readNodeConfig(tool.read(node, "config.ini"), "config.ini");
    assert.equal(value.p2p.peers.length, 5);
  }
  // Nothing has to be cleaned before the next one.
  mkdirSync(tool.path("last"));
  agency("last/X", [32_500]);
  await builds("-b", "last");
});

test("folders of an earlier run give way under another name", async () => {
  mkdirSync(tool.path("work/A/node"));
  tool.write("kept", "work/A/node/notes.txt");
  await builds("-b", "work");
  const aside = readdirSync(tool.path("work/A")).find((name) => /^node_\d+$/.test(name));
  assert.ok(aside !== undefined);
  assert.equal(tool.read("work/A", aside, "notes.txt"), "kept");
});

const REFUSALS: readonly (readonly [string, () => void, RegExp])[] = [
  [
    "an agency without its file",
    () => rmSync(tool.path("work/B/node_deployment.ini")),
    /B\/node_deployment\.ini is missing/,
  ],
  [
    "the same port of two agencies on a host",
    () => agency("work/B", [32_300]),
    /B\/node_depl\S+, line \d+, \[node0\] p2p_listen_port = "32300".*of \[node0\] of A\/node_dep/,
  ],
  [
    "groups that differ",
    () => agency("work/B", [32_320], 2),
    /begin in one group, and A has 1, B has 2/,
  ],
  [
    "a name that no certificate can have",
    () => agency("work/B C", [32_330]),
    /the name of an agency has/,
  ],
  [
    "an agency_cert of another chain",
    () => {
      mkdirSync(tool.path("work/A/agency_cert"));
      tool.write("x", "work/A/agency_cert/agency.crt");
    },
    /agency_cert is of a chain that is there already/,
  ],
  [
    "meta in use",
    () => tool.write("x", "meta/cert_1.1.1.1_30300.crt"),
    /meta holds cert_1\.1\.1\.1_30300\.crt of other work/,
  ],
];
for (const [name, prepare, says] of REFUSALS) {
  test(`${name} stops -b before anything is written`, async () => {
    prepare();
    await refuses(["-b", "work"], says);
  });
}

test("a work folder without agencies, and one that is not there, are named", async () => {
  mkdirSync(tool.path("empty"));
  await refuses(["-b", "empty"], /no agency folder found in .*empty/);
  await refuses(["-b", "nowhere"], /nowhere: there is no such folder/);
});

test("an expansion names all that it needs of the chain", async () => {
  agency("more/C", [32_410], 7);
  await refuses(
    ["-e", "more"],
    /ca\.crt is missing.*\n.*ca\.key is missing.*\n.*peers\.txt is missing.*\n.*group\.7\.genesis/,
  );
});

// checks.test.ts has what is refused.
inFull("an expansion refuses nodes of the chain, and an agency of another chain", async () => {
  await builds("-b", "work");
  expansion();
  agency("more/C", [32_320]);
  await refuses(["-e", "more"], /127\.0\.0\.1:32320 of peers\.txt is a node of the chain already/);
  agency("more/C", [32_410]);
  agency("other/X", [32_700]);
  await builds("-b", "other");
  rmSync(tool.path("more/A/agency_cert"), { recursive: true });
  cpSync(tool.path("other/X/agency_cert"), tool.path("more/A/agency_cert"), { recursive: true });
  await refuses(["-e", "more"], /agency_cert is of another chain than ca\.crt next to it/);
});

test("no command, an unknown one and a missing folder are usage errors", async () => {
  await refuses([], /no command is given|--no-port-check is no command/, 2);
  await refuses(["-x"], /-x is no command/, 2);
  await refuses(["-b"], /-b needs the work folder/, 2);
  await refuses(["-b", "work", "--organisation"], /--organisation needs one argument: NAME/, 2);
  await refuses(["-b", "work", "--organisation= "], /--organisation " " is not allowed/, 2);
  await refuses(["-b", "work", "--cdn"], /--cdn is for downloads: place the program with/, 2);
  const help = await tool.run(["one-click", "help"]);
  assert.equal(help.code, 0);
  assert.match(help.stdout, /^usage: one_click_generator\.sh/);
});

test("-clean asks about each item; no answer is no", async () => {
  tool.write("x", "meta/cert_a_1.crt");
  tool.write("x", "meta/agency.key");
  tool.write("x", "meta/group.1.genesis");
  const silent = await tool.run(["one-click", "-clean"]);
  assert.match(silent.stderr, /delete .*agency\.key\? \(y\/n\) delete .*cert_a_1\.crt\?/);
  assert.ok(existsSync(tool.path("meta/agency.key")));
  await tool.run(["one-click", "clean"], tool.tool, ["n", "y"]);
  assert.deepEqual(
    [existsSync(tool.path("meta/agency.key")), existsSync(tool.path("meta/cert_a_1.crt"))],
    [true, false],
  );
  await builds("-clean", "--yes");
  assert.deepEqual(readdirSync(tool.path("meta")).sort(), [
    "README.txt",
    "chain-node",
    "group.1.genesis",
  ]);
});

test("-clean offers all that stands in the way of -b, and removes nothing in a dry run", async () => {
  tool.write("x", "meta/agency.key");
  tool.write("x", "meta/ca.srl");
  await refuses(["-b", "work"], /meta holds agency\.key, ca\.srl of other work/);
  const dry = await tool.run(["one-click", "-clean", "--dry-run", "--yes", "--json"]);
  assert.deepEqual(JSON.parse(dry.stdout), {
    dryRun: true,
    removed: [tool.path("meta/agency.key"), tool.path("meta/ca.srl")],
  });
  assert.match(dry.stderr, /agency\.key would be removed/);
  assert.ok(existsSync(tool.path("meta/agency.key")));
  await builds("-clean", "--yes");
  await builds("-b", "work");
});

// build-chain.test.ts and init-layout.test.ts have its files.
inFull("a chain of the national algorithms has files whose names begin with gm", async () => {
  await builds("-b", "work", "-g");
  const node = "work/A/node/node_127.0.0.1_32300";
  const gm = ["gmca.crt", "gmennode.crt", "gmennode.key", "gmnode.crt", "gmnode.key"];
  const origin = ["ca.crt", "node.crt", "node.key"].map((name) => `origin_cert/${name}`);
  const texts = ["gmnode.nodeid", "gmnode.serial", "group.1.genesis", "group.1.ini"];
  assert.deepEqual(filesBelow(tool.path(node, "conf")), [...gm, ...texts, ...origin].sort());
  assert.deepEqual(readdirSync(tool.path("work")).sort(), [
    "A",
    "B",
    "ca.crt",
    "ca.key",
    "gmca.crt",
    "gmca.key",
    "group.1.genesis",
    "peers.txt",
  ]);
  const sdk = filesBelow(tool.path("work/A/sdk")).filter((name) => name.startsWith("gm/"));
  assert.deepEqual(
    sdk,
    ["gmca.crt", "gmensdk.crt", "gmensdk.key", "gmsdk.crt", "gmsdk.key"].map((n) => `gm/${n}`),
  );
  const { value } = readNodeConfig(tool.read(node, "config.ini"), "config.ini");
  assert.ok(value.chain.nationalCrypto);
  const authorities = parseCertificates(tool.read("work/gmca.crt"));
  const chain = parseCertificates(tool.read(node, "conf/gmnode.crt"));
  const verdict = verifyChain(chain, { authorities, now: Date.now() });
  assert.ok(verdict.ok);
  assert.equal(tool.read(node, "conf/gmnode.nodeid"), `${verdict.nodeId}\n`);
  mkdirSync(tool.path("more"));
  for (const name of ["ca.crt", "ca.key", "gmca.crt", "gmca.key", "peers.txt", "group.1.genesis"]) {
    cpSync(tool.path("work", name), tool.path("more", name));
  }
  agency("more/C", [32_410]);
  cpSync(tool.path("work/A/agency_cert"), tool.path("more/C/agency_cert"), { recursive: true });
  // The certificates of SDK ports are those of another chain.
  await tool.run(["--generate_chain_certificate", "other"]);
  await tool.run(["--generate_agency_certificate", "others", "other", "A"]);
  cpSync(tool.path("others/A"), tool.path("more/C/agency_cert"), { recursive: true });
  await refuses(["-e", "more", "-g"], /agency_cert is of another chain than gmca\.crt next to it/);
  rmSync(tool.path("more/C/agency_cert"), { recursive: true });
  await builds("-e", "more", "-g");
});

// Drafts and names come from the input alone in the tests above.
inFull("the same input gives the same structure", async () => {
  await builds("-b", "work");
  const first = filesBelow(tool.path("work"));
  agency("again/A", [32_300, 32_310]);
  agency("again/B", [32_320]);
  await builds("-b", "again");
  assert.deepEqual(filesBelow(tool.path("again")), first);
});
