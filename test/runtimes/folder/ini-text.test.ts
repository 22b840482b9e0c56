/** Ini text line by line, and any text at all. */
// rules: groups 8
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { toHex } from "../../../core/bytes/hex.ts";
import type { NodeId } from "../../../core/bytes/ids.ts";
import {
  ConfigFault,
  type Reading,
  warningText,
} from "../../../runtimes/formats/config/config-fault.ts";
import { CONFIG_FILES } from "../../support/reference/config-reference.ts";
import {
  readGenesisFile,
  writeGenesisFile,
} from "../../../runtimes/formats/config/genesis-file.ts";
import { readGroupFile, writeGroupFile } from "../../../runtimes/formats/config/group-file.ts";
import { parseIni } from "../../../runtimes/formats/config/ini-text.ts";
import { readNodeConfig, writeNodeConfig } from "../../../runtimes/formats/config/node-config.ts";
import { SMALLEST_GENESIS } from "./config-samples.ts";
import { cases } from "../../support/runner/cases.ts";

test("names and values keep their case, dots, quotes, escapes and inner signs", () => {
  const text = '[A.b]\r\n  Key.0 = "x\\;y" ; z=1 \r\n[a]\nkey=\n';
  assert.deepEqual(parseIni(text).entries, [
    { section: "A.b", key: "Key.0", value: '"x\\;y" ; z=1', line: 2 },
    { section: "a", key: "key", value: "", line: 4 },
  ]);
});

test("comments, blank lines and a byte order mark are nothing", () => {
  const { entries, flaws } = parseIni("\ufeff; a=1\n\t\n# b=2\n  ;c\n[s]\n  a=1");
  assert.deepEqual(entries, [{ section: "s", key: "a", value: "1", line: 6 }]);
  assert.deepEqual(flaws, []);
});

const FLAWED = [
  ["[s]\nword", 2, "a line is [section]"],
  ["[s]\n=1", 2, "a line is [section]"],
  ["\n[s\na=1", 2, "between [ and ]"],
  ["[s]\na=1\na=2", 3, "a stands on line 2 already"],
  ["[s]\n[t]\n[s]", 3, "[s] stands on line 1 already"],
] as const;

for (const [text, line, allowed] of FLAWED) {
  test(`line ${line} of ${JSON.stringify(text)} is named`, () => {
    const { flaws } = parseIni(text);
    assert.equal(flaws.length, 1);
    assert.equal(flaws[0]?.line, line);
    assert.ok(flaws[0]?.allowed.includes(allowed), flaws[0]?.allowed);
    assert.throws(() => readNodeConfig(text, "c"), ConfigFault);
  });
}

test("keys named like properties of objects are keys like others", () => {
  const names = ["__proto__", "constructor", "toString", "hasOwnProperty"];
  const text = names.map((name) => `[${name}]\n${name}=true`).join("\n");
  const { warnings } = readNodeConfig(text, "c");
  assert.equal(warnings.filter(({ message }) => message.includes("unknown section")).length, 4);
  const own = `[chain]\n${names.map((name) => `${name}=1`).join("\n")}`;
  assert.equal(readNodeConfig(own, "c").value.chain.chainId, 1);
  assert.throws(() => readNodeConfig("[chain]\nsm_crypto=toString", "c"), ConfigFault);
});

test("a long or unprintable value is shortened in messages", () => {
  const text = `[chain]\nid=\u0007${"9".repeat(10_000)}`;
  assert.throws(
    () => readNodeConfig(text, "c"),
    (cause) => cause instanceof ConfigFault && cause.message.length < 250,
  );
});

test("ten thousand flaws are a hundred problems", () => {
  assert.throws(
    () => readNodeConfig("x\n".repeat(10_000), "c"),
    (cause) => cause instanceof ConfigFault && cause.problems.length === 100,
  );
});

/** A text of lines that are near to what a file of that kind says. */
function nearText(index: number): fc.Arbitrary<string> {
  const { schema } = CONFIG_FILES[index] ?? assert.fail();
  const names = Object.entries(schema).flatMap(([section, { keys }]) => [
    `[${section}]`,
    ...Object.keys(keys).map((key) => key.replace("<i>", "0")),
  ]);
  const value = fc.oneof(
    fc.constantFrom("", "true", "false", "0", "1", "-1", "1024", "65536", "pbft", "raft", "::1"),
    fc.constantFrom("ab".repeat(64), "2.4.0", "a:1", "[::1]:1", "1e9", "0x10", "mysql", "NaN"),
    fc.integer().map(String),
    fc.string(),
  );
  const line = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...names.filter((name) => name.startsWith("["))) },
    { weight: 6, arbitrary: fc.tuple(fc.constantFrom(...names), value).map((kv) => kv.join("=")) },
    { weight: 1, arbitrary: fc.string({ unit: "binary-ascii" }) },
  );
  return fc.array(line, { maxLength: 25 }).map((lines) => lines.join("\n"));
}

