/** The doctor on a chain of which no node runs: what it finds, and what each fault looks like. */
import type { ProcessHealth } from "../../../../runtimes/node/observe/port-user.ts";
import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import { createChainFolder } from "../../../../runtimes/folder/chain-folder.ts";
import type { AbstentionView } from "../../../../core/consensus/abstention.ts";
import { planChain } from "../../../../runtimes/folder/chain-layout.ts";
import { replaceList } from "../../../../runtimes/formats/config/ini-edit.ts";
import { createNodeEntropy } from "../../../../runtimes/node/machine/entropy.ts";
import { diagnose, doctorScreen } from "../../../../runtimes/node/cli/watch/doctor.ts";
import {
  checkIdentity,
  checkUsedCertificate,
} from "../../../../runtimes/node/observe/doctor-folder.ts";
import { checkGroups } from "../../../../runtimes/node/observe/doctor-groups.ts";
import { errorOf } from "../../../../runtimes/node/observe/doctor-log.ts";
import { checkClocks, checkPeers } from "../../../../runtimes/node/observe/doctor-network.ts";
import { findNodeFolders } from "../../../../runtimes/node/observe/node-folders.ts";
import { probeNode } from "../../../../runtimes/node/observe/node-probe.ts";
import { markDamaged } from "../../../../runtimes/node/store/repaired-ledger.ts";
import type { GroupHealth } from "../../../../runtimes/shared/health.ts";
import type { SealerVote } from "../../../../runtimes/shared/sealer-votes.ts";
import { nodeIdOf } from "../../../support/data-node.ts";
import { steadyPorts } from "../../../support/process/dev-process.ts";

let home = "";
let port = 0;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "doctor-"));
  port = await steadyPorts(6);
  const plan = planChain({
    nodes: 2,
    agencies: ["agency"],
    groups: [{ id: 1, consensus: "pbft" }],
    host: "127.0.0.1",
    basePorts: { rpc: port, channel: port + 2, p2p: port + 4 },
  });
  const entropy = createNodeEntropy();
  const program = { runtime: process.execPath, entry: "" };
  await createChainFolder(join(home, "chain"), plan, {
    entropy,
    now: Date.now(),
    days: 20,
    program,
  });
});

afterAll(() => rm(home, { recursive: true, force: true }));

const node = (index: number) => join(home, "chain", `node${index}`);

async function linesOf(index: number): Promise<string[]> {
  const [folder] = await findNodeFolders(node(index));
  assert.ok(folder);
  const { verdicts } = await diagnose(folder);
  return verdicts.map(({ check, outcome, says, next }) => {
    assert.equal(next !== undefined, outcome === "warning" || outcome === "failure", says);
    return `${outcome} ${check}: ${says}`;
  });
}

async function edit(path: string, change: (text: string) => string): Promise<() => Promise<void>> {
  const before = await readFile(path, "utf8");
  await writeFile(path, change(before));
  return () => writeFile(path, before);
}

test("a fresh folder: all is in order but what 20 days and a lonely node deserve", async () => {
  const lines = await linesOf(0);
  const bad = lines.filter((line) => !line.startsWith("ok") && !line.startsWith("note"));
  assert.equal(bad.length, 3, bad.join("\n"));
  assert.equal(bad[0], "warning process: it does not run");
  assert.match(bad[1] ?? "", /^warning certificate: ends in (19|20) days$/);
  assert.match(bad[2] ?? "", new RegExp(`^failure peers: 127\\.0\\.0\\.1:${port + 5}: .+`));
  for (const line of [
    "ok config: config.ini is read",
    `ok ports: [rpc] jsonrpc_listen_port = ${port} is free`,
    `ok ports: [p2p] listen_port = ${port + 4} is free`,
    "note clock: no peer has reported its time",
    "note log: there is no log file",
  ])
    assert.ok(lines.includes(line), `${line}\n${lines.join("\n")}`);
});

