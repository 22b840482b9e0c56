/** The files of a node and of a group: what they mean, what they refuse, what they correct. */
// rules: groups 6, groups 7, groups 8, README 13, README 20
import assert from "node:assert/strict";
import { test } from "vitest";
import { DEFAULT_TUNING } from "../../../core/model/config.ts";
import { NEWEST_VERSION, version } from "../../../core/model/version.ts";
import { ConfigFault, warningText } from "../../../runtimes/formats/config/config-fault.ts";
import {
  readGenesisFile,
  writeGenesisFile,
} from "../../../runtimes/formats/config/genesis-file.ts";
import {
  type GroupContext,
  readGroupFile,
  writeGroupFile,
} from "../../../runtimes/formats/config/group-file.ts";
import { iniGroupFormat } from "../../../runtimes/formats/config/group-ini-format.ts";
import { readNodeConfig, writeNodeConfig } from "../../../runtimes/formats/config/node-config.ts";
import { readData } from "../../support/ledger/data-files.ts";
import { SEALER_A, SEALER_B, SMALLEST_GENESIS } from "./config-samples.ts";

const VERSION_LINE = "[compatibility]\nsupported_version=2.11.1\n";

function faultOf(read: () => unknown): ConfigFault {
  try {
    read();
  } catch (cause) {
    assert.ok(cause instanceof ConfigFault, String(cause));
    return cause;
  }
  return assert.fail("the text was accepted");
}

test("a config.ini with its version only has all defaults, and says where it listens", () => {
  const { value, warnings } = readNodeConfig(VERSION_LINE, "config.ini");
  assert.deepEqual(value.chain, {
    chainId: 1,
    nationalCrypto: false,
    supportedVersion: NEWEST_VERSION,
  });
  assert.deepEqual(value.rpc.jsonrpc, { ip: "127.0.0.1", port: 8545 });
  assert.deepEqual(value.rpc.channel, { ip: "127.0.0.1", port: 20_200 });
  assert.deepEqual(value.p2p.listen, { ip: "127.0.0.1", port: 30_300 });
  assert.deepEqual(value.groups, { dataPath: "data/", configPath: "conf/" });
  assert.equal(value.identity.key, "./conf/node.key");
  assert.equal(value.metrics, undefined);
  assert.equal(value.p2p.webSocket, undefined);
  assert.deepEqual(
    warnings.map(({ level, key }) => `${level} ${key}`),
    ["warning jsonrpc_listen_ip", "warning channel_listen_ip", "warning listen_ip"],
  );
});

test("an absent supported_version is a warning that names the value used", () => {
  const { value, warnings } = readNodeConfig("", "config.ini");
  assert.equal(value.chain.supportedVersion, NEWEST_VERSION);
  const [first] = warnings.map(warningText);
  assert.equal(first, "config.ini, [compatibility] supported_version: is missing; 2.11.1 is used");
});

for (const text of ["2.0.0", "2.2.0", "2.10.0", "2.11.1"]) {
  test(`supported_version ${text} is read`, () => {
    const file = `[compatibility]\nsupported_version=${text}`;
    const { value } = readNodeConfig(file, "config.ini");
    const [x = 0, y = 0, z = 0] = text.split(".").map(Number);
    assert.equal(value.chain.supportedVersion, version(x, y, z));
  });
}

for (const text of ["2.11.2", "3.0.0", "1.9.9", "2.0.0-rc2", "2.1", "v2.1.0", "02.1.0"]) {
  test(`supported_version ${text} is refused`, () => {
    const file = `[compatibility]\nsupported_version=${text}`;
    assert.equal(
      faultOf(() => readNodeConfig(file, "config.ini")).message,
      `config.ini, line 2, [compatibility] supported_version = "${text}" is not allowed: ` +
        "a version x.y.z from 2.0.0 to 2.11.1",
    );
  });
}

test("listen_ip stands for the ports that have no address of their own", () => {
  const text = "[rpc]\nlisten_ip=10.0.0.1\nchannel_listen_ip=::1\n";
  const { value } = readNodeConfig(text, "config.ini");
  assert.equal(value.rpc.jsonrpc.ip, "10.0.0.1");
  assert.equal(value.rpc.channel.ip, "::1");
});

