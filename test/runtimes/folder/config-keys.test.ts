/** Each key of each file: its default, the ends of its range, and what is said beyond them. */
// rules: groups 6, groups 7, groups 8
import assert from "node:assert/strict";
import { test } from "vitest";
import { Findings, readValues } from "../../../runtimes/folder/config-reader.ts";
import { CONFIG_FILES } from "../../../runtimes/folder/config-reference.ts";
import type { Schema } from "../../../runtimes/folder/config-schema.ts";
import { SEALER_A } from "./config-samples.ts";

/** section.key, default, texts that are allowed, texts that are not. */
type Row = readonly [key: string, fallback: unknown, good: string, bad: string];

const PORT_BAD = "0 1023 65536 x 8545.5 -1";
const FLAG = ["true false 1 0", "yes TRUE 2"] as const;
const ANY = ["x", ""] as const;
const ADDRESS = ["0.0.0.0 127.0.0.1 :: ::1", "localhost 1.2.3 256.0.0.1 [::1]"] as const;
const ID = [`${SEALER_A} ${SEALER_A.toUpperCase()}`, `0x${SEALER_A} ${SEALER_A}0 12`] as const;
const COUNT_FROM_1 = ["1 100000", "0 -1 x 1.5"] as const;
const COUNT_FROM_0 = ["0 100000", "-1 x 1.5"] as const;

const NODE: readonly Row[] = [
  ["rpc.listen_ip", undefined, ...ADDRESS],
  ["rpc.channel_listen_ip", undefined, ...ADDRESS],
  ["rpc.jsonrpc_listen_ip", undefined, ...ADDRESS],
  ["rpc.channel_listen_port", 20_200, "1024 1025 65535", PORT_BAD],
  ["rpc.jsonrpc_listen_port", 8545, "1024 1025 65535", PORT_BAD],
  ["rpc.channel_max_sessions", 2_000, ...COUNT_FROM_1],
  ["rpc.channel_max_memory", 256, ...COUNT_FROM_1],
  ["rpc.channel_max_unsent", 32, ...COUNT_FROM_1],
  ["rpc.channel_thread_count", 8, ...COUNT_FROM_1],
  ["rpc.jsonrpc_thread_count", 8, ...COUNT_FROM_1],
  ["rpc.disable_dynamic_group", false, ...FLAG],
  ["rpc.act_as_group_member", false, ...FLAG],
  ["rpc.allowed_origins", [], "* https://a.example,http://b:1", "a.example https://a/b"],
  ["rpc.page", true, ...FLAG],
  ["rpc.live_view", "loopback", "off ON loopback", "true yes 1"],
  ["rpc.http_limit_req", undefined, ...COUNT_FROM_1],
  ["p2p.listen_ip", undefined, ...ADDRESS],
  ["p2p.listen_port", 30_300, "1024 65535", PORT_BAD],
  ["p2p.node.<i>", [], "a:1 10.0.0.1:65535 [::1]:30300", "a a:0 a:65536 ::1:30300 10.0.0.300:1"],
  ["p2p.enable_compress", true, ...FLAG],
  ["p2p.peers_param_limit", 10, ...COUNT_FROM_1],
  ["p2p.max_nodes_limit", 100, ...COUNT_FROM_1],
  ["p2p.connection_warning", true, ...FLAG],
  ["p2p.ws_listen_ip", undefined, ...ADDRESS],
  ["p2p.ws_listen_port", undefined, "1024 65535", PORT_BAD],
  ["p2p.ws_cert", "", ...ANY],
  ["p2p.ws_key", "", ...ANY],
  ["certificate_blacklist.crl.<i>", [], ID[0], ""],
  ["certificate_whitelist.cal.<i>", [], ID[0], ""],
  ["group.group_data_path", "data/", ...ANY],
  ["group.group_config_path", "conf/", ...ANY],
  ["network_security.data_path", "./conf/", ...ANY],
  ["network_security.key", "", ...ANY],
  ["network_security.cert", "", ...ANY],
  ["network_security.ca_cert", "", ...ANY],
  ["network_security.ca_path", "", ...ANY],
  ["network_security.en_key", "gmennode.key", ...ANY],
  ["network_security.en_cert", "gmennode.crt", ...ANY],
  ["network_security.check_cert_issuer", true, ...FLAG],
  ["network_security.crypto_provider", "ssm", "ssm SSM", "hsm tpm"],
  ["network_security.key_id", "", ...ANY],
  ["network_security.enckey_id", "", ...ANY],
  ["storage_security.enable", false, "false 0", "true 1 no"],
  ["storage_security.key_manager_ip", "", ...ANY],
  ["storage_security.key_manager_port", 20_000, "1024 65535", PORT_BAD],
  ["storage_security.cipher_data_key", "", ...ANY],
  ["chain.id", 1, "0 1 9007199254740991", "-1 x 9007199254740992"],
  ["chain.sm_crypto", false, ...FLAG],
  ["chain.sm_crypto_channel", false, "false", "true x"],
  ["chain.rsa_crypto_channel", false, ...FLAG],
  ["compatibility.supported_version", 2_011_001, "2.0.0 2.11.1", "2.11.2 1.9.9 2.0.0-rc2 x"],
  ["log.enable", true, ...FLAG],
  ["log.log_path", "log", ...ANY],
  ["log.level", "info", "trace debug INFO warning error", "warn fatal"],
  ["log.max_log_file_size", 1024, "100 2000", "99 x"],
  ["log.flush", true, ...FLAG],
  ["log.log_flush_threshold", 100, ...COUNT_FROM_1],
  ["log.format", "", ...ANY],
  ["log.enable_console_output", false, ...FLAG],
  ["log.enable_rotate_by_hour", true, ...FLAG],
  ["log.log_name_pattern", "log_%Y%m%d_%H%M.log", ...ANY],
  ["log.rotate_name_pattern", "log_%Y%m%d%H.%M.log", ...ANY],
  ["log.archive_path", "", ...ANY],
  ["log.compress_archive_file", false, ...FLAG],
  ["log.max_archive_files", 0, ...COUNT_FROM_0],
  ["log.max_archive_size", 0, ...COUNT_FROM_0],
  ["log.min_free_space", 0, ...COUNT_FROM_0],
  ["log.enable_statistic", false, ...FLAG],
  ["log.stat_flush_interval", 60, ...COUNT_FROM_1],
  ["flow_control.limit_req", undefined, ...COUNT_FROM_1],
  ["flow_control.outgoing_bandwidth_limit", undefined, "0.5 2 .1", "0 -1 x 1e3"],
  ["metrics.listen_ip", "127.0.0.1", ...ADDRESS],
  ["metrics.listen_port", undefined, "1024 65535", PORT_BAD],
];

