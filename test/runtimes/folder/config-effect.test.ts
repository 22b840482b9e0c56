/**
 * A key does what its row of the reference says: it changes what a file means, and something reads
 * what it changes; or it is marked as without effect, and then nothing reads it.
 */
// rules: groups 7, groups 8
import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { beforeAll, test } from "vitest";
import { NEWEST_VERSION } from "../../../core/model/version.ts";
import { ConfigFault } from "../../../runtimes/formats/config/config-fault.ts";
import { CONFIG_FILES } from "../../support/reference/config-reference.ts";
import { readGroupFile } from "../../../runtimes/formats/config/group-file.ts";
import { iniGroupFormat } from "../../../runtimes/formats/config/group-ini-format.ts";
import { readNodeConfig } from "../../../runtimes/formats/config/node-config.ts";
import { type MemberPaths, unreadPaths } from "../../rules/property-reads.ts";
import { assertNone, listFiles } from "../../rules/source-tree.ts";
import { type Row, ROWS, words } from "./config-rows.ts";
import { SEALER_B } from "./config-samples.ts";

/** What a kind of file is read to. */
interface Meaning extends Omit<MemberPaths, "paths"> {
  readonly read: (text: string) => unknown;
  /** Values without which others mean nothing. */
  readonly base: Readonly<Record<string, string>>;
}

const MEANINGS: readonly Meaning[] = [
  {
    file: "runtimes/formats/config/node-config.ts",
    type: "NodeConfig",
    read: (text) => readNodeConfig(text, "c").value,
    base: {
      "rpc.management": "token",
      "rpc.management_token_file": "token",
      "p2p.ws_listen_port": "30400",
      "p2p.ws_cert": "cert",
      "p2p.ws_key": "key",
      "metrics.listen_port": "9300",
    },
  },
  {
    file: "core/model/config.ts",
    type: "GenesisConfig",
    read: (text) => iniGroupFormat(() => {}, NEWEST_VERSION).readGenesis(text),
    base: { "consensus.consensus_type": "raft", "consensus.node.0": SEALER_B, "group.id": "2" },
  },
  {
    file: "runtimes/formats/config/group-file.ts",
    type: "GroupFile",
    read: (text) => readGroupFile(text, "g").value,
    base: {},
  },
];

function iniOf(values: Readonly<Record<string, string>>): string {
  const sections = new Map<string, string[]>();
  for (const [path, value] of Object.entries(values)) {
    const dot = path.indexOf(".");
    const lines = sections.get(path.slice(0, dot)) ?? [];
    sections.set(path.slice(0, dot), [...lines, `${path.slice(dot + 1)}=${value}`]);
  }
  return [...sections].map(([name, lines]) => `[${name}]\n${lines.join("\n")}\n`).join("");
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Paths to the values that differ. */
function differences(one: unknown, two: unknown): string[][] {
  if (isDeepStrictEqual(one, two)) return [];
  if (!isRecord(one) || !isRecord(two)) return [[]];
  const names = new Set([...Object.keys(one), ...Object.keys(two)]);
  return [...names].flatMap((name) =>
    differences(one[name], two[name]).map((path) => [name, ...path]),
  );
}

/** What a key can change, whatever allowed text it has. */
function changedBy({ read, base }: Meaning, [path, , good]: Row): string[][] {
  const key = path.replace("<i>", "0");
  const paths = words(good).flatMap((text) => {
    try {
      return differences(read(iniOf(base)), read(iniOf({ ...base, [key]: text })));
    } catch (fault) {
      // Some values ask for others; those of the row that do not are enough.
      if (fault instanceof ConfigFault) return [];
      throw fault;
    }
  });
  return [...new Map(paths.map((changed) => [changed.join("."), changed])).values()];
}

/** What turns text into values or back, and what only gives advice about them. */
const NO_READER = new RegExp(
  [
    "^runtimes/(formats/config/|folder/node-texts[.])",
    "^runtimes/node/observe/doctor-",
    "^runtimes/(browser|edge|tools)/",
  ].join("|"),
);

interface Found {
  readonly key: string;
  readonly marked: boolean;
  /** Values of which others are refused: the refusal is what the key does. */
  readonly refuses: boolean;
  readonly paths: readonly string[];
}

const found: Found[] = [];
let unread: ReadonlySet<string>;

beforeAll(() => {
  for (const [index, { name: file, schema }] of CONFIG_FILES.entries()) {
    const meaning = MEANINGS[index] ?? assert.fail();
    for (const row of ROWS[index] ?? []) {
      const dot = row[0].indexOf(".");
      const { notes } = schema[row[0].slice(0, dot)]?.keys[row[0].slice(dot + 1)] ?? assert.fail();
      found.push({
        key: `${file}: ${row[0]}`,
        marked: notes.noEffect === true,
        refuses: notes.notOffered !== undefined,
        paths: changedBy(meaning, row).map((path) => [meaning.type, ...path].join(".")),
      });
    }
  }
  const asked = MEANINGS.map(({ file, type }) => {
    const own = found.flatMap(({ paths }) => paths).filter((path) => path.startsWith(`${type}.`));
    return { file, type, paths: own.map((path) => path.split(".").slice(1)) };
  });
  // Those that read most of it come first.
  const files = ["runtimes/node", "runtimes/folder", "runtimes/formats", "core", "runtimes/shared"]
    .flatMap(listFiles)
    .filter((path) => path.endsWith(".ts"));
  const readers = files.filter((path) => !NO_READER.test(path));
  unread = new Set(unreadPaths(files, readers, asked));
});

test("what a key sets is read by the node, or the key is marked as without effect", () => {
  const silent = found.filter(({ marked, refuses, paths }) => {
    const isRead = paths.some((path) => !unread.has(path));
    return !marked && !refuses && !isRead;
  });
  assertNone(
    silent.map(({ key, paths }) => `${key} ${paths.join(" ")}`),
    "nobody reads what these keys set: have them do what they say, or mark them noEffect",
  );
});

test("nothing reads what a key sets that is marked as without effect", () => {
  const effective = found.filter(
    ({ marked, paths }) => marked && paths.some((path) => !unread.has(path)),
  );
  assertNone(
    effective.map(({ key, paths }) => `${key} ${paths.join(" ")}`),
    "these keys have an effect: take the mark noEffect away",
  );
});