const REFUSED = [
  ["[storage_security]\nenable=true", "storage_security", "enable"],
  ["[data_secure]\nenable=true", "storage_security", "enable"],
  ["[network_security]\ncrypto_provider=hsm", "network_security", "crypto_provider"],
  ["[chain]\nsm_crypto_channel=true", "chain", "sm_crypto_channel"],
] as const;

for (const [text, section, key] of REFUSED) {
  test(`${text.replace("\n", " ")} is refused with the reason`, () => {
    const { problems } = faultOf(() => readNodeConfig(text, "config.ini"));
    assert.equal(problems.length, 1);
    assert.deepEqual(
      [problems[0]?.reason, problems[0]?.section, problems[0]?.key, problems[0]?.line],
      ["notOffered", section, key, 2],
    );
  });
}

test("sm_crypto needs compatibility version 2.5.0", () => {
  const text = (value: string) =>
    `[chain]\nsm_crypto=true\n[compatibility]\nsupported_version=${value}`;
  assert.match(faultOf(() => readNodeConfig(text("2.4.0"), "c")).message, /sm_crypto.*2\.5\.0/);
  const { value } = readNodeConfig(text("2.5.0"), "c");
  assert.equal(value.chain.nationalCrypto, true);
  assert.equal(value.identity.caCert, "./conf/gmca.crt");
});

test("all errors of a file are told at once, each with line, section, key and value", () => {
  const text = "[rpc]\njsonrpc_listen_port=80\n[p2p]\nnode.0=nowhere\nlisten_port=x\n";
  const { problems, message } = faultOf(() => readNodeConfig(text, "n/config.ini"));
  assert.equal(problems.length, 3);
  assert.deepEqual(message.split("\n"), [
    'n/config.ini, line 2, [rpc] jsonrpc_listen_port = "80" is not allowed: ' +
      "a whole number from 1024 to 65535",
    'n/config.ini, line 5, [p2p] listen_port = "x" is not allowed: ' +
      "a whole number from 1024 to 65535",
    'n/config.ini, line 4, [p2p] node.0 = "nowhere" is not allowed: ' + "host:port or [IPv6]:port",
  ]);
});

test("two listeners on one port are refused", () => {
  const text = "[rpc]\nchannel_listen_port=9000\n[p2p]\nlisten_port=9000\n";
  assert.match(faultOf(() => readNodeConfig(text, "c")).message, /\[rpc\] channel_listen_port/);
});

test("peers are hosts, IPv4 and bracketed IPv6 addresses, in file order", () => {
  const text = "[p2p]\nnode.1=a.example:30300\nnode.0=10.0.0.1:30301\nnode.7=[::1]:30302";
  assert.deepEqual(readNodeConfig(text, "c").value.p2p.peers, [
    { host: "a.example", port: 30_300 },
    { host: "10.0.0.1", port: 30_301 },
    { host: "::1", port: 30_302 },
  ]);
});

test("a bad whitelist entry is skipped with a warning, a good one is lower-cased", () => {
  const text = `[cal]\ncal.0=${SEALER_A.toUpperCase()}\ncal.1=12`;
  const { value, warnings } = readNodeConfig(text, "c");
  assert.deepEqual(value.whitelist, [SEALER_A]);
  const said = warnings.map(warningText);
  assert.ok(
    said.some((line) => /line 3, \[certificate_whitelist\] cal\.1: "12" skipped/.test(line)),
  );
  assert.ok(said.some((line) => line.includes("write [certificate_whitelist]")));
});

test("unknown keys and sections are warnings with a hint", () => {
  const text =
    "[P2P]\nlisten_port=1\n[rpc]\nJsonRpc_listen_port=1\nnew_key=1\nchanel_listen_prot=1\n" +
    "max_log_file_size=1\n[certificate_whitelst]\n[other]";
  const said = readNodeConfig(text, "c").warnings.map(warningText);
  assert.ok(said.includes("c, line 1, [P2P]: unknown section, ignored; did you mean [p2p]?"));
  const hint = "unknown key, ignored; did you mean jsonrpc_listen_port?";
  assert.ok(said.includes(`c, line 4, [rpc] JsonRpc_listen_port: ${hint}`));
  assert.ok(said.includes("c, line 5, [rpc] new_key: unknown key, ignored"));
  assert.ok(said.some((line) => line.endsWith("did you mean channel_listen_port?")));
  const place = "c, line 7, [rpc] max_log_file_size: unknown key, ignored; it belongs to [log]";
  assert.ok(said.includes(place));
  assert.ok(said.some((line) => line.endsWith("did you mean [certificate_whitelist]?")));
  assert.ok(said.includes("c, line 9, [other]: unknown section, ignored"));
});

