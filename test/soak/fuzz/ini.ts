/** Ini files that an operator might leave behind, and what the readers must say of them. */
import assert from "node:assert/strict";
import {
  ConfigFault,
  problemText,
  type Reading,
} from "../../../runtimes/formats/config/config-fault.ts";
import { LIST_ENDING, type Schema } from "../../../runtimes/formats/config/config-schema.ts";
import { GENESIS_SCHEMA } from "../../../runtimes/formats/config/config-schema-genesis.ts";
import { GROUP_SCHEMA } from "../../../runtimes/formats/config/config-schema-group.ts";
import { NODE_SCHEMA } from "../../../runtimes/formats/config/config-schema-node.ts";
import { readGenesisFile } from "../../../runtimes/formats/config/genesis-file.ts";
import { readGroupFile, writeGroupFile } from "../../../runtimes/formats/config/group-file.ts";
import { replaceList } from "../../../runtimes/formats/config/ini-edit.ts";
import { readNodeConfig, writeNodeConfig } from "../../../runtimes/formats/config/node-config.ts";
import { Random } from "../../simulation/random.ts";
import { Tally } from "./coverage.ts";

const SEALERS = ["ab", "cd", "0f"].map((byte) => byte.repeat(64));

/** One kind of file: where it begins, and how it is read. */
export interface IniKind {
  readonly name: string;
  readonly schema: Schema;
  readonly texts: readonly string[];
  read(text: string, file: string): Reading<unknown>;
}

/** The three kinds of files, each as it is written and as a reference node's tool writes it. */
export const INI_KINDS: readonly IniKind[] = [
  {
    name: "config.ini",
    schema: NODE_SCHEMA,
    texts: [
      writeNodeConfig({ p2p: { "node.<i>": [] } }),
      [
        "[rpc]\n    listen_ip=0.0.0.0\n    channel_listen_port=20200\n    jsonrpc_listen_port=8545",
        "[p2p]\n    listen_ip=0.0.0.0\n    listen_port=30300\n    node.0=127.0.0.1:30300",
        "    node.1=[::1]:30301\n    node.2=peer.example:30302",
        `[certificate_blacklist]\n    crl.0=${SEALERS[0]}\n[certificate_whitelist]`,
        "[group]\n    group_data_path=data/\n    group_config_path=conf/",
        "[network_security]\n    data_path=conf/\n    key=node.key\n    cert=node.crt",
        "    ca_cert=ca.crt\n    ca_path=",
        "[storage_security]\n    enable=false\n    key_manager_ip=\n    key_manager_port=",
        "[chain]\n    id=1\n    sm_crypto=false\n[compatibility]\n    supported_version=2.11.1",
        "[log]\n    enable=true\n    log_path=./log\n    level=info\n    max_log_file_size=200",
        "[flow_control]\n    ; limit_req=1000\n    ; outgoing_bandwidth_limit=2",
      ].join("\n"),
    ],
    read: readNodeConfig,
  },
  {
    name: "group.7.genesis",
    schema: GENESIS_SCHEMA,
    texts: [
      [
        "[consensus]\n    consensus_type=pbft\n    max_trans_num=1000\n    consensus_timeout=3",
        ...SEALERS.map((id, index) => `    node.${index}=${id}`),
        "[state]\n    type=storage\n[tx]\n    gas_limit=300000000",
        "[group]\n    id=7\n    timestamp=1700000000000\n[evm]\n    enable_free_storage=false",
      ].join("\n"),
    ],
    read: readGenesisFile,
  },
  {
    name: "group.7.ini",
    schema: GROUP_SCHEMA,
    texts: [
      writeGroupFile(),
      [
        "[consensus]\n    ttl=2\n    min_block_generation_time=500",
        "    enable_dynamic_block_size=true\n[storage]\n    type=rocksdb\n    max_capacity=32",
        "[tx_pool]\n    limit=150000\n    memory_limit=512\n    notify_worker_num=2",
        "[sync]\n    idle_wait_ms=200\n    sync_block_by_tree=true\n    gossip_interval_ms=1000",
        "[tx_execute]\n    enable_parallel=true\n[flow_control]\n    ;limit_req=1000",
        `[sdk_allowlist]\n    public_key.0=${SEALERS[1]}`,
      ].join("\n"),
    ],
    read: (text, file) => readGroupFile(text, file),
  },
];

