/** Compilers in their workers, in real Chromium, under the policies that nodes send. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, test } from "vitest";
import type { CompilerReport } from "../../../web/workbench/compiler/protocol.ts";
import { inputOf, resultOf } from "../../../runtimes/shared/solidity/standard-json.ts";
import { evmVersionFor } from "../../../runtimes/shared/solidity/compiler-versions.ts";
import { TAKES_ALL_CASES } from "../../support/runner/cases.ts";
import { ROOT } from "../../support/runner/root.ts";
import { openSite, type Site } from "../../support/browser/site.ts";
import { compileInput, type CompilerName } from "../../support/execution/solidity.ts";

let site: Site;
let page: Page;

beforeAll(async () => {
  site = await openSite();
  page = await site.tab("index.html");
});

afterAll(async () => {
  await site?.close();
});

/** Script of the page: runs a compiler in a worker or a frame until it answers. */
const RUN = `async ({ kind, url, input }) => {
  const reports = [];
  const script = await (await fetch(url)).blob();
  const requests = [{ type: "load", script }, { type: "compile", id: 7, input }];
  await new Promise((resolve) => {
    const hear = (report, post) => {
      if (report.type === "open") requests.forEach(post);
      else reports.push(report);
      if (["compiled", "crashed", "unloadable"].includes(report.type)) resolve();
    };
    if (kind === "worker") {
      const worker = new Worker("/compiler-worker.js");
      worker.onmessage = ({ data }) => hear(data, (request) => worker.postMessage(request));
      return;
    }
    const frame = document.createElement("iframe");
    frame.setAttribute("sandbox", "allow-scripts");
    frame.src = "/compiler-frame.html";
    addEventListener("message", ({ data, source }) => {
      if (source !== frame.contentWindow) return;
      hear(data, (request) => source.postMessage(request, "*"));
    });
    document.body.append(frame);
  });
  return reports;
}`;

async function runIn(kind: "worker" | "frame", version: string, input: string) {
  const order = { kind, url: `/compilers/${version}/soljson.js`, input };
  return (await page.evaluate(`(${RUN})(${JSON.stringify(order)})`)) as readonly CompilerReport[];
}

/** The stack of this one is the tightest. */
const OLDEST = "0.4.25";
/**
 * A worker that does not compile fails workbench.test.ts, which loads 0.8.11 in one; a file of a
 * compiler that is not served, or is another one, test/runtimes/node/server/compilers.test.ts.
 */
const OTHERS = ["0.5.2", "0.6.10", "0.7.6", "0.8.11"] as const;
const VERSIONS = TAKES_ALL_CASES ? [OLDEST, ...OTHERS] : [OLDEST];
/** Larger sources for the compilers whose stacks are tight. */
const LARGER: Readonly<Record<string, string>> = { "0.4.25": "Old.sol", "0.5.2": "Token.sol" };

function sourcesFor(version: string, text: string): Map<string, string> {
  const larger = LARGER[version];
  const sources = new Map([["a.sol", text]]);
  if (larger) sources.set(larger, readFileSync(join(ROOT, "test", "contracts", larger), "utf8"));
  return sources;
}

function compilerOf(version: string): CompilerName {
  return `solc0${version.split(".")[1]}` as CompilerName;
}

for (const version of VERSIONS) {
  const kind = version < "0.6" ? "frame" : "worker";
  test(`compiler ${version} compiles in a ${kind} as it does on Node`, async () => {
    const text = [
      `pragma solidity ${version};`,
      "contract Zaehler {",
      "  // ünïcode 中文 before the place of the warning",
      "  uint256 public count;",
      "  function add(uint256 by) public { uint256 unused; count += by; }",
      "}",
    ].join("\n");
    const sources = sourcesFor(version, text);
    const settings = { evmVersion: evmVersionFor(version, "2.12.0"), optimize: kind === "worker" };
    const input = inputOf(sources, settings);
    const reports = await runIn(kind, version, input);
    assert.deepEqual(
      [...new Set(reports.map(({ type }) => type))],
      ["ready", "compiled"],
      JSON.stringify(reports).slice(0, 500),
    );
    const [ready, compiled] = [reports[0], reports.at(-1)];
    assert.ok(ready?.type === "ready" && ready.version.startsWith(version));
    assert.ok(compiled?.type === "compiled" && compiled.id === 7);
    assert.equal(compiled.output, compileInput(input, compilerOf(version)));
    const { contracts, diagnostics } = resultOf(compiled.output, sources);
    assert.equal(contracts.length, sources.size);
    const contract = contracts.find(({ file }) => file === "a.sol");
    assert.match(contract?.code ?? "", /^60[0-9a-f]{100,}$/);
    const warning = diagnostics.find(({ message }) => /unused/i.test(message));
    assert.equal(warning?.severity, "warning");
    assert.equal(warning?.line, 5);
    assert.equal(text.slice(warning?.from, warning?.to), "uint256 unused");
  });
}

test("no request leaves the origin", () => {
  assert.deepEqual(site.foreign, []);
});
