/** The workbench in real Chromium, on the page that a node of a development chain serves. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { afterAll, beforeAll, test } from "vitest";
import type { DevChain } from "../../../runtimes/node/dev/dev-chain.ts";
import { TAKES_ALL_CASES } from "../../support/runner/cases.ts";
import { startBuiltChain } from "../../support/browser/explorer-chain.ts";
import { untilCount, untilText } from "../../support/browser/page-looks.ts";
import { openSite, type Site } from "../../support/browser/site.ts";
import { type Bench, benchOf } from "../../support/browser/workbench.ts";
import { inFull } from "../../support/runner/in-full.ts";

let chain: DevChain;
let site: Site;
let bench: Bench;
/** The source that the page begins with. */
let example: string;

beforeAll(async () => {
  chain = await startBuiltChain({ nodes: 1 });
  site = await openSite({ base: chain.rpcUrl, locale: "en" });
  bench = await benchOf(await site.tab("#/workbench"));
});

afterAll(async () => {
  await site?.close();
  await chain?.close();
});

const contractAt = (address: string | undefined) =>
  bench.page.locator(`[data-contract="${address}"]`);

test("the node serves compilers with their licence, and the page's policy stays strict", async () => {
  const ask = async (path: string) => await fetch(new URL(path, chain.rpcUrl));
  const licence = await ask("/compilers/0.8.11/LICENSE");
  assert.match(await licence.text(), /GNU GENERAL PUBLIC LICENSE\s+Version 3/);
  const worker = (await ask("/compiler-worker.js")).headers.get("content-security-policy");
  assert.match(worker ?? "", /'unsafe-eval'/);
  const page = (await ask("/index.html")).headers.get("content-security-policy");
  assert.doesNotMatch(page ?? "'unsafe-eval'", /'unsafe-eval'/);
});

test("the untouched example is not marked, and a source that no compiler takes learns of all", async () => {
  const { page } = bench;
  assert.equal(await page.locator(".files .changed").count(), 0);
  example = (await page.locator(".cm-content").innerText()).replaceAll("\n\n", "\n");
  await bench.write("pragma solidity ^0.9.0; contract A {}");
  await page.locator(".files .changed").waitFor();
  assert.match(await bench.compile(), /\^0\.9\.0\. There are .*0\.8\.11/);
  await page.getByText("The source was not compiled").waitFor();
  await page.locator(".compile select").focus();
  await page.keyboard.press("?");
  const help = page.getByRole("dialog");
  await help.getByText("Leave the editor").waitFor();
  await page.keyboard.press("Escape");
  await help.waitFor({ state: "detached" });
});

test("the save key saves and says so, and what was saved outlives a reload", async () => {
  const { page } = bench;
  await bench.write("pragma solidity ^0.4.0; contract Kept { function f(uint8 a) public {} }");
  // The word is gone after some seconds: it is waited for from before.
  await Promise.all([
    page.getByText("Saved HelloWorld.sol").waitFor(),
    page.keyboard.press("ControlOrMeta+s"),
  ]);
  await page.reload();
  bench = await benchOf(page);
  await page.getByText("contract Kept").waitFor();
  // That this one compiles in the page is seen in compiler-worker.test.ts.
  if (TAKES_ALL_CASES) assert.match(await bench.compile(), /^Compiled with 0\.4\.25 for byzantium/);
  await bench.write(example);
});

const HANGING = `var Module = { calledRun: true, _solidity_compile: 1, _solidity_reset: 1,
  cwrap: (name) => /version/.test(name) ? () => "0.8.11" : () => { for (;;); } };`;