test("keys of our own are read", () => {
  const text =
    "[p2p]\nws_listen_port=30400\nws_cert=a\nws_key=b\n[metrics]\nlisten_port=9100\n" +
    "[rpc]\nallowed_origins=https://a.example, http://localhost:3000\nhttp_limit_req=5\n" +
    "allowed_hosts=chain.example.org, b";
  const { value } = readNodeConfig(text, "c");
  const tls = { cert: "a", key: "b" };
  assert.deepEqual(value.p2p.webSocket, { ip: "127.0.0.1", port: 30_400, tls });
  assert.deepEqual(value.metrics, { ip: "127.0.0.1", port: 9100 });
  assert.deepEqual(value.rpc.allowedOrigins, ["https://a.example", "http://localhost:3000"]);
  assert.deepEqual(value.rpc.allowedHosts, ["chain.example.org", "b"]);
  assert.equal(value.rpc.httpRequestsPerSecond, 5);
  assert.match(faultOf(() => readNodeConfig("[p2p]\nws_cert=a", "c")).message, /ws_key/);
});

test("what is written as config.ini is read back", () => {
  const text = writeNodeConfig({
    rpc: { jsonrpc_listen_ip: "127.0.0.1", channel_listen_ip: "0.0.0.0" },
    p2p: { listen_ip: "0.0.0.0", "node.<i>": [{ host: "::1", port: 30_301 }] },
    certificate_whitelist: { "cal.<i>": [SEALER_A, SEALER_B] },
    flow_control: { outgoing_bandwidth_limit: 0.5 },
  });
  const { value, warnings } = readNodeConfig(text, "config.ini");
  assert.deepEqual(warnings, []);
  assert.deepEqual(value.rpc.channel, { ip: "0.0.0.0", port: 20_200 });
  assert.deepEqual(value.p2p.peers, [{ host: "::1", port: 30_301 }]);
  assert.deepEqual(value.whitelist, [SEALER_A, SEALER_B]);
  assert.deepEqual(value.flowControl, { requestsPerSecond: undefined, outgoingMbit: 0.5 });
  assert.equal(value.log.max_log_file_size, 200);
});

test("a genesis file with sealers and id only has all defaults", () => {
  const { value, warnings } = readGenesisFile(SMALLEST_GENESIS, "group.1.genesis");
  assert.deepEqual(value.genesis, {
    groupId: 1,
    timestamp: 2n ** 63n - 1n,
    consensusType: "pbft",
    sealers: [SEALER_B, SEALER_A],
    maxTransactions: 1000,
    gasLimit: 300_000_000n,
    consensusTimeoutSeconds: 3,
    freeStorage: false,
  });
  assert.deepEqual(warnings, []);
});

const BAD_GENESIS = [
  ["[group]\nid=1", "[consensus] node.0 is missing"],
  [`[consensus]\nnode.0=${SEALER_A}`, "[group] id is missing: a whole number from 1 to 32767"],
  [`${SMALLEST_GENESIS}[state]\ntype=mpt`, "only the state type storage is built here"],
  [SMALLEST_GENESIS.replace("]\n", "]\nconsensus_type=rPBFT\n"), "rpbft is not offered yet"],
  [SMALLEST_GENESIS.replace("]\n", "]\nconsensus_type=pow\n"), "one of pbft, raft, rpbft"],
  [SMALLEST_GENESIS.replace("id=1", "id=32768"), 'id = "32768" is not allowed'],
  [SMALLEST_GENESIS.replace("]\n", "]\nconsensus_timeout=2\n"), "from 3 to 4294966"],
  [SMALLEST_GENESIS.replace("]\n", `]\nnode.9=${SEALER_A}\n`), "each sealer stands there once"],
  [SMALLEST_GENESIS.replace("]\n", "]\nnode.9=\n"), "128 hexadecimal digits"],
  [
    SMALLEST_GENESIS.replace("]\n", "]\nconsensus_type=raft\nmin_elect_time=3000\n"),
    "at least min_elect_time, which is 3000",
  ],
] as const;