/** Values that look like others, are next to a limit, or are no text at all. */
const VALUES = [
  ...["", "0", "-1", "+1", "1", "2", "00", "007", "1e3", "0x10", "1.5", "NaN", "Infinity"],
  ...["65535", "65536", "1024", "1023", "2147483648", "9007199254740992"],
  ...["18446744073709551616", "99999999999999999999999999999999", "true", "TRUE", "yes", "false"],
  ...["pbft", "raft", "rpbft", "mpt", "storage", "mysql", "2.11.1", "2.99.0", "2.0.0-rc2"],
  ...["127.0.0.1", "::1", "[::1]:1", "999.1.1.1", "host:port", "a:1:2", "localhost:30300", ":::"],
  ...["../../etc/passwd", "/", ".", "C:\\x", "%s%n", "$HOME", "`id`", "'", '"', "a=b=c", "[x]"],
  ...["__proto__", "constructor", "toString", "\u0000", "\u202e", "节点", "😀", "\ud800", " "],
  ...SEALERS,
  SEALERS[0]?.slice(1) ?? "",
  "z".repeat(128),
  "9".repeat(5_000),
];
const NAMES = [
  "__proto__",
  "constructor",
  "hasOwnProperty",
  "",
  "node.",
  "node.x",
  "NODE.0",
  "id ",
];
const SIGNS = ["=", "[", "]", ";", "#", "\r", "\n", "\t", "\u0000", "\ufeff", "\u2028", "\u00a0"];

type LineChange = (lines: string[], random: Random) => string[];

function withLine(lines: readonly string[], at: number, line: string): string[] {
  return lines.length === 0 ? [line] : lines.with(at, line);
}

function anyLine(lines: readonly string[], random: Random): number {
  return random.below(Math.max(1, lines.length));
}