/** A good text with a piece cut out and another put in its place. */
function mutated(text: string): fc.Arbitrary<string> {
  const place = fc.nat(text.length);
  const piece = fc.oneof(
    fc.string({ unit: "binary-ascii" }),
    fc.constantFrom("=", "[", "]", "\n", ";"),
  );
  return fc
    .tuple(place, fc.nat(40), piece)
    .map(([at, length, put]) => text.slice(0, at) + put + text.slice(at + length));
}

const SAMPLE_GENESIS = readGenesisFile(SMALLEST_GENESIS, "g").value.genesis;

const READERS: readonly (readonly [string, (text: string) => Reading<unknown>])[] = [
  [writeNodeConfig({}), (text) => readNodeConfig(text, "config.ini")],
  [writeGenesisFile(SAMPLE_GENESIS), (text) => readGenesisFile(text, "group.1.genesis")],
  [writeGroupFile(), (text) => readGroupFile(text, "group.1.ini")],
];

/** Ten thousand texts in all when every case is examined. */
const RUNS = cases(3_400);

for (const [index, [sample, read]] of READERS.entries()) {
  const name = CONFIG_FILES[index]?.name;
  test(`${RUNS} random texts as ${name} give a value or a fault with a place`, () => {
    let accepted = 0;
    const bytes = fc.uint8Array({ maxLength: 200 }).map((raw) => new TextDecoder().decode(raw));
    const texts = fc.oneof(nearText(index), mutated(sample), bytes);
    const holds = fc.property(texts, (text) => {
      try {
        const { warnings } = read(text);
        accepted += 1;
        for (const warning of warnings) assert.ok(warningText(warning).length < 4_000);
      } catch (cause) {
        assert.ok(cause instanceof ConfigFault, String(cause));
        assert.ok(cause.problems.length > 0);
        for (const { file, allowed, reason, line, value } of cause.problems) {
          assert.ok(file !== "" && allowed !== "");
          if (reason !== "missing") assert.ok(line !== undefined && value !== undefined);
        }
      }
    });
    fc.assert(holds, { numRuns: RUNS });
    assert.ok(accepted > RUNS / 50 && accepted < RUNS, `${accepted} of ${RUNS} were accepted`);
  });
}

const GENESIS = fc.record(
  {
    groupId: fc.integer({ min: 1, max: 32_767 }),
    timestamp: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
    consensusType: fc.constant("pbft" as const),
    sealers: fc.uniqueArray(
      fc.uint8Array({ minLength: 64, maxLength: 64 }).map((bytes) => toHex(bytes) as NodeId),
      { minLength: 1, maxLength: 9 },
    ),
    maxTransactions: fc.integer({ min: 1 }),
    gasLimit: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
    consensusTimeoutSeconds: fc.integer({ min: 3, max: 4_294_966 }),
    freeStorage: fc.boolean(),
  },
  { noNullPrototype: true },
);

test("any genesis is read back as it was written", () => {
  const holds = fc.property(GENESIS, (genesis) => {
    const { value, warnings } = readGenesisFile(writeGenesisFile(genesis), "g");
    assert.deepEqual([value.genesis, warnings], [genesis, []]);
  });
  fc.assert(holds, { numRuns: cases(200) });
});

test("any limits of a node are read back as they were written", () => {
  const limits = fc.tuple(
    fc.integer({ min: 1 }),
    fc.double({ min: 0.001, max: 1e12, noNaN: true }),
  );
  const holds = fc.property(limits, ([limit_req, mbit]) => {
    const outgoing_bandwidth_limit = Number(mbit.toFixed(3));
    const text = writeNodeConfig({ flow_control: { limit_req, outgoing_bandwidth_limit } });
    const { flowControl } = readNodeConfig(text, "c").value;
    assert.equal(flowControl.requestsPerSecond, limit_req);
    assert.ok(Math.abs((flowControl.outgoingMbit ?? 0) - outgoing_bandwidth_limit) < 1e-3);
  });
  fc.assert(holds, { numRuns: cases(200) });
});