test("a port of another program, a config that cannot be read, keys of another node", async () => {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(port + 5, "127.0.0.1", listening));
  try {
    const lines = await linesOf(1);
    const held = `process ${process.pid} (node`;
    const said = `failure ports: [p2p] listen_port = ${port + 5} at 127.0.0.1: ${held}`;
    assert.ok(
      lines.some((line) => line.startsWith(said)),
      lines.join("\n"),
    );
  } finally {
    server.close();
  }
  const config = join(node(1), "config.ini");
  const restore = await edit(config, (text) => text.replace(/listen_port=\d+/, "listen_port=x"));
  assert.match((await linesOf(1)).join("\n"), /^failure config: .*listen_port/m);
  await restore();
  const undo = await edit(join(node(1), "conf", "node.key"), () => "");
  await writeFile(
    join(node(1), "conf", "node.key"),
    await readFile(join(node(0), "conf", "node.key")),
  );
  assert.match((await linesOf(1)).join("\n"), /^failure keys: .*key/m);
  await undo();
  await chmod(join(node(1), "conf", "node.key"), 0o644);
  const open = /^warning key file: others may read \S*node1.conf.node\.key$/m;
  assert.match((await linesOf(1)).join("\n"), open);
  await chmod(join(node(1), "conf", "node.key"), 0o600);
});

test("a ledger that is gone, one that is damaged, a status without a word", async () => {
  const data = join(node(0), "data", "group1");
  await mkdir(join(data, "block"), { recursive: true });
  await writeFile(join(data, "block.made"), "");
  await writeFile(join(data, ".group_status"), "RUNNIN");
  const gone = (await linesOf(0)).join("\n");
  assert.match(gone, /^failure ledger 1: .* is gone, and it was there before$/m);
  assert.match(gone, /^failure group 1: .* holds no status word$/m);
  await writeFile(join(data, "block", "CURRENT"), "MANIFEST-000004\n");
  assert.match((await linesOf(0)).join("\n"), /^failure ledger 1: .* MANIFEST-000004 is missing$/m);
  await writeFile(join(data, "block", "MANIFEST-000004"), "");
  await writeFile(join(data, ".group_status"), "RUNNING");
  const whole = (await linesOf(0)).join("\n");
  assert.match(whole, /^ok ledger 1: it has no mark of this node$/m);
  assert.match(whole, /^ok group 1: its status is RUNNING: it starts with the node$/m);
  await markDamaged(join(data, "block"), "StoreFault: 000005.ldb");
  assert.match(
    (await linesOf(0)).join("\n"),
    /^warning ledger 1: .* is marked as damaged: a start/m,
  );
  await rm(join(data, "block", "DAMAGED"));
});

test("what group.N.ini and the genesis file hold that a node reads otherwise is reported", async () => {
  const conf = join(node(0), "conf");
  const restore = await edit(join(conf, "group.1.ini"), () =>
    ["[tx_pool]", "limit=150000", "txs_expiration_time=1", "limits=5", ""].join("\n"),
  );
  const said = (await linesOf(0)).filter((line) => line.startsWith("warning group 1: "));
  assert.equal(said.length, 2, said.join("\n"));
  const place = `${join(conf, "group.1.ini")}, line`;
  assert.ok(
    said.some((line) => line.includes(`${place} 3, [tx_pool] txs_expiration_time: "1" acts as 3`)),
  );
  assert.ok(said.some((line) => line.includes(`${place} 4, [tx_pool] limits`)));
  await restore();
  const undo = await edit(join(conf, "group.1.genesis"), (text) => `${text}\n[no]\nsuch=1\n`);
  const lines = (await linesOf(0)).join("\n");
  assert.match(lines, /^warning group 1: \S+group\.1\.genesis, line \d+, \[no\]/m);
  await undo();
});

test("what an interrupted generation left is no genesis file that was lost", async () => {
  const data = join(node(0), "data", "group7");
  await mkdir(data, { recursive: true });
  await writeFile(join(data, ".group_status"), "STOPPED");
  const lines = (await linesOf(0)).join("\n");
  const left = `note group 7: its generation was interrupted; the next start removes ${data}`;
  assert.ok(lines.includes(left), lines);
  await writeFile(join(data, "other"), "");
  assert.match((await linesOf(0)).join("\n"), /^failure group 7: \S+ is missing, but/m);
  await rm(data, { recursive: true });
});

