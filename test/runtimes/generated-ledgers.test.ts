/**
 * Ledgers that the oracle executed, through the executor: on Node each of them, some of them in
 * Chromium and in workerd too. `npm run soak -- ledgers` does the same with many more.
 */
// rules: execution 3, 4, 5, 7, 9, storage 5, 6, sm-suite 3
import assert from "node:assert/strict";
import { afterAll, beforeAll, test } from "vitest";
import { openPage } from "../support/browser/chromium.ts";
import { bundleFor } from "../support/browser/platform-bundle.ts";
import { openWorker } from "../support/browser/workerd.ts";
import type { Difference } from "../../runtimes/shared/ledger-file/differences.ts";
import type { LedgerText } from "../soak/ledgers/compared.ts";
import { OracleProcess } from "../soak/ledgers/oracle-process.ts";
import { caseOf, caseText, KINDS, modesOf, VERSIONS } from "../soak/ledgers/plan.ts";
import {
  type Recorded,
  recordCase,
  reexecuteExport,
  replayRecorded,
  suiteCache,
} from "../soak/ledgers/run.ts";
import { untilHolds } from "../support/browser/page-looks.ts";
import { TAKES_ALL_CASES } from "../support/runner/cases.ts";

const LEDGERS = TAKES_ALL_CASES ? 43 : 18;
/** From here on so few are of every version, kind, suite and storage mode. */
const FIRST_SEED = 36;
const BLOCKS = 5;
const TRANSACTIONS = TAKES_ALL_CASES ? 3_000 : 1_200;
/** Every this many ledgers one is also sent to the other runtimes, and exported. */
const SENT_EACH = 6;
/** Compilers take longer than all the rest. */
const MODES = modesOf(
  KINDS.filter((kind) => kind !== "solidity"),
  VERSIONS,
);

interface Replayed extends Recorded {
  readonly transactions: number;
}

/** A ledger as the other engines are given it. */
interface Order {
  readonly ledger: LedgerText;
  readonly suite: "standard" | "national";
}

/** What others come to on a ledger, while the next ones are replayed here. */
interface Sent {
  /** The roots that came out here. */
  readonly executed: readonly string[];
  readonly roots: Readonly<Record<"inChromium" | "inWorkerd", Promise<readonly string[]>>>;
  readonly exported: Promise<readonly Difference[]>;
}

const REPLAY = `
  import { compareLedger } from "../soak/ledgers/compared.ts";
  import { createWebSuite } from "../../runtimes/shared/platform/web-suite.ts";
  const replay = async ({ ledger, suite }) =>
    compareLedger(ledger, await createWebSuite(suite));
`;

async function openInChromium() {
  const { script } = await bundleFor("browser", `${REPLAY} globalThis.replay = replay;`);
  const opened = await openPage(new Map([["replay.js", script]]), "replay.js");
  await untilHolds(opened.page, "globalThis.replay !== undefined");
  return opened;
}

async function openInWorkerd() {
  const answer = "async (request) => Response.json(await replay(await request.json()))";
  const { script } = await bundleFor("edge", `${REPLAY} export default { fetch: ${answer} };`);
  return openWorker(script);
}

/**
 * They start while the oracle is at the first ledgers. One after the other: while a Chromium is
 * unpacked the folder for temporary files is another one.
 */
function startEngines() {
  const chromium = openInChromium();
  const started = { chromium, workerd: chromium.then(openInWorkerd) };
  // Examined when they are awaited.
  for (const engine of Object.values(started)) engine.catch(() => undefined);
  return started;
}
let engines: ReturnType<typeof startEngines>;

async function rootsInChromium(order: Order): Promise<readonly string[]> {
  const { page } = await engines.chromium;
  const work = `replay(${JSON.stringify(order)})`;
  return (await page.evaluate<{ roots: string[] }>(work)).roots;
}

async function rootsInWorkerd(order: Order): Promise<readonly string[]> {
  const worker = await engines.workerd;
  const answered = await worker.fetch("/", { method: "POST", body: JSON.stringify(order) });
  return ((await answered.json()) as { roots: string[] }).roots;
}

const oracle = new OracleProcess();
const suiteOf = suiteCache();
/** The oracle goes on while the first of them are replayed. */
const recordings: Promise<Recorded>[] = [];
const replayed: Replayed[] = [];
const sent: Sent[] = [];

beforeAll(() => {
  engines = startEngines();
  for (let seed = FIRST_SEED; seed < FIRST_SEED + LEDGERS; seed++) {
    const recording = recordCase(oracle, { ...caseOf(seed, MODES), blocks: BLOCKS }, []);
    // Examined when it is awaited.
    recording.catch(() => undefined);
    recordings.push(recording);
  }
});
afterAll(async () => {
  const opened = await Promise.allSettled(Object.values(engines));
  for (const engine of opened) if (engine.status === "fulfilled") await engine.value.close();
  await oracle.close();
});

/** Has the others begin with a ledger that was replayed here. */
function sendOn(one: Replayed, executed: readonly string[]): Sent {
  const { version, sm } = one.of;
  const suite = sm ? "national" : "standard";
  const order: Order = { ledger: { version, ...one.ledger }, suite };
  const roots = { inChromium: rootsInChromium(order), inWorkerd: rootsInWorkerd(order) };
  const exported = reexecuteExport(oracle, one, one.transactions, suiteOf);
  // Examined when they are awaited.
  for (const work of [...Object.values(roots), exported]) work.catch(() => undefined);
  return { executed, roots, exported };
}

test("generated transactions come out as the oracle executed them", async () => {
  const different: string[] = [];
  for (const [index, recording] of recordings.entries()) {
    const { of, blocks, ledger } = await recording;
    const { transactions, differences, roots } = await replayRecorded(of, ledger, suiteOf);
    const one = { of, blocks, ledger, transactions };
    replayed.push(one);
    for (const { block, field } of differences.slice(0, 1))
      different.push(`${caseText(of)}: block ${block}, ${field}`);
    if (index % SENT_EACH === 0) sent.push(sendOn(one, roots));
  }
  assert.deepEqual(different, []);
  const count = replayed.reduce((sum, { transactions }) => sum + transactions, 0);
  assert.ok(count >= TRANSACTIONS, `${count} transactions`);
  for (const trait of ["version", "kind", "sm", "free"] as const) {
    const seen = new Set(replayed.map(({ of }) => of[trait]));
    assert.deepEqual([...seen].sort(), [...new Set(MODES.map((mode) => mode[trait]))].sort());
  }
});

test("the oracle has rules for almost all of them", () => {
  const leftOut = replayed.reduce((sum, { ledger }) => sum + ledger.leftOut.length, 0);
  assert.equal(replayed.length, LEDGERS);
  assert.ok(leftOut < TRANSACTIONS / 100, `${leftOut} were left out`);
});

test("what ours exports of them the oracle executes to the same", async () => {
  assert.ok(sent.length > 0);
  assert.deepEqual((await Promise.all(sent.map(({ exported }) => exported))).flat(), []);
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

const asExecuted = () => sent.map(({ executed }) => executed);

test("they give the same roots in Chromium", async () => {
  assert.ok(sent.length > 0);
  const roots = await Promise.all(sent.map(({ roots: { inChromium } }) => inChromium));
  assert.deepEqual(roots, asExecuted());
  assert.deepEqual((await engines.chromium).errors, []);
});

test("they give the same roots in workerd", async () => {
  assert.ok(sent.length > 0);
  const roots = await Promise.all(sent.map(({ roots: { inWorkerd } }) => inWorkerd));
  assert.deepEqual(roots, asExecuted());
});