const LINE_CHANGES: readonly LineChange[] = [
  // Another value: most changes of operators.
  (lines, random) => {
    const keyed = lines.flatMap((line, at) => (/^\s*[^;[#].*=/.test(line) ? [at] : []));
    if (keyed.length === 0) return lines;
    const at = random.pick(keyed);
    const key = (lines[at] ?? "").split("=")[0] ?? "";
    return withLine(lines, at, `${key}=${random.pick(VALUES)}`);
  },
  (lines, random) => lines.toSpliced(anyLine(lines, random), 1),
  (lines, random) =>
    lines.toSpliced(anyLine(lines, random), 0, lines[anyLine(lines, random)] ?? ""),
  (lines, random) => {
    const [at, other] = [anyLine(lines, random), anyLine(lines, random)];
    const [one = "", two = ""] = [lines[at], lines[other]];
    return withLine(withLine(lines, at, two), other, one);
  },
  (lines, random) => {
    const name = random.pick(NAMES);
    const line = random.chance(0.3) ? `[${name}]` : `${name}=${random.pick(VALUES)}`;
    return lines.toSpliced(anyLine(lines, random), 0, line);
  },
  // A comment becomes a key.
  (lines, random) => {
    const at = anyLine(lines, random);
    return withLine(lines, at, (lines[at] ?? "").replace(/^(\s*)[;#]\s*/, "$1"));
  },
  // A slip of the finger.
  (lines, random) => {
    const at = anyLine(lines, random);
    const line = lines[at] ?? "";
    const place = random.below(line.length + 1);
    const typed = random.chance(0.5)
      ? random.pick(SIGNS)
      : String.fromCharCode(random.below(random.chance(0.8) ? 0x80 : 0x10000));
    const rest = line.slice(place + (random.chance(0.5) ? 1 : 0));
    return withLine(lines, at, line.slice(0, place) + typed + rest);
  },
  (lines, random) => lines.slice(0, anyLine(lines, random)),
  (lines, random) => [...lines, ...lines.slice(anyLine(lines, random))],
];

/** A text with some changes; now and then a mere heap of characters. */
export function mutatedIni(texts: readonly string[], random: Random): string {
  if (random.chance(0.02)) {
    const codes = Array.from({ length: random.below(400) }, () => random.below(0x10000));
    return String.fromCharCode(...codes);
  }
  let lines = random.pick(texts).split("\n");
  const changes = random.chance(0.5) ? 1 : 1 + random.below(8);
  for (let left = changes; left > 0; left--) {
    // Most of what is wrong in practice is a value.
    const change = random.chance(0.6) ? LINE_CHANGES[0] : random.pick(LINE_CHANGES);
    lines = change?.(lines, random) ?? lines;
  }
  const text = lines.join(random.chance(0.1) ? "\r\n" : "\n");
  return random.chance(0.05) ? `\ufeff${text}` : text;
}

function keysOf(schema: Schema, section: string): string[] {
  const owner = Object.entries(schema).find(
    ([name, { legacy }]) => name === section || legacy === section,
  );
  return Object.keys(owner?.[1].keys ?? {});
}

function belongs(schema: Schema, section: string, key: string): boolean {
  return keysOf(schema, section).some((name) =>
    name.endsWith(LIST_ENDING) ? key.startsWith(name.slice(0, -LIST_ENDING.length)) : name === key,
  );
}

/** A refusal names file, section, key, value and what is allowed, and the line where it stands. */
function requireHelpful(fault: ConfigFault, kind: IniKind, text: string): void {
  const lines = text.replace(/^\ufeff/, "").split("\n");
  assert.ok(fault.problems.length > 0);
  assert.equal(fault.message, fault.problems.map(problemText).join("\n"));
  for (const problem of fault.problems) {
    const { file, line, section, key, value, allowed, reason } = problem;
    const said = problemText(problem);
    assert.equal(file, kind.name);
    assert.ok(allowed.length > 0 && said.startsWith(kind.name) && said.endsWith(allowed), said);
    if (line !== undefined) {
      const there = lines[line - 1];
      assert.ok(there?.includes(key), `${said}: line ${line} is ${there}`);
    }
    if (reason !== "missing") assert.ok(value !== undefined && said.includes(`"${value}"`), said);
    if (reason === "syntax") continue;
    assert.ok(belongs(kind.schema, section, key), `${said}: no such key`);
    assert.ok(said.includes(`[${section}] ${key}`), said);
  }
}

/** What came of the files. */
export interface IniSights {
  readonly accepted: number;
  readonly refused: number;
  /** Refusals by file, reason, section and key. */
  readonly refusals: Tally;
}

/** Reads mutated files; throws at one that breaks a reader or is refused unhelpfully. */
export function fuzzIni(files: number, seed: number): IniSights {
  const random = new Random(seed);
  const refusals = new Tally();
  let accepted = 0;
  for (let at = 0; at < files; at++) {
    const kind = INI_KINDS[at % INI_KINDS.length] ?? random.pick(INI_KINDS);
    const text = mutatedIni(kind.texts, random);
    try {
      kind.read(text, kind.name);
      accepted++;
    } catch (cause) {
      const place = `file ${at} of seed ${seed}`;
      if (!(cause instanceof ConfigFault)) throw new Error(`${place}: ${text}`, { cause });
      for (const { reason, section, key } of cause.problems)
        refusals.add(`${kind.name} ${reason}${reason === "syntax" ? "" : ` [${section}] ${key}`}`);
      requireHelpful(cause, kind, text);
    }
    // What addPeers does to the file of a running node must not break on it either.
    replaceList(text, { section: "p2p", stem: "node." }, ["127.0.0.1:30300"]);
  }
  return { accepted, refused: files - accepted, refusals };
}
