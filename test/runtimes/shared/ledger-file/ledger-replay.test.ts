/** Recorded ledgers through the executor: equal where they are, found out where they are not. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { hexBytes, nodeIdOf } from "../../../../core/bytes/hex.ts";
import type { GenesisConfig } from "../../../../core/model/config.ts";
import { NEWEST_VERSION } from "../../../../core/model/version.ts";
import { openMemoryStore } from "../../../../core/storage/memory-store.ts";
import type { Difference } from "../../../../runtimes/shared/ledger-file/differences.ts";
import { LedgerReplay } from "../../../../runtimes/shared/ledger-file/ledger-replay.ts";
import { LedgerFileFault } from "../../../../runtimes/shared/ledger-file/ledger-file-fault.ts";
import { readRecordedBlock } from "../../../../runtimes/shared/ledger-file/recorded-block.ts";
import {
  RECORD_SUITES,
  type RecordSuite,
  recordGenesis,
  signedRecord,
} from "../../../support/ledger/signed-record.ts";

async function replayed(
  lines: readonly string[],
  name: RecordSuite = "standard",
  genesis: GenesisConfig = recordGenesis(name),
): Promise<readonly Difference[]> {
  const suite = RECORD_SUITES[name];
  const options = { store: openMemoryStore(), suite, version: NEWEST_VERSION };
  const replay = await LedgerReplay.open({ ...options, genesis });
  const found: Difference[] = [];
  for (const [i, line] of lines.entries()) {
    const { differences, stuck } = await replay.next(readRecordedBlock(line, i + 1));
    found.push(...differences);
    if (stuck) break;
  }
  return found;
}

/** The lines with one text of a block replaced, everywhere or at its first place. */
function altered(lines: readonly string[], block: number, change: (line: string) => string) {
  return lines.map((line, i) => {
    if (i !== block) return line;
    const changed = change(line);
    assert.notEqual(changed, line);
    return changed;
  });
}

/** Another digit at the place of the first match, behind its prefix. */
function otherDigit(line: string, prefix: RegExp): string {
  const match = prefix.exec(line);
  assert.ok(match, `${prefix}`);
  const at = match.index + match[0].length;
  return `${line.slice(0, at)}${line[at] === "5" ? "6" : "5"}${line.slice(at + 1)}`;
}

const SUITES = Object.keys(RECORD_SUITES) as RecordSuite[];

for (const name of SUITES) {
  test(`a ${name} ledger executed by the same rules comes out equal, block by block`, async () => {
    assert.deepEqual(await replayed(await signedRecord(name), name), []);
  });
}

test("sealers come in any order in a genesis file, and ascending in headers", async () => {
  const suite = RECORD_SUITES.standard;
  const keys = ["31", "32", "33", "34"].map((digits) => hexBytes(digits.repeat(32)));
  const ascending = keys.map((key) => nodeIdOf(suite.publicKey(key))).sort();
  for (const sealers of [ascending, ascending.toReversed()]) {
    const genesis = { ...recordGenesis("standard"), sealers };
    const lines = await signedRecord("standard", { genesis, keys });
    assert.deepEqual(await replayed(lines, "standard", genesis), []);
  }
});