for (const [text, said] of BAD_GENESIS) {
  test(`a genesis file is refused: ${said}`, () => {
    const { message, file } = faultOf(() => readGenesisFile(text, "conf/group.1.genesis"));
    assert.equal(file, "conf/group.1.genesis");
    assert.ok(message.includes(said), message);
    assert.ok(message.startsWith("conf/group.1.genesis, "));
  });
}

test("the generator's layout with stray blank lines is the same genesis", () => {
  const text =
    "[group]\nid = 1\ntimestamp = 1700000000000\n\t\n\n" +
    `[consensus]\nconsensus_type = PBFT\nnode.0 = ${SEALER_B}\n\t\nnode.1 = ${SEALER_A}\n\t\n`;
  const { value } = readGenesisFile(text, "g");
  assert.deepEqual(value.genesis.sealers, [SEALER_B, SEALER_A]);
  assert.equal(value.genesis.timestamp, 1_700_000_000_000n);
});

test("a raft genesis is written and read back with its election times", () => {
  const { genesis } = readGenesisFile(SMALLEST_GENESIS, "g").value;
  const raft = { ...genesis, consensusType: "raft", minElectTimeMs: 500, maxElectTimeMs: 900 };
  const text = writeGenesisFile(raft as typeof genesis);
  assert.deepEqual(readGenesisFile(text, "g").value.genesis, raft);
});

// rules: execution 8
test("a group can ask for a second committee member before it restricts anybody", () => {
  const text = "[storage]\nenable_reconfirm_committee=true\n";
  assert.equal(readGroupFile(text, "group.1.ini").value.tuning.reconfirmCommittee, true);
});

test("an absent group.N.ini gives the default tuning", () => {
  const { value, warnings } = readGroupFile("", "group.1.ini");
  assert.deepEqual(value.tuning, DEFAULT_TUNING);
  assert.deepEqual(warnings, []);
  assert.deepEqual(value.sdkAllowlist, []);
});

const CORRECTED = [
  ["consensus", "min_block_generation_time", "1500", '"1500" acts as 999'],
  ["consensus", "block_size_increase_ratio", "2.5", "the default 0.5 is used"],
  ["storage", "scroll_threshold_multiple", "0", '"0" acts as 2'],
  ["storage", "max_retry", "1", '"1" acts as 60'],
  ["tx_pool", "limit", "-1", "the default 102400 is used"],
  ["tx_pool", "memory_limit", "much", "the default 512 is used"],
  ["tx_pool", "notify_worker_num", "0", "the default 2 is used"],
] as const;

for (const [section, key, text, said] of CORRECTED) {
  test(`[${section}] ${key}=${text} is corrected with a warning`, () => {
    const { value, warnings } = readGroupFile(`[${section}]\n${key}=${text}`, "g.ini");
    assert.deepEqual(
      warnings.map(({ level, line }) => [level, line]),
      [["warning", 2]],
    );
    assert.ok(warnings[0]?.message.includes(said), warnings[0]?.message);
    const corrected = key === "min_block_generation_time" ? 999 : 500;
    assert.equal(value.tuning.minBlockGenerationTimeMs, corrected);
  });
}

test("a transaction waits at least as long as the consensus timeout", () => {
  const genesis = { consensusType: "pbft", consensusTimeoutSeconds: 10 } as const;
  const text = "[tx_pool]\ntxs_expiration_time=5";
  const context = { version: NEWEST_VERSION, genesis };
  const { value, warnings } = readGroupFile(text, "g.ini", context);
  assert.equal(value.tuning.txExpirationMs, 10_000);
  assert.match(warnings.map(warningText).join(), /"5" acts as 10, the consensus timeout/);
});

test("defaults follow the compatibility version, and raft has no trees", () => {
  const byTree = (text: string, context: GroupContext) =>
    readGroupFile(text, "g", context).value.tuning.sync.statusByTree;
  const set = "[sync]\nsync_block_by_tree=true";
  const genesis = { consensusType: "raft", consensusTimeoutSeconds: 3 } as const;
  assert.equal(byTree("", { version: version(2, 1, 0) }), false);
  assert.equal(byTree(set, { version: version(2, 1, 0) }), true);
  assert.equal(byTree("", { version: version(2, 2, 0) }), true);
  assert.equal(byTree(set, { version: NEWEST_VERSION, genesis }), false);
});

