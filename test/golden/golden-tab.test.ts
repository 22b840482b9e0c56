/**
 * Recorded exchanges of the reference node once more, apart from those about HTTP itself: asked
 * in real Chromium through the connection that a page has to the node of its tab.
 */
import assert from "node:assert/strict";
import { test } from "vitest";
import { TAKES_ALL_CASES } from "../support/runner/cases.ts";
import { openPage } from "../support/browser/chromium.ts";
import { bundleFor } from "../support/browser/platform-bundle.ts";
import { recordedFiles, recordingsBundle } from "../support/browser/recordings-bundle.ts";
import { type Exchange, readExchanges } from "./exchange.ts";
import { judge, newTally, type Verdict } from "./judge.ts";
import { OUT_OF_SCOPE } from "./out-of-scope.ts";
import { RECORDINGS } from "./recordings.ts";
import { untilHolds } from "../support/browser/page-looks.ts";

// rules: rpc-semantics 2.1, rpc-semantics 2.4, rpc-semantics 3.1, rpc-semantics 5

/** One file of each of the two chains of group 1. */
const OF_LONG_CHAIN = new Set(["tx_evm.jsonl", "limits.jsonl"]);
/**
 * Of group 1 nothing is asked but with all cases: its chain takes most of the time, to be executed
 * and to be asked, on its methods, proofs, limits and most contracts. A node that answers otherwise
 * fails golden.test.ts; what a tab does to an answer on its way shows at group 3 and at the two
 * chains of older versions.
 */
const ASKED = RECORDINGS.map((recording, index) => ({ ...recording, index })).filter(
  ({ files }) => TAKES_ALL_CASES || files.every((file) => !OF_LONG_CHAIN.has(file)),
);
/** Exchanges that the page is given at a time. */
const SHARE = 200;

/** This many of the exchanges pass, and not fewer. */
const FEWEST = TAKES_ALL_CASES ? 2_400 : 500;

const PAGE = `
  import { wrap } from "comlink";
  globalThis.node = wrap(new Worker("/golden-worker.js", { type: "module" }));
`;

/** Whether it is about JSON-RPC, not about HTTP. */
function isAsked(exchange: Exchange): boolean {
  if (OUT_OF_SCOPE.some((it) => it.concerns(exchange))) return false;
  const { rawHttp, method, headers, body } = exchange.request;
  if (rawHttp !== undefined || method !== "POST" || body === null) return false;
  if (Object.keys(headers).some((name) => name.toLowerCase() !== "content-type")) return false;
  return exchange.response.status === 200;
}

test("recorded exchanges about JSON-RPC are answered in a tab as the reference did", async () => {
  const { script } = await bundleFor("browser", PAGE);
  const files = new Map([
    ["page.js", script],
    ["golden-worker.js", await recordingsBundle("test/golden/golden-worker.ts")],
    ["files.js", recordedFiles()],
  ]);
  const { page, errors, close } = await openPage(files, "page.js");
  const tally = newTally();
  const verdicts: Record<Verdict, number> = tally.counts;
  try {
    await untilHolds(page, "globalThis.node !== undefined");
    for (const { index, files: names } of ASKED) {
      const first = await page.evaluate<number>(`node.open(${index})`);
      const asked = names.flatMap(readExchanges).filter(isAsked);
      for (let at = 0; at < asked.length; at += SHARE) {
        const share = asked.slice(at, at + SHARE);
        const texts = await page.evaluate<string[]>(`node.ask(${first}, ${JSON.stringify(share)})`);
        for (const [i, exchange] of share.entries())
          verdicts[judge(tally, exchange, { status: 200, body: texts[i] ?? "" })] += 1;
      }
    }
  } finally {
    await close();
  }
  console.log(`golden exchanges in a tab: ${verdicts.passed} passed, ${verdicts.allowed} allowed`);
  assert.deepEqual(tally.failures, []);
  assert.ok(verdicts.passed > FEWEST);
  assert.deepEqual(errors, []);
});