// In the page examined here alone; console/contracts/compile.test.ts cancels one in a thread.
inFull("a compiler that hangs is cancelled, and the next one compiles", async () => {
  const { page } = bench;
  // In the page, once: a route that ends while a worker starts may lose the worker's script.
  await page.evaluate((hanging) => {
    const real = globalThis.fetch;
    globalThis.fetch = async (...order) => {
      if (!String(order[0]).endsWith("/compilers/0.8.11/soljson.js")) return await real(...order);
      globalThis.fetch = real;
      return new Response(hanging);
    };
  }, HANGING);
  await bench.write(example);
  await page.getByRole("button", { name: "Compile", exact: true }).click();
  await page.getByText("Compiling with 0.8.11 …").waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByText("Cancelled.").waitFor();
  assert.match(await bench.compile(), /^Compiled with 0\.8\.11/);
});

test("the first source compiles, deploys and shows its event as it comes", async () => {
  assert.match(await bench.compile(), /^Compiled with 0\.8\.11 for istanbul in .* contracts: 1\.$/);
  const deployed = await bench.deploy({ first: "Hello" });
  assert.equal(deployed.kind, "deployed");
  assert.equal(deployed.addresses.length, 1);

  const { page } = bench;
  await page.locator("[data-outcome=deployed] a", { hasText: /^\d+$/ }).waitFor();
  await page.locator("[data-use]").click();
  const card = contractAt(deployed.addresses[0]);
  await page.locator(`[data-contract="${deployed.addresses[0]}"] > summary:focus`).waitFor();
  await card.locator('[data-feed="open"]').waitFor();
  const sent = await bench.run(await bench.functionOf(card, "set"), { next: "Grüezi 你好" });
  assert.equal(sent.kind, "sent");
  const live = card.locator('.feed [data-event="Greeted"]');
  await live.waitFor();
  await live.getByText("Grüezi 你好").first().waitFor();
  // It leads to its transaction, the one that was sent.
  const transaction = page.locator("[data-outcome=sent] a", { hasText: "0x" });
  const href = await transaction.getAttribute("href");
  assert.match(href ?? "", /^#\/explorer\/1\/tx\/0x[0-9a-f]{64}$/);
  await live.locator(`a[href="${href}"]`).waitFor();
  const called = await bench.run(await bench.functionOf(card, "get"), {});
  assert.equal(called.kind, "called");
  assert.match(called.text, /Grüezi 你好/);
  const read = card.locator("[data-read-at]");
  const block = Number(await read.getAttribute("data-read-at"));
  assert.ok(block > 0);
  // Whatever is written makes it a result of the past.
  await bench.run(await bench.functionOf(card, "set"), { next: "later" });
  await card.locator(".outcome-box.old [data-read-at]", { hasText: String(block) }).waitFor();
});

test("what the contract reverts is red and says the contract's reason", async () => {
  const form = await bench.functionOf(bench.page.locator("[data-contract]").first(), "set");
  const sent = await bench.run(form, { next: "" });
  assert.deepEqual(
    [sent.kind, sent.status, sent.reason],
    ["failed", "RevertInstruction", "an empty greeting"],
  );
  await form.getByLabel(/only try it/).check();
  const called = await bench.run(form, {});
  assert.deepEqual([called.kind, called.reason], ["failed", "an empty greeting"]);
});

// A reason of a contract and its red are seen in the test above, values that no type takes in
// field-value.test.ts.
inFull("a failed deployment is red, says why and has no address", async () => {
  const before = await bench.page.locator("[data-contract]").count();
  await bench.side("Deploy");
  await bench.write(
    "pragma solidity ^0.8.0;\n" +
      "contract Picky { constructor(uint8 n) { require(n > 9, 'too few'); } }",
  );
  await bench.compile();
  const form = bench.page.locator("form.call").first();
  await form.getByLabel(/^n\b/).fill("300");
  await form.locator("button[type=submit]").click();
  await form.getByText("uint8 reaches from 0 to 2^8 - 1.").waitFor();
  const failed = await bench.deploy({ n: "3" });
  assert.deepEqual(
    [failed.kind, failed.status, failed.reason, failed.addresses],
    ["failed", "RevertInstruction", "too few", []],
  );
  const colour = `getComputedStyle(document.querySelector('[data-outcome="failed"]')).borderColor`;
  assert.equal(await bench.page.evaluate(colour), "rgb(192, 49, 43)");
  await bench.side("Contracts");
  await untilCount(bench.page.locator("[data-contract]"), before);
});

// What is deployed is compiled: see "the first source"; the kept texts, workspace.test.ts.
inFull("a text that has changed is compiled before it is deployed", async () => {
  await bench.side("Deploy");
  await bench.write("pragma solidity ^0.8.0; contract Picky { constructor(uint8 n) { n; } }");
  const { page } = bench;
  await page.getByRole("button", { name: "Compile and deploy" }).waitFor();
  assert.equal((await bench.deploy({ n: "3" })).kind, "deployed");
  await bench.write("pragma solidity ^0.8.0; contract Picky { constructor(uint16 n) { n; } }");
  await page.getByRole("button", { name: "Compile and deploy" }).click();
  await page.getByText("Nothing was deployed: the constructor is another one now.").waitFor();
});

test("errors stand at their place, and lead there", async () => {
  await bench.write("pragma solidity ^0.8.0;\n\ncontract A {\n  uint 中 = 1;\n  uint b = c;\n}\n");
  assert.match(await bench.compile(), /^Errors from compiler 0\.8\.11: \d\.$/);
  const { page } = bench;
  await page.locator(".said li.error button").first().click();
  await page.locator(".cm-activeLineGutter", { hasText: "4" }).waitFor();
  const sign = page.locator(".cm-signs .said-sign.error").first();
  assert.match((await sign.getAttribute("title")) ?? "", /\w/);
  await bench.write("pragma solidity ^0.8.0;\n\ncontract A {\n  uint b = c;\n}\n");
  await bench.compile();
  await untilText(page.locator(".cm-said.error"), /^c$/);
});

// Sources with imports compile in console/contracts/compile.test.ts, tables are written in
// contracts of dev-contracts.test.ts.
inFull("a table example is deployed with what it imports, and writes rows", async () => {
  const { page } = bench;
  await page.getByLabel("Examples …").selectOption({ label: "Notes in a table (CRUD)" });
  assert.match(await bench.compile(), /^Compiled with 0\.8\.11 .* contracts: 6\.$/);
  await bench.side("Deploy");
  const deployed = await bench.deploy();
  assert.equal(deployed.kind, "deployed");
  await bench.side("Contracts");
  const card = contractAt(deployed.addresses[0]);
  const written = await bench.run(await bench.functionOf(card, "write"), {
    author: "Ada",
    note: "first",
  });
  assert.equal(written.kind, "sent");
  assert.match(written.text, /Written/);
});

// Names are registered and found in console-chain.test.ts and in explorer.test.ts.
inFull("a contract is registered under a name and found by it", async () => {
  const { page } = bench;
  const card = page.locator("[data-contract]").first();
  await card.getByRole("button", { name: "Register a name" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name", { exact: true }).fill("Board");
  await dialog.getByRole("button", { name: "Register a name" }).click();
  await dialog.locator('[data-outcome="sent"]').waitFor();
  await dialog.getByRole("button", { name: "Close" }).click();
  await card.getByRole("button", { name: "Forget" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Forget" }).click();
  await page.getByText("Attach a contract that exists").click();
  await page.getByLabel(/^Address or registered name/).fill("Board:1.0");
  await page.getByRole("button", { name: "Attach", exact: true }).click();
  const found = page.locator("[data-contract]", { hasText: "Board:1.0" });
  await found.locator('[data-function="write"]').waitFor();
});

const SHAPES = `pragma solidity ^0.8.4;
struct Point { int64 x; int64 y; }
contract Shapes {
  event Drawn(uint256 indexed id, Point[] points, bytes data, address[2] who);
  error Bad(uint256 code, string why);
  function draw(Point[] memory points, bytes memory data, address[2] memory who, bool ok)
    public payable returns (uint256 value, Point memory first)
  {
    if (!ok) revert Bad(7, "not ok");
    assert(points.length > 0);
    emit Drawn(5, points, data, who);
    return (msg.value, points[0]);
  }
}
library Tools {
  enum Kind { A, B }
  function rank(Kind kind) external pure returns (uint256) { return uint256(kind); }
}`;

// Fields of every type and what they give are examined in field-value.test.ts.
inFull("tuples, arrays, values, own errors and panics of a contract are understood", async () => {
  await bench.write(SHAPES);
  await bench.compile();
  await bench.side("Deploy");
  const deployed = await bench.deploy();
  await bench.side("Contracts");
  const form = await bench.functionOf(contractAt(deployed.addresses[0]), "draw");
  await form.getByRole("button", { name: "Add an item" }).click();
  const who = { "who\\[0\\]": `0x${"ab".repeat(20)}`, "who\\[1\\]": `0x${"cd".repeat(20)}` };
  const fields = { x: "-5", y: "1_000", data: '"héllo"', ok: "false", value: "42", ...who };
  assert.equal((await bench.run(form, fields)).reason, "Bad(7, not ok)");
  const drawn = await bench.run(form, { ok: "true" });
  assert.equal(drawn.kind, "sent");
  assert.match(drawn.text, /value uint25642first.*"x": "-5",\s*"y": "1000".*0x68c3a96c6c6f/s);
  await form.getByRole("button", { name: /^Remove points/ }).click();
  assert.equal((await bench.run(form, {})).reason, "assertion failed");

  // The ABI of a library has types that only compilers know.
  await bench.side("Deploy");
  await bench.page.locator(".acting select").first().selectOption({ index: 1 });
  const library = await bench.deploy();
  assert.equal(library.kind, "deployed", library.text);
  await bench.side("Contracts");
  const card = contractAt(library.addresses[0]);
  await card.locator('[data-function="rank"] summary').click();
  await card.getByText(/cannot be called from here: Tools\.Kind/).waitFor();
});

test("precompiled contracts are called from the page, and their codes said in words", async () => {
  await bench.side("Contracts");
  const factory = contractAt(`0x${"0".repeat(36)}1001`);
  await factory.locator("summary").first().click();
  const form = await bench.functionOf(factory, "createTable");
  const fields = { table: "t_bench", keyField: "id", valueFields: "a,b" };
  assert.equal((await bench.run(form, fields)).kind, "sent");
  const again = await bench.run(form, {});
  assert.deepEqual([again.kind, again.reason], ["failed", "-50001: table name already exist"]);
});

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** Serious and critical findings, each with the first element that it is about. */
const findingsOf = (options: object) => `axe.run(document, ${JSON.stringify(options)})
  .then(({ violations }) => violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, help, nodes }) => id + ": " + help + " " + nodes[0].html.slice(0, 200)))`;
/** The dark theme has other colours, and nothing else; accessibility.test.ts examines it too. */
const LIGHT = { colorScheme: "light", looksAt: { resultTypes: ["violations"] } } as const;
const DARK = {
  colorScheme: "dark",
  looksAt: { resultTypes: ["violations"], runOnly: ["color-contrast", "link-in-text-block"] },
} as const;
const THEMES = TAKES_ALL_CASES ? [LIGHT, DARK] : [LIGHT];

// accessibility.test.ts examines each side of the workbench.
inFull("nothing of it keeps people out", async () => {
  const { page } = bench;
  const long = "// a long text scrolls\n".repeat(60);
  await bench.write(`pragma solidity ^0.8.0; contract A { uint b = c; }\n${long}`);
  await bench.compile();
  await page.evaluate(AXE);
  for (const { colorScheme, looksAt } of THEMES) {
    await page.emulateMedia({ colorScheme });
    for (const side of ["Deploy", "Contracts", "Accounts"] as const) {
      await bench.side(side);
      const found = await page.evaluate(findingsOf(looksAt));
      assert.deepEqual(found, [], `${colorScheme} ${side}`);
    }
  }
});

test("nothing was asked of others, and nothing went wrong unseen", () => {
  assert.deepEqual(site.foreign, []);
  assert.deepEqual(site.errors, []);
});