const RECEIPT = /"receipts":\[\{.*?/s;
const ALTERATIONS: readonly (readonly [string, RegExp, RegExp])[] = [
  ["gas of a receipt", /"receipts":.*?"gasUsed":"0x/s, /^receipts\[0\]\.gasUsed$/],
  ["output of a receipt", /"receipts":.*?"output":"0x/s, /^receipts\[0\]\.output$/],
  ["status of a receipt", /"receipts":.*?"status":"0x/s, /^receipts\[0\]\.status$/],
  ["address of a receipt", /"receipts":.*?"contractAddress":"0x/s, /^receipts\[0\]\.contract/],
  ["state root", /"header":.*?"stateRoot":"0x/s, /^header\.(stateRoot|hash)$/],
  ["receipts root", /"header":.*?"receiptsRoot":"0x/s, /^header\.(receiptsRoot|hash)$/],
  ["gas of the header", /"header":.*?"gasUsed":"0x/s, /^header\.(gasUsed|hash)$/],
  ["time of the header", /"header":.*?"timestamp":"0x1/s, /^header\.hash$/],
  ["hash of the block", /"header":.*?"hash":"0x/s, /^header\.hash$/],
  ["root of the transactions", /"header":.*?"transactionsRoot":"0x/s, /^(block|header\.hash)$/],
  ["input of a transaction", /"transactions":.*?"input":"0x/s, /^block\.transactions\[0\]\.hash$/],
  ["sender of a transaction", /"transactions":.*?"from":"0x/s, /^block\.transactions\[0\]\.from$/],
  ["signature of a transaction", /"transactions":.*?"signature":"0x/s, /^block/],
  ["a seal", /"header":.*?"signatureList":\[\{"index":"0x0","signature":"0x/s, /signatureList/],
  ["a root that the block repeats", /"block":.*?"stateRoot":"0x/s, /^block\.stateRoot$/],
];
const EACH = SUITES.flatMap((suite) => ALTERATIONS.map((row) => [suite, ...row] as const));
for (const [suite, name, prefix, field] of EACH) {
  test(`one digit altered in the ${name} (${suite}) is a difference of that block`, async () => {
    const lines = altered(await signedRecord(suite), 2, (line) => otherDigit(line, prefix));
    const found = await replayed(lines, suite);
    assert.ok(found.length >= 1);
    assert.equal(found[0]?.block, 2);
    const fields = found.map((difference) => difference.field);
    assert.ok(
      fields.some((path) => field.test(path)),
      fields.join(),
    );
    assert.deepEqual([...new Set(found.map(({ block }) => block))], [2]);
  });
}

/** Letters and digits between which the step is: each is altered in a ledger of its own. */
const SWEEP_STEP = 401;
for (const name of SUITES) {
  test(`no letter of a ${name} block can be another without being noticed there`, async () => {
    const lines = await signedRecord(name);
    const line = lines[2] ?? "";
    for (let at = SUITES.indexOf(name) + 20; at < line.length; at += SWEEP_STEP) {
      if (!/[0-9a-zA-Z]/.test(line[at] ?? "")) continue;
      const other = line[at] === "0" ? "1" : "0";
      const changed = `${line.slice(0, at)}${other}${line.slice(at + 1)}`;
      const place = line.slice(at - 30, at + 10);
      const outcome = replayed(lines.with(2, changed), name).then(
        (found) => found.map(({ block }) => block),
        (fault: Error) => (fault instanceof LedgerFileFault ? fault.message : fault),
      );
      const told = await outcome;
      if (typeof told === "string")
        assert.match(told, /^(line 3|block 2|block [0-9]+ stands)/, place);
      else assert.deepEqual([...new Set(told as number[])], [2], place);
    }
  });
}

test("what is missing or too much in a record is a difference", async () => {
  const lines = await signedRecord();
  const without = altered(lines, 2, (line) => line.replace(RECEIPT, '"receipts":[{"new":"0x1",'));
  assert.equal((await replayed(without))[0]?.field, "receipts[0].new");
  const fewer = altered(lines, 3, (line) => line.replace(/"receipts":\[.*\]/s, '"receipts":[]'));
  assert.match((await replayed(fewer))[0]?.field ?? "", /^receipts\[0\]/);
});

test("a seal of nobody, a seal twice, or too few of them do not decide a block", async () => {
  const lines = await signedRecord();
  const none = altered(lines, 1, (line) =>
    line.replaceAll(/"signatureList":\[[^\]]*\]/g, '"signatureList":[]'),
  );
  const found = await replayed(none);
  assert.equal(found[0]?.field, "header.signatureList");
  assert.equal(found[0]?.computed, "tooFewSeals");
});

test("a file that is no ledger is refused with its line", async () => {
  const lines = await signedRecord();
  for (const text of ["", "[]", "{}", '{"number":1}', "{", '{"number":1.5,"header":{}}'])
    assert.throws(() => readRecordedBlock(text, 7), /^LedgerFileFault: line 7: /);
  await assert.rejects(replayed([lines[0] ?? "", lines[2] ?? ""]), LedgerFileFault);
  await assert.rejects(replayed([lines[0] ?? "", lines[0] ?? ""]), LedgerFileFault);
  const unreadable = altered(lines, 1, (line) => line.replace(/"nonce":"0x1"/, '"nonce":1'));
  await assert.rejects(replayed(unreadable), /block 1: transactions\[0\]\.nonce: a quantity/);
});
