/** Every recorded exchange of the reference node, asked again of our endpoint. */
import assert from "node:assert/strict";
import { test } from "vitest";
import type { Hono } from "hono";
import { absent } from "../support/recorded-ledger.ts";
import { ALLOWED, type Allowed } from "./allowed.ts";
import { citedText } from "./citation.ts";
import {
  type Answer,
  type Exchange,
  methodFiles,
  methodOf,
  paramsOf,
  parse,
  readExchanges,
  sameAnswer,
  sameBody,
} from "./exchange.ts";
import {
  type ChainSource,
  recordedChain,
  recordedSource,
  replayedSource,
} from "./recorded-chain.ts";
import { serveRaw, splitAnswers } from "./socket.ts";

// rules: rpc-semantics 1, rpc-semantics 2.1, rpc-semantics 2.4, rpc-semantics 3.1, rpc-semantics 5

const reason = absent("golden");
const golden = test.skipIf(reason !== undefined);
if (reason !== undefined) console.warn(`golden exchanges skipped: ${reason}`);

/** How a line came out. */
type Verdict = "passed" | "allowed" | "outOfScope" | "failed";

interface Tally {
  readonly counts: Record<Verdict, number>;
  readonly failures: string[];
  readonly used: Set<Allowed>;
}

function newTally(): Tally {
  const counts = { passed: 0, allowed: 0, outOfScope: 0, failed: 0 };
  return { counts, failures: [], used: new Set() };
}

const GROUP_IGNORED = ["getPeers", "getNodeIDList"];

/** Group 2 runs Raft, group 3 was generated: neither is replayed here. */
function isOutOfScope(exchange: Exchange): boolean {
  const [group] = paramsOf(exchange);
  const isOther = group === 2 || group === 3;
  return isOther && !GROUP_IGNORED.includes(methodOf(exchange) ?? "");
}

/** The large bodies are described in the recording instead of given. */
function bodyOf(exchange: Exchange): string | null {
  const { body } = exchange.request;
  const described = /^elided: valid getBlockNumber request whose id is (\d+) KiB of x$/.exec(
    body ?? "",
  );
  if (described === null) return body;
  const id = "x".repeat(Number(described[1]) * 1024);
  return JSON.stringify({ jsonrpc: "2.0", method: "getBlockNumber", params: [1], id });
}

async function ask(app: Hono, exchange: Exchange): Promise<Answer> {
  const { method, path, headers } = exchange.request;
  const response = await app.request(path, { method, headers, body: bodyOf(exchange) });
  return { status: response.status, body: await response.text() };
}

function judge(tally: Tally, exchange: Exchange, ours: Answer): Verdict {
  if (sameAnswer(ours, exchange)) return "passed";
  const entry = ALLOWED.find((it) => it.concerns(exchange) && it.holds(ours, exchange));
  if (entry !== undefined) {
    tally.used.add(entry);
    return "allowed";
  }
  const { status, body } = exchange.response;
  tally.failures.push(
    `${exchange.file}:${exchange.line} ${exchange.case}\n` +
      `  ours     ${ours.status} ${ours.body.slice(0, 600)}\n` +
      `  recorded ${status} ${(body ?? "").slice(0, 600)}`,
  );
  return "failed";
}

async function replayFiles(files: readonly string[], source: ChainSource, tally: Tally) {
  const chain = recordedChain(source);
  const server = await serveRaw(chain.app(0));
  let lines = 0;
  for (const exchange of files.flatMap(readExchanges)) {
    lines += 1;
    tally.counts[await replayOne(exchange)] += 1;
  }
  await server.close();
  return lines;

  async function replayOne(exchange: Exchange): Promise<Verdict> {
    if (isOutOfScope(exchange)) return "outOfScope";
    const { rawHttp } = exchange.request;
    if (rawHttp !== undefined) {
      return judgeRaw(tally, exchange, await server.ask(rawHttp));
    }
    chain.recall(exchange);
    return judge(tally, exchange, await ask(chain.app(exchange.node ?? 0).app, exchange));
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

golden(
  "every recorded exchange is answered as recorded, or differs on purpose",
  async () => {
    const tally = newTally();
    const lines =
      (await replayFiles(["transport.jsonl", ...methodFiles()], await replayedSource(), tally)) +
      (await replayFiles(["tx_rejected.jsonl"], recordedSource(), tally));
    const { counts, failures } = tally;
    console.log(
      `golden exchanges: ${counts.passed} passed, ${counts.allowed} allowed, ` +
        `${counts.outOfScope} out of scope, ${counts.failed} failed, ${lines} in all`,
    );
    const sum = Object.values(counts).reduce((left, right) => left + right, 0);
    assert.equal(sum, lines);
    assert.equal(failures.length, 0, failures.join("\n"));
    const stale = ALLOWED.filter((entry) => !tally.used.has(entry)).map((entry) => entry.what);
    assert.deepEqual(stale, [], "entries of the allow-list that no longer differ");
  },
  120_000,
);

for (const { what, citation } of ALLOWED) {
  test.skipIf(absent("spec") !== undefined)(`"${what}" is backed by ${citation}`, () => {
    assert.ok(citedText(citation), `${citation} is neither a decision nor a PICK`);
  });
}