test("a key of the reference that nothing here depends on is named, unless it has its default", () => {
  const idle = (text: string) => readGroupFile(text, "g").warnings.map(warningText);
  const keys = "[consensus]\nbroadcast_prepare_by_tree=false\n[sync]\nsend_txs_by_tree=false";
  const [line = "", ...more] = idle(keys);
  const named = "consensus.broadcast_prepare_by_tree, sync.send_txs_by_tree";
  assert.ok(line.endsWith(`without effect in this node: ${named}`), line);
  assert.deepEqual(more, []);
  assert.deepEqual(idle("[consensus]\nttl=3\n[sync]\nsend_txs_by_tree=true"), []);
});

test("consensus messages are passed on by list, by hops where that is set, or before 2.2.0", () => {
  const relay = (text: string, inForce = NEWEST_VERSION) =>
    readGroupFile(text, "g", { version: inForce }).value.tuning.relay;
  assert.deepEqual(relay(""), { ttl: 2, byList: true });
  const byHops = "[consensus]\nttl=3\nenable_ttl_optimization=false";
  assert.deepEqual(relay(byHops), { ttl: 3, byList: false });
  assert.deepEqual(relay("", version(2, 1, 0)), { ttl: 2, byList: false });
  const asked = "[consensus]\nenable_ttl_optimization=true";
  assert.deepEqual(relay(asked, version(2, 1, 0)), { ttl: 2, byList: true });
});

for (const type of ["mysql", "external", "MySQL"]) {
  test(`storage.type ${type} is refused`, () => {
    const { problems } = faultOf(() => readGroupFile(`[storage]\ntype=${type}`, "g"));
    assert.equal(problems[0]?.reason, "notOffered");
  });
}

for (const type of ["RocksDB", "scalable", "LevelDB"]) {
  test(`storage.type ${type} means our store, with one line`, () => {
    const { warnings } = readGroupFile(`[storage]\ntype=${type}`, "g");
    const said = warnings.filter(({ key }) => key === "type").map(({ level }) => level);
    assert.deepEqual(said, ["info"]);
  });
}

test("a written group.N.ini has the values of a generated group", () => {
  const { value } = readGroupFile(writeGroupFile(), "g");
  assert.deepEqual(value.tuning, { ...DEFAULT_TUNING, txPoolLimit: 150_000 });
  assert.deepEqual(value.flowControl, { requestsPerSecond: undefined, outgoingMbit: undefined });
  const limited = writeGroupFile({ flow_control: { limit_req: 7 } });
  assert.equal(readGroupFile(limited, "g").value.flowControl.requestsPerSecond, 7);
});

test("the format of groups reads what it writes and passes warnings on", () => {
  const said: string[] = [];
  const format = iniGroupFormat((warning) => said.push(warning.key), NEWEST_VERSION);
  const genesis = format.readGenesis(SMALLEST_GENESIS);
  assert.deepEqual(format.readGenesis(format.writeGenesis(genesis)), genesis);
  assert.equal(format.readTuning(format.writeTuning(), "g", genesis).txPoolLimit, 150_000);
  const raft = { ...genesis, consensusType: "raft" } as const;
  assert.equal(format.readTuning("", "g", raft).sync.statusByTree, false);
  assert.deepEqual(said, ["type"]);
});

test("the files that the reference generated mean the same", () => {
  const read = (name: string) => readData(`golden/${name}`);
  for (const id of [3, 12]) {
    const name = `generated_group.${id}.genesis.txt`;
    const { value, warnings } = readGenesisFile(read(name), name);
    assert.deepEqual(warnings, []);
    assert.equal(value.genesis.groupId, id);
    assert.equal(value.genesis.sealers.length, 4);
    assert.equal(value.genesis.timestamp, 1_700_000_000_000n);
    assert.equal(value.genesis.freeStorage, id === 12);
    const again = readGenesisFile(writeGenesisFile(value.genesis), name).value;
    assert.deepEqual(again, value);
  }
  const theirs = readGroupFile(read("generated_group.3.ini.txt"), "g");
  assert.deepEqual(theirs.value, readGroupFile(writeGroupFile(), "g").value);
});

test("a log file's name holds no folder", () => {
  for (const name of ["../x.log", "a/b", "..", "a\\b"]) {
    const text = `[log]\nlog_name_pattern=${name}`;
    assert.match(faultOf(() => readNodeConfig(text, "c")).message, /log_name_pattern.*a file name/);
  }
});