const GENESIS: readonly Row[] = [
  ["consensus.consensus_type", "pbft", "pbft RAFT Raft", "rpbft rPBFT pow"],
  ["consensus.max_trans_num", 1000, ...COUNT_FROM_1],
  ["consensus.consensus_timeout", 3, "3 4294966", "2 4294967 x"],
  ["consensus.min_elect_time", 1000, "1 3600000", "0 3600001 x"],
  ["consensus.max_elect_time", 2000, "1 3600000", "0 3600001 x"],
  ["consensus.epoch_sealer_num", undefined, ...COUNT_FROM_1],
  ["consensus.epoch_block_num", 1000, ...COUNT_FROM_1],
  ["consensus.node.<i>", [], ...ID],
  ["state.type", "storage", "storage Storage", "mpt x"],
  ["tx.gas_limit", 300_000_000n, "0 9223372036854775807", "-1 9223372036854775808 1e9"],
  ["group.id", undefined, "1 32767 007", "0 32768 -1 x"],
  ["group.timestamp", 2n ** 63n - 1n, "0 1700000000000", "-1 9223372036854775808 x"],
  ["evm.enable_free_storage", false, ...FLAG],
  ["event_filter.max_block_range", 0, ...COUNT_FROM_0],
  ["event_filter.max_block_per_process", 0, ...COUNT_FROM_0],
  ["storage.type", "", ...ANY],
  ["storage.topic", "", ...ANY],
  ["storage.max_retry", "", ...ANY],
];

