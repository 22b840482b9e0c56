/** The first screen as a text: its size for any number of nodes, and its colours. */
import assert from "node:assert/strict";
import { stripVTControlCharacters } from "node:util";
import { test } from "vitest";
import { createStandardSuite } from "../../../../core/crypto/standard.ts";
import { devAccounts } from "../../../../runtimes/shared/dev/dev-accounts.ts";
import {
  firstScreen,
  readyLine,
  type ScreenFacts,
} from "../../../../runtimes/node/dev/dev-screen.ts";

const ACCOUNTS = devAccounts(createStandardSuite());

function factsOf(nodes: number): ScreenFacts {
  const each = Array.from({ length: nodes }, (_, i) => i);
  return {
    rpcUrls: each.map((i) => `http://127.0.0.1:${65_000 + i}`),
    nodeIds: each.map((i) => i.toString(16).padStart(8, "e").repeat(16)),
    chainId: 1,
    groupId: 1,
    accounts: ACCOUNTS,
    data: "/home/somebody/projects/application/.chain-node",
    ephemeral: false,
    sm: false,
    channel: each.map((i) => `127.0.0.1:${64_000 + i}`),
    sdk: "/home/somebody/projects/application/.chain-node/sdk",
    rsa: false,
    keys: undefined,
  };
}

for (let nodes = 1; nodes <= 16; nodes++) {
  test(`the screen of ${nodes} nodes fits 25 lines of 120 columns and names each node`, () => {
    const facts = factsOf(nodes);
    const screen = firstScreen(facts, false);
    const lines = screen.trimEnd().split("\n");
    assert.ok(lines.length <= 25, `${lines.length} lines`);
    for (const line of lines) assert.ok(line.length <= 120, line);
    for (const [i, url] of facts.rpcUrls.entries()) {
      assert.match(screen, new RegExp(`node ${i} +${url} +id ${facts.nodeIds[i]?.slice(0, 8)}`));
    }
  });
}

test("the screen says where SDKs connect, and with which files", () => {
  const many = "sdk      127.0.0.1:64000 to :64003, files in /home/somebody/";
  assert.ok(firstScreen(factsOf(4), false).includes(many));
  const one = "sdk      127.0.0.1:64000, files in /home/somebody/";
  assert.ok(firstScreen(factsOf(1), false).includes(one));
  const rsa = firstScreen({ ...factsOf(4), rsa: true }, false);
  assert.ok(rsa.includes("sdk      127.0.0.1:64000 to :64003 (RSA), files in /home/"));
});

test("the last line names the keys where they are read, else how to stop", () => {
  const keys = "o open the page, ? all keys, Ctrl-C stop";
  assert.ok(firstScreen({ ...factsOf(4), keys }, false).endsWith(`\nkeys     ${keys}\n`));
  assert.ok(firstScreen(factsOf(4), false).endsWith("\nstop     Ctrl-C\n"));
});

test("a terminal gets the same text in colours", () => {
  const facts = factsOf(4);
  const coloured = firstScreen(facts, true);
  assert.notEqual(coloured, firstScreen(facts, false));
  assert.equal(stripVTControlCharacters(coloured), firstScreen(facts, false));
});

test("the screen and the line for programs tell of the national suite", () => {
  const facts = { ...factsOf(4), sm: true };
  assert.match(firstScreen(facts, false), /^chain-node 4 nodes, PBFT, SM2 and SM3, chain 1/);
  assert.equal(JSON.parse(readyLine(facts)).sm, true);
});

test("the line for programs is one line of JSON", () => {
  const line = readyLine(factsOf(16));
  assert.equal(line.indexOf("\n"), line.length - 1);
  assert.equal(JSON.parse(line).nodeIds.length, 16);
});