test("a genesis file that is gone, a ledger that log files miss, a file from the future", async () => {
  const undoGenesis = await edit(join(node(0), "conf", "group.1.genesis"), (text) => text);
  await rm(join(node(0), "conf", "group.1.genesis"));
  const gone = (await linesOf(0)).join("\n");
  assert.match(gone, /^failure group 1: .*group\.1\.genesis is missing, but .*group1 is there$/m);
  await undoGenesis();
  const later = Date.now() / 1_000 + 600;
  await utimes(join(node(0), "data", "group1", "block", "CURRENT"), later, later);
  const ahead = (await linesOf(0)).join("\n");
  assert.match(ahead, /^warning clock: .*CURRENT was written (599|600) s in the future$/m);
  await rm(join(node(0), "data"), { recursive: true });
  await mkdir(join(node(0), "log"), { recursive: true });
  const log = join(node(0), "log", "log_2026112105.00.log");
  const failed = { level: "error", msg: "the node cannot start", cause: "the port is in use" };
  await writeFile(log, `${JSON.stringify(failed)}\n`);
  // A node that has never run has lost nothing, and its start is not all there is to say.
  const never = (await linesOf(0)).join("\n");
  assert.match(
    never,
    /^failure process: it does not run, its last start failed: the port is in use$/m,
  );
  assert.doesNotMatch(never, /^\w+ ledger 1:|cannot start/m);
  const sealed = { level: "info", msg: "[g:1] ++++ Generating seal on", number: 1 };
  await writeFile(log, `${JSON.stringify(sealed)}\n`);
  const lost = (await linesOf(0)).join("\n");
  assert.match(
    lost,
    /^warning ledger 1: there is no ledger in .*, but log files show that this node has sealed$/m,
  );
});