const GROUP: readonly Row[] = [
  ["consensus.ttl", 2, "0 5", "6 -1 x"],
  ["consensus.min_block_generation_time", 500, "0 999", "-1 x"],
  ["consensus.enable_dynamic_block_size", true, ...FLAG],
  ["consensus.block_size_increase_ratio", 0.5, "0 2 0.25 1.", ""],
  ["consensus.enable_ttl_optimization", true, ...FLAG],
  ["consensus.enable_prepare_with_txsHash", true, ...FLAG],
  ["consensus.broadcast_prepare_by_tree", true, ...FLAG],
  ["consensus.prepare_status_broadcast_percent", 33, "25 100", "24 101 x"],
  ["consensus.max_request_missedTxs_waitTime", 100, "5 1000", "4 1001 x"],
  ["consensus.max_request_prepare_waitTime", 100, "10 1000", "9 1001 x"],
  ["storage.type", "rocksdb", "RocksDB scalable leveldb", "mysql external x"],
  ["storage.binary_log", false, ...FLAG],
  ["storage.scroll_threshold_multiple", 2, "1 3", "-1 x"],
  ["storage.cached_storage", true, ...FLAG],
  ["storage.max_capacity", 32, ...COUNT_FROM_1],
  ["storage.max_forward_block", 10, ...COUNT_FROM_0],
  ["storage.max_retry", 60, "2 100", "-1 x"],
  ["storage.topic", "DB", ...ANY],
  ["storage.enable_reconfirm_committee", false, ...FLAG],
  ["storage.db_ip", "127.0.0.1", ...ANY],
  ["storage.db_port", 3306, "0 65535", "65536 x"],
  ["storage.db_username", "", ...ANY],
  ["storage.db_passwd", "", ...ANY],
  ["storage.db_name", "", ...ANY],
  ["storage.db_charset", "utf8mb4", ...ANY],
  ["storage.init_connections", 15, ...COUNT_FROM_0],
  ["storage.max_connections", 50, ...COUNT_FROM_0],
  ["tx_pool.limit", 102_400, "0 1", ""],
  ["tx_pool.memory_limit", 512, "0 1048576", ""],
  ["tx_pool.notify_worker_num", 2, "1 8", ""],
  ["tx_pool.txs_expiration_time", 600, "0 601", ""],
  ["sync.max_block_sync_memory_size", 512, "32 1048576", "31 1048577 x"],
  ["sync.idle_wait_ms", 200, ...COUNT_FROM_0],
  ["sync.sync_block_by_tree", true, ...FLAG],
  ["sync.send_txs_by_tree", true, ...FLAG],
  ["sync.gossip_interval_ms", 1000, "1000 3000", "999 3001 x"],
  ["sync.gossip_peers_number", 3, ...COUNT_FROM_1],
  ["sync.txs_max_gossip_peers_num", 5, ...COUNT_FROM_0],
  ["sync.allow_free_node", false, ...FLAG],
  ["sync.print_info_interval", 10, "2 60", "1 0 x"],
  ["flow_control.limit_req", undefined, ...COUNT_FROM_1],
  ["flow_control.outgoing_bandwidth_limit", undefined, "0.000001 5.5", "0 -1 x"],
  ["sdk_allowlist.public_key.<i>", [], ...ID],
  ["tx_execute.enable_parallel", true, ...FLAG],
];

const TABLES: readonly (readonly Row[])[] = [NODE, GENESIS, GROUP];

function words(text: string): string[] {
  return text === "" ? [] : text.split(" ");
}

function read(schema: Schema, section: string, line: string) {
  const findings = new Findings("f");
  const values = readValues(schema, `[${section}]\n${line}\n`, findings);
  return { values, findings };
}

function checkRow(schema: Schema, [path, fallback, good, bad]: Row): void {
  const dot = path.indexOf(".");
  const [section, name] = [path.slice(0, dot), path.slice(dot + 1)];
  const key = name.replace("<i>", "0");
  const absent = read(schema, section, "");
  assert.deepEqual(absent.values[section]?.[name], fallback, "default");
  if (!name.endsWith("<i>")) {
    assert.deepEqual(read(schema, section, `${key}=`).values[section]?.[name], fallback, "empty");
  }
  for (const text of words(good)) {
    const { values, findings } = read(schema, section, `${key}=${text}`);
    assert.deepEqual([findings.problems, findings.warnings], [[], []], text);
    assert.notEqual(values[section]?.[name], undefined);
  }
  for (const text of words(bad)) {
    const { problems } = read(schema, section, `${key}=${text}`).findings;
    assert.equal(problems.length, 1, `${text} was accepted`);
    const [{ value, line, reason, allowed, ...place } = assert.fail()] = problems;
    assert.deepEqual({ line, ...place }, { line: 2, file: "f", section, key }, text);
    assert.ok(text.startsWith(value?.replace("...", "") ?? "-"), text);
    const { kind, notes } = schema[section]?.keys[name] ?? assert.fail();
    assert.equal(allowed, reason === "notOffered" ? notes.notOffered?.en : kind.allowed.en);
  }
}

for (const [index, { name, schema }] of CONFIG_FILES.entries()) {
  const rows = TABLES[index] ?? [];
  for (const row of rows) {
    test(`${name}: ${row[0]} has its default, its range and its message`, () => {
      checkRow(schema, row);
    });
  }

  test(`${name}: every key of the schema is in the table`, () => {
    const all = Object.entries(schema).flatMap(([section, { keys }]) =>
      Object.keys(keys).map((key) => `${section}.${key}`),
    );
    assert.deepEqual([...rows.map(([key]) => key)].sort(), all.sort());
  });
}
