/**
 * Ledgers that the oracle executed, through the executor: on Node each of them, some of them in
 * Chromium and in workerd too. `npm run soak -- ledgers` does the same with many more.
 */
// rules: execution 3, 4, 5, 7, 9, storage 5, 6, sm-suite 3
import assert from "node:assert/strict";
import { afterAll, beforeAll, test } from "vitest";
import { openPage } from "../support/chromium.ts";
import { bundleFor } from "../support/platform-bundle.ts";
import { openWorker } from "../support/workerd.ts";
import type { LedgerText } from "../soak/ledgers/compared.ts";
import { OracleProcess } from "../soak/ledgers/oracle-process.ts";
import { caseOf, caseText, KINDS, modesOf, VERSIONS } from "../soak/ledgers/plan.ts";
import {
  type Recorded,
  recordCase,
  reexecuteExport,
  replayRecorded,
  suiteShelf,
} from "../soak/ledgers/run.ts";

const LEDGERS = 43;
/** From here on they are of every version. */
const FIRST_SEED = 40;
const BLOCKS = 5;
const TRANSACTIONS = 3_000;
/** Every so many ledgers one is also sent to the other runtimes, and exported. */
const SENT_EACH = 9;
/** Compilers take longer than all the rest. */
const MODES = modesOf(
  KINDS.filter((kind) => kind !== "solidity"),
  VERSIONS,
);

interface Sent {
  readonly ledger: LedgerText;
  readonly suite: "standard" | "national";
  readonly roots: readonly string[];
}

const oracle = new OracleProcess();
const suiteOf = suiteShelf();
/** The oracle goes on while the first of them are replayed. */
const recordings: Promise<Recorded>[] = [];
const replayed: (Recorded & { readonly transactions: number })[] = [];
const sent: Sent[] = [];

beforeAll(() => {
  for (let seed = FIRST_SEED; seed < FIRST_SEED + LEDGERS; seed++) {
    const recording = recordCase(oracle, { ...caseOf(seed, MODES), blocks: BLOCKS }, []);
    // Looked at when it is awaited.
    recording.catch(() => undefined);
    recordings.push(recording);
  }
});
afterAll(() => oracle.close());

test("3,000 generated transactions come out as the oracle executed them", async () => {
  const different: string[] = [];
  for (const [index, recording] of recordings.entries()) {
    const { of, blocks, ledger } = await recording;
    const { transactions, differences, roots } = await replayRecorded(of, ledger, suiteOf);
    replayed.push({ of, blocks, ledger, transactions });
    for (const { block, field } of differences.slice(0, 1))
      different.push(`${caseText(of)}: block ${block}, ${field}`);
    if (index % SENT_EACH > 0) continue;
    const { version, sm } = of;
    sent.push({ ledger: { version, ...ledger }, suite: sm ? "national" : "standard", roots });
  }
  assert.deepEqual(different, []);
  const count = replayed.reduce((sum, { transactions }) => sum + transactions, 0);
  assert.ok(count >= TRANSACTIONS, `${count} transactions`);
  assert.deepEqual([...new Set(replayed.map(({ of }) => of.version))].sort(), [...VERSIONS].sort());
});

test("the oracle has rules for almost all of them", () => {
  const leftOut = replayed.reduce((sum, { ledger }) => sum + ledger.leftOut.length, 0);
  assert.equal(replayed.length, LEDGERS);
  assert.ok(leftOut < TRANSACTIONS / 100, `${leftOut} were left out`);
});

test("what ours exports of them the oracle executes to the same", async () => {
  const different = [];
  const some = replayed.filter((_, index) => index % SENT_EACH === 0);
  assert.ok(some.length > 0);
  for (const one of some)
    different.push(...(await reexecuteExport(oracle, one, one.transactions, suiteOf)));
  assert.deepEqual(different, []);
});

/** What an export must not have, made from one line of it. */
const WRONG: Readonly<Record<string, (line: string) => string>> = {
  "another bloom": (line) => line.replace(/"logsBloom":"0x./g, '"logsBloom":"0xf'),
  "another message": (line) => line.replace(/"statusMsg":"/, '"statusMsg":"x'),
  "another root of receipts": (line) => line.replace(/"receiptsRoot":"0x./g, '"receiptsRoot":"0xg'),
  "a seal of nobody": (line) => line.replace(/"signature":"0x../g, '"signature":"0x00'),
};
/** Of the first ledger the lines up to one with receipts, which is spoilt; what is noticed. */
async function noticed(spoil: (line: string) => string) {
  const [{ of, ledger } = assert.fail()] = replayed;
  const { version, sm } = of;
  const at = ledger.lines.findIndex((line, number) => number > 0 && line.includes("statusMsg"));
  assert.ok(at > 0);
  const right = ledger.lines.slice(0, at + 1);
  const lines = right.map((line, number) => (number === at ? spoil(line) : line));
  const { differences } = await oracle.reexecute({ version, sm, genesis: ledger.genesis }, lines);
  return { differences, isSpoilt: lines.join() !== right.join() };
}

test("the oracle notices nothing in what is right", async () => {
  assert.deepEqual(await noticed((line) => line), { differences: [], isSpoilt: false });
});
for (const [name, spoil] of Object.entries(WRONG)) {
  test(`the oracle notices ${name} in an export`, async () => {
    const { differences, isSpoilt } = await noticed(spoil);
    assert.ok(isSpoilt && differences.length > 0);
  });
}

const REPLAY = `
  import { compareLedger } from "../soak/ledgers/compared.ts";
  import { createWebSuite } from "../../runtimes/shared/web-suite.ts";
  const replay = async ({ ledger, suite }) =>
    compareLedger(ledger, await createWebSuite(suite));
`;

test("they give the same roots in Chromium", async () => {
  const { script } = await bundleFor("browser", `${REPLAY} globalThis.replay = replay;`);
  const opened = await openPage(new Map([["replay.js", script]]), "replay.js");
  try {
    await opened.page.waitForFunction("globalThis.replay !== undefined");
    assert.ok(sent.length > 0);
    for (const one of sent) {
      const text = JSON.stringify({ ledger: one.ledger, suite: one.suite });
      const { roots } = await opened.page.evaluate<{ roots: string[] }>(`replay(${text})`);
      assert.deepEqual(roots, one.roots);
    }
    assert.deepEqual(opened.errors, []);
  } finally {
    await opened.close();
  }
});

test("they give the same roots in workerd", async () => {
  const answer = "async (request) => Response.json(await replay(await request.json()))";
  const { script } = await bundleFor("edge", `${REPLAY} export default { fetch: ${answer} };`);
  const worker = await openWorker(script);
  try {
    assert.ok(sent.length > 0);
    for (const { ledger, suite, roots } of sent) {
      const body = JSON.stringify({ ledger, suite });
      const answered = await worker.fetch("/", { method: "POST", body });
      assert.deepEqual(((await answered.json()) as { roots: string[] }).roots, roots);
    }
  } finally {
    await worker.close();
  }
});