test("lists that shut out sealers or the node itself, an ID that is not the key's", async () => {
  const [own = "", other = ""] = await Promise.all(
    [0, 1].map(async (index) =>
      (await readFile(join(node(index), "conf", "node.nodeid"), "utf8")).trim(),
    ),
  );
  const config = join(node(0), "config.ini");
  const list =
    (section: string, key: string, ...ids: readonly string[]) =>
    (text: string) =>
      replaceList(text, { section, stem: `${key}.` }, ids);
  const black = await edit(config, list("certificate_blacklist", "crl", own, other));
  const refused = (await linesOf(0)).join("\n");
  assert.match(refused, /^warning lists: this node's own ID is in \[certificate_blacklist\]$/m);
  const sealer = other.slice(0, 8);
  assert.match(
    refused,
    new RegExp(`^warning lists: \\[certificate_blacklist\\] refuses sealer ${sealer} `, "m"),
  );
  await black();
  const white = await edit(config, list("certificate_whitelist", "cal", own));
  assert.match((await linesOf(0)).join("\n"), /^warning lists: \[certificate_whitelist\] refuses/m);
  await white();
  const noted = await edit(join(node(0), "conf", "node.nodeid"), () => other);
  assert.match(
    (await linesOf(0)).join("\n"),
    /^warning node ID: .*holds another ID than the key$/m,
  );
  await noted();
  assert.doesNotMatch((await linesOf(0)).join("\n"), /lists|node ID/);
});

test("an address that is not set, or that peers elsewhere cannot reach", async () => {
  const config = join(node(0), "config.ini");
  const unset = await edit(config, (text) => text.replace(/^ *listen_ip=.*$/m, ""));
  const [folder] = await findNodeFolders(node(0));
  assert.ok(folder);
  const { verdicts } = await diagnose(folder);
  const found = verdicts.find(({ says }) => /listen_ip.*is not set/.test(says));
  assert.match(found?.next ?? "", /^Set it: 127\.0\.0\.1 for this host only/);
  await unset();
  const none = await edit(config, (text) => text.replace(/^( *listen_ip=).*$/m, "$1192.0.2.77"));
  const { verdicts: absent } = await diagnose(folder);
  const port = absent.find(({ says }) => /192\.0\.2\.77: this host does not have/.test(says));
  assert.match(port?.next ?? "", /as \[p2p\] listen_ip\.$/);
  await none();
  const far = await edit(config, (text) => text.replace(/^( *node\.0=).*$/m, "$1192.0.2.9:1"));
  const said = (await linesOf(0)).join("\n");
  await far();
  assert.match(said, /^warning config: .*peers such as 192\.0\.2\.9 cannot connect here$/m);
});

test("a certificate that is lost, of another key, or not valid yet has its own next step", async () => {
  const path = join(node(0), "conf", "node.crt");
  const undo = await edit(path, (text) => text);
  const nextOf = async (now = Date.now()) => {
    const [folder] = await findNodeFolders(node(0));
    const { config } = await probeNode(folder ?? assert.fail());
    const { verdicts } = await checkIdentity(node(0), config ?? assert.fail(), now);
    return verdicts[0]?.next ?? "";
  };
  assert.match(await nextOf(Date.now() - 86_400_000), /^Set the clock of this host by NTP/);
  await rm(path);
  assert.match(await nextOf(), /chain-node cert issue --key .*node\.key/);
  await writeFile(path, await readFile(join(node(1), "conf", "node.crt")));
  const mixed = (await linesOf(0)).join("\n");
  assert.match(mixed, /^failure keys: .*the node's own key is not the key of its certificate/m);
  await undo();
});

test("groups of a node that answers are judged by what it says, not by their words", async () => {
  const [folder] = await findNodeFolders(node(0));
  const probe = await probeNode(folder ?? assert.fail());
  const { config } = probe;
  assert.ok(config);
  await mkdir(join(node(0), "data", "group1"), { recursive: true });
  await writeFile(join(node(0), "data", "group1", ".group_status"), "RUNNING");
  const said = async (group: Partial<GroupHealth>) => {
    const base = { group: 1, status: "RUNNING", running: true, role: "sealer", height: 7 } as const;
    const health = { groups: [{ ...base, ...group }] } as unknown as ProcessHealth;
    const verdicts = await checkGroups({ ...probe, health }, config);
    return verdicts
      .filter(({ check }) => check === "group 1")
      .map(({ outcome, says, next }) => `${outcome} ${says} ${next ?? ""}`.trim());
  };
  assert.deepEqual(await said({}), ["ok runs, sealer at block 7"]);
  const [failed = ""] = await said({ running: false, failure: "the disk is full" });
  assert.match(failed, /^failure does not run: the disk is full Repair that/);
  const [repairing = ""] = await said({ running: false, failure: "repairing: at block 1 of 9" });
  assert.match(repairing, /of 9 Wait: its ledger is built anew/);
  const refusal = "block 1 is refused by this node, a quorum executed it to 0x1";
  const [refused = ""] = await said({ running: false, failure: refusal });
  assert.match(refused, /^failure does not run: block 1 is refused .* Compare .*group\.1\.genesis/);
  const [free = ""] = await said({ role: "none" });
  assert.match(
    free,
    /^warning this node has no role in it.* chain-node role .*node0 --as observer/,
  );
  assert.match((await said({ behind: 50 })).join(), /^failure is 50 blocks behind/);
  const [stalled = ""] = await said({
    stall: { cause: "2 of 4 sealers are connected", seconds: 9 },
    sealerVotes: [{ nodeId: nodeIdOf("a1"), voting: "missing" }],
  });
  assert.match(stalled, /^failure has not been able to write .*connected Start, or .* a1a1a1a1\.$/);
  const [quiet = ""] = await said({ quietSeconds: 40 });
  assert.match(quiet, /^warning has learned of no member for 40 s .* Run chain-node status/);
  const silence = { cause: "copied", until: 12, needsOperator: false } as AbstentionView;
  const [silent = ""] = await said({ silence });
  assert.match(silent, /^warning follows as a silent observer, .*until it stands at block 12/);
  assert.match(silent, /chain-node confirm .*node0 --group 1$/);
  const quorum = 3;
  const vote = (id: string, voting: SealerVote["voting"]) => ({ nodeId: nodeIdOf(id), voting });
  const most = [vote("a1", "votes"), vote("a2", "votes"), vote("a4", "unknown")];
  assert.deepEqual(await said({ quorum, sealerVotes: [...most, vote("a3", "missing")] }), [
    "ok runs, sealer at block 7; 3 of 4 sealers vote (1 not known to), 3 are needed",
  ]);
  assert.deepEqual(await said({ quorum, sealerVotes: [...most, vote("a3", "silent")] }), [
    "warning 3 of 4 sealers vote (1 not known to), 3 are needed; not voting: a3a3a3a3 its data " +
      "may be older than its votes Where no other copy runs, chain-node confirm DIR --group 1 on " +
      "a3a3a3a3.",
  ]);
  const past = { aheadOfClockMs: -3_600_000, aheadOfPeersMs: -3_600_000, isAhead: false };
  assert.deepEqual(await said({ blockTime: past }), ["ok runs, sealer at block 7"]);
  const [ahead = ""] = await said({
    blockTime: { aheadOfClockMs: 60_400, aheadOfPeersMs: 59_700, isAhead: true },
  });
  assert.match(
    ahead,
    /^warning has a newest block that is 60 s ahead of the clocks of most peers:/,
  );
  const [other = ""] = await said({ otherGenesis: [nodeIdOf("a1")] });
  assert.match(
    other,
    /^failure has another genesis block than 1 of its peers \(a1a1a1a1\) Compare/,
  );
  assert.deepEqual(await said({ running: false, status: "STOPPED" }), [
    "note its status is STOPPED",
  ]);
  await rm(join(node(0), "data"), { recursive: true });
});

test("errors of the last day are shown, the newest last, older ones and others are not", async () => {
  const now = Date.now();
  const line = (level: string, time: number, msg: string) => JSON.stringify({ level, time, msg });
  await mkdir(join(node(0), "log"), { recursive: true });
  const lines = [
    line("error", now - 90_000_000, "long ago"),
    ...[1, 2, 3, 4].map((index) => line("error", now - 5_000 + index, `error ${index}`)),
    line("info", now, "all is well"),
    "{not json",
  ];
  await writeFile(join(node(0), "log", "log_2026112106.00.log"), `${lines.join("\n")}\n`);
  const time = `${new Date(now - 4_998).toISOString().slice(0, 17)}`;
  const all = (await linesOf(0)).filter((text) => / log: /.test(text));
  assert.ok(all[1]?.startsWith(`warning log: ${time}`), all[1]);
  const found = all.map((text) => text.replace(/ \d{4}-\S+Z /, " "));
  assert.deepEqual(found, [
    "note log: 1 earlier errors",
    "warning log: error 2",
    "warning log: error 3",
    "warning log: error 4",
  ]);
  assert.deepEqual(errorOf("06:14:05.001 error   it broke file=x"), {
    at: undefined,
    text: "it broke file=x",
  });
  assert.equal(errorOf("06:14:05.001 info    error in a name"), undefined);
});

test("each way in which a peer is not reached has its next step", () => {
  const reasons: readonly [string, RegExp][] = [
    ["refused by the peer: blacklisted", /^Remove this node's ID from/],
    ["refused by the peer: not on the whitelist", /^Add this node's ID to/],
    ["refused by the peer: otherwise", /refuses this node/],
    ["blacklisted", /^This node's own \[certificate_blacklist\]/],
    ["not on the whitelist", /^Add its ID to this node's own/],
    ["connect ECONNREFUSED 127.0.0.1:1", /^Start the node/],
    ["no answer in time", /^Start the node/],
    ["getaddrinfo ENOTFOUND nowhere", /^Correct the name/],
    ["no common protocol version", /^Upgrade/],
    ["no valid certificate: expired", /^Compare the log/],
  ];
  for (const [reason, step] of reasons) {
    const [verdict] = checkPeers([{ endpoint: "h:1", state: "waiting", reason }], []);
    assert.equal(verdict?.outcome, "failure");
    assert.match(verdict?.next ?? "", step, reason);
  }
  assert.equal(checkPeers([{ endpoint: "h:1", state: "self" }], [])[0]?.outcome, "note");
  const came = { nodeId: nodeIdOf("a1"), node: "n", agency: "a", endpoint: "h:9" };
  const outcomes = (count: number) =>
    checkPeers(
      Array.from({ length: count }, (_, port) => ({ endpoint: `h:${port}`, state: "waiting" })),
      [came],
    ).map(({ outcome }) => outcome);
  assert.deepEqual(outcomes(1), ["note"]);
  assert.deepEqual(outcomes(2), ["failure", "failure"]);
});

test("most clocks decide whose is wrong", () => {
  const peer = (node: string, clockSkewMs: number) => ({
    nodeId: nodeIdOf("a1"),
    node,
    agency: "a",
    endpoint: "h:1",
    clockSkewMs,
  });
  const outcome = (...peers: readonly ReturnType<typeof peer>[]) =>
    checkClocks(peers).map((verdict) => `${verdict.outcome} ${verdict.says}`);
  assert.deepEqual(outcome(peer("b", 100), peer("c", -200)), [
    "ok agrees with 2 peers within 30 s",
  ]);
  assert.deepEqual(outcome(peer("b", 60_000), peer("c", 61_000), peer("d", 0)), [
    "warning this host's clock is 60 s behind that of most peers",
  ]);
  for (const ms of [-45_000, 45_000]) {
    const says = `warning the clock of b is 45 s ${ms < 0 ? "behind" : "ahead of"} ours`;
    assert.deepEqual(outcome(peer("b", ms), peer("c", 0)), [says]);
  }
  assert.deepEqual(outcome(peer("b", -45_000), peer("c", 0), peer("d", 0)), [
    "warning the clock of b is 45 s behind ours",
  ]);
});

test("the screen shows the next step below what fails, and counts", () => {
  const verdicts = [
    { check: "disk", outcome: "ok", says: "fine" },
    { check: "ports", outcome: "failure", says: "8545 is taken", next: "Stop it." },
  ] as const;
  const screen = doctorScreen([{ name: "node0", folder: "/c/node0", verdicts }], false);
  assert.deepEqual(screen.split("\n"), [
    "node0  /c/node0",
    "  ok    disk   fine",
    "  FAIL  ports  8545 is taken",
    "               -> Stop it.",
    "",
    "1 failed, 0 warnings, 1 in order",
    "",
  ]);
});

test("peers are not asked with the key of a folder that was copied", async () => {
  const ledger = join(node(1), "data", "group1", "block");
  await mkdir(ledger, { recursive: true });
  await writeFile(join(ledger, "CURRENT"), "MANIFEST-1\n");
  await writeFile(join(ledger, "MANIFEST-1"), "");
  const place = { inode: "1", born: "1" };
  const mark = { epoch: "aa", before: "aa", file: place, ledger: place };
  await writeFile(`${ledger}.made`, JSON.stringify(mark));
  const lines = await linesOf(1);
  const why = "a second session with this key would disturb the node";
  assert.ok(lines.includes(`note peers: are not asked: ${why}`), lines.join("\n"));
  assert.ok(lines.some((line) => /^warning ledger 1: .*block\.made was copied or/.test(line)));
  await rm(join(node(1), "data"), { recursive: true });
});

test("a certificate that was renewed under a node that runs is reported not to be in use yet", async () => {
  const [folder] = await findNodeFolders(node(0));
  assert.ok(folder);
  const probe = await probeNode(folder);
  assert.ok(probe.config);
  const now = Date.now();
  const { identity } = await checkIdentity(node(0), probe.config, now);
  const serving = (certificateDaysLeft: number) => ({
    ...probe,
    health: { certificateDaysLeft } as ProcessHealth,
  });
  assert.deepEqual(checkUsedCertificate(serving(20), identity, now), []);
  assert.deepEqual(checkUsedCertificate(probe, identity, now), []);
  assert.deepEqual(
    checkUsedCertificate(serving(2), identity, now).map(({ outcome, says }) => [outcome, says]),
    [["warning", "the node still uses another one, which ends in 2 days"]],
  );
});
