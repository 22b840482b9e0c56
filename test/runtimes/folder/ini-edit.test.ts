/** A changed list: everything else stays. */
// rules: node-network 5
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { replaceList } from "../../../runtimes/formats/config/ini-edit.ts";
import { readNodeConfig, writeNodeConfig } from "../../../runtimes/formats/config/node-config.ts";
import { cases } from "../../support/runner/cases.ts";

const PEERS = { section: "p2p", stem: "node." };

const ROWS = [
  [
    "in place",
    "[p2p]\n  ; ours\n  node.0=a:1\n  node.7=b:2\nx=1\n",
    "[p2p]\n  ; ours\n  node.0=c:3\nx=1\n",
  ],
  ["after the head", "[p2p]\nx=1", "[p2p]\n    node.0=c:3\nx=1"],
  ["in a last line", "[rpc]\n[p2p]", "[rpc]\n[p2p]\n    node.0=c:3\n"],
  ["in a section of its own", "[rpc]", "[rpc]\n[p2p]\n    node.0=c:3\n"],
  ["in an empty text", "", "[p2p]\n    node.0=c:3\n"],
  ["with the line ends of the text", "[p2p]\r\nnode.0=a:1\r\n", "[p2p]\r\nnode.0=c:3\r\n"],
  [
    "not in other sections",
    "[a]\nnode.0=a:1\n[p2p]\nnode.1=b:2",
    "[a]\nnode.0=a:1\n[p2p]\nnode.0=c:3",
  ],
] as const;

for (const [name, text, expected] of ROWS) {
  test(`a list is written ${name}`, () => {
    assert.equal(replaceList(text, PEERS, ["c:3"]), expected);
  });
}

test("an emptied list leaves no line", () => {
  assert.equal(replaceList("[p2p]\nnode.0=a:1\nx=1", PEERS, []), "[p2p]\nx=1");
  assert.equal(replaceList("[rpc]", PEERS, []), "[rpc]");
});

test("any list of peers is read back, and nothing else has changed", () => {
  const peer = fc.record({ host: fc.ipV4(), port: fc.integer({ min: 1, max: 65_535 }) });
  const lists = fc.tuple(fc.array(peer, { maxLength: 5 }), fc.array(peer, { maxLength: 5 }));
  const holds = fc.property(lists, ([before, after]) => {
    const text = writeNodeConfig({ p2p: { "node.<i>": before } });
    const items = after.map(({ host, port }) => `${host}:${port}`);
    const changed = readNodeConfig(replaceList(text, PEERS, items), "c").value;
    const { p2p, ...rest } = readNodeConfig(text, "c").value;
    assert.deepEqual(
      changed.p2p.peers.map(({ host, port }) => `${host}:${port}`),
      items,
    );
    assert.deepEqual(changed, { ...rest, p2p: { ...p2p, peers: changed.p2p.peers } });
  });
  fc.assert(holds, { numRuns: cases(100) });
});
