/** Every recorded exchange of the reference node, asked again of our endpoint. */
import assert from "node:assert/strict";
import { test } from "vitest";
import type { Hono } from "hono";
import { dataNames } from "../support/ledger/data-files.ts";
import { ALLOWED } from "./allowed.ts";
import { citedText } from "./citation.ts";
import { type Answer, type Exchange, parse, readExchanges, sameBody } from "./exchange.ts";
import { bodyOf, judge, newTally, type Tally, type Verdict } from "./judge.ts";
import { OTHER_FILES, OUT_OF_SCOPE } from "./out-of-scope.ts";
import type { RecordedChain } from "./recorded-chain.ts";
import { RECORDINGS } from "./recordings.ts";
import { serveRaw, splitAnswers } from "./socket.ts";

// rules: rpc-semantics 1, rpc-semantics 2.1, rpc-semantics 2.4, rpc-semantics 3.1, rpc-semantics 5
// rules: precompiles 4-9, precompiles 11-14, precompiles 16, interface 7.5, execution 1, README 22

/** Lines left out; fewer are welcome, more are not. */
const MOST_LEFT_OUT = 22;

async function ask(app: Hono, exchange: Exchange): Promise<Answer> {
  const { method, path, headers } = exchange.request;
  const response = await app.request(path, { method, headers, body: bodyOf(exchange) });
  return { status: response.status, body: await response.text() };
}

/** Asks what the files recorded, in their order. */
async function askFiles(chain: RecordedChain, files: readonly string[], tally: Tally) {
  const [first = 0] = chain.nodes;
  const server = await serveRaw(chain.app(first));
  for (const exchange of files.flatMap(readExchanges)) {
    const verdict = await askOne(exchange);
    tally.counts[verdict] += 1;
  }
  await server.close();

  async function askOne(exchange: Exchange): Promise<Verdict> {
    const left = OUT_OF_SCOPE.find((it) => it.concerns(exchange));
    if (left !== undefined) {
      tally.left.set(left, (tally.left.get(left) ?? 0) + 1);
      return "outOfScope";
    }
    const { rawHttp } = exchange.request;
    if (rawHttp !== undefined) {
      return judgeRaw(tally, exchange, await server.ask(rawHttp));
    }
    await chain.recall(exchange);
    const { status, body } = await ask(chain.app(exchange.node ?? first).app, exchange);
    return judge(tally, exchange, { status, body: chain.asRecorded(exchange, body) });
  }
}

/** Sockets: the same statuses in the same order, and the same bodies where they are JSON. */
function judgeRaw(tally: Tally, exchange: Exchange, ours: readonly Answer[]): Verdict {
  const recorded = splitAnswers(exchange.response.rawHttp ?? "");
  // The recording repeats the head of a refusal inside its body.
  const isSame =
    ours.length === recorded.length &&
    ours.every((answer, index) => {
      const other = recorded[index];
      const isJson = parse(other?.body ?? "") !== undefined;
      return answer.status === other?.status && (!isJson || sameBody(answer.body, other.body));
    });
  if (isSame) return "passed";
  tally.failures.push(
    `${exchange.file}:${exchange.line} ${exchange.case}\n` +
      `  ours     ${JSON.stringify(ours)}\n  recorded ${JSON.stringify(recorded)}`,
  );
  return "failed";
}

test("every recording is asked somewhere or left out with a reason", () => {
  const found = dataNames("golden")
    .map((name) => name.slice("golden/".length))
    .filter((name) => /^(methods\/)?\w+\.jsonl$/.test(name));
  const asked = RECORDINGS.flatMap(({ files }) => files);
  assert.deepEqual([...asked, ...Object.keys(OTHER_FILES)].sort(), found);
});

test("every recorded exchange is answered as recorded, or differs on purpose", async () => {
  const tally = newTally();
  for (const { files, open } of RECORDINGS) await askFiles(await open(), files, tally);
  const { counts, failures } = tally;
  const lines = RECORDINGS.flatMap(({ files }) => files.flatMap(readExchanges)).length;
  console.log(
    `golden exchanges: ${counts.passed} passed, ${counts.allowed} allowed, ` +
      `${counts.outOfScope} out of scope, ${counts.failed} failed, ${lines} in all` +
      [...tally.left, ...otherLines()]
        .map(([{ reason }, count]) => `\n  ${count}: ${reason}`)
        .join(""),
  );
  const sum = Object.values(counts).reduce((left, right) => left + right, 0);
  assert.deepEqual([sum, counts.outOfScope], [lines, MOST_LEFT_OUT]);
  assert.equal(failures.length, 0, failures.join("\n"));
  const stale = [
    ...ALLOWED.filter((entry) => !tally.used.has(entry)).map((entry) => entry.what),
    ...OUT_OF_SCOPE.filter((entry) => !tally.left.has(entry)).map((entry) => entry.reason),
  ];
  assert.deepEqual(stale, [], "entries of the lists that concern nothing");
});

/** Lines of recordings that are not asked here. */
function otherLines(): readonly (readonly [{ readonly reason: string }, number])[] {
  return Object.entries(OTHER_FILES).map(([file, reason]) => [
    { reason: `${file}: ${reason}` },
    readExchanges(file).length,
  ]);
}

for (const { what, citation } of ALLOWED) {
  test(`"${what}" is backed by ${citation}`, () => {
    assert.ok(citedText(citation), `${citation} is neither a decision nor a PICK`);
  });
}
