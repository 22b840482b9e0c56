/** Network files: what is read, and that everything wrong is reported with its line and its key. */
// rules: interface 2.7, generator 3
import assert from "node:assert/strict";
import { test } from "vitest";
import { FolderFault } from "../../../../runtimes/folder/folder-fault.ts";
import { parseNetwork } from "../../../../runtimes/tools/network/network-file.ts";
import { withGroup, withNode } from "../../../../runtimes/tools/network/network-text.ts";

const FILE = "/srv/demo/network.yaml";

const NODES = `
agencies: [bank, audit]
nodes:
  - { name: node0, agency: bank }
  - { name: node1, agency: bank }
  - { name: node2, agency: audit, role: observer }
`;
const WHOLE = `chain:
  name: demo${NODES}`;

function faultOf(text: string): readonly string[] {
  try {
    parseNetwork(text, FILE);
  } catch (error) {
    assert.ok(error instanceof FolderFault && error.kind === "unusable", String(error));
    return error.message.split("\n");
  }
  return assert.fail("the file was taken");
}

test("what is not said has defaults: folder, ports, host, one PBFT group by roles", () => {
  const spec = parseNetwork(WHOLE, FILE);
  assert.deepEqual(
    [spec.name, spec.suite, spec.folder, spec.management],
    ["demo", "standard", "/srv/demo/demo", "local"],
  );
  assert.deepEqual(spec.basePorts, { rpc: 8645, channel: 20_200, p2p: 30_300 });
  assert.deepEqual(spec.groups, [
    { id: 1, consensus: "pbft", sealers: ["node0", "node1"], observers: ["node2"] },
  ]);
  const [first] = spec.nodes;
  assert.deepEqual(first, {
    name: "node0",
    agency: "bank",
    host: "127.0.0.1",
    ports: undefined,
    rpcIp: undefined,
    channelIp: undefined,
    role: "sealer",
    runtime: "node",
    publicKey: undefined,
  });
});

test("everything that can be reported is read", () => {
  const spec = parseNetwork(
    `chain:
  name: demo
  suite: national
  folder: ../elsewhere
  host: 192.0.2.7
  ports: 9000,9100,9200,9300
  management: token
  image: registry.example.org/chain-node:1
agencies: [bank]
nodes:
  - { name: node0, agency: bank, ports: "9500,9501,9502,9503", host: "2001:db8::1" }
  - { name: node1, agency: bank, ports: auto }
  - { name: tab, agency: bank, runtime: tab, public_key: tab.pub }
  - { name: edge, agency: bank, runtime: edge, public_key: ${"AB".repeat(64)} }
groups:
  - { id: 1, sealers: [node1, node0], observers: [tab] }
  - { id: 7, consensus: raft, sealers: all }
`,
    FILE,
  );
  assert.equal(spec.folder, "/srv/elsewhere");
  assert.deepEqual([spec.suite, spec.management], ["national", "token"]);
  const [node0, node1, tab, edge] = spec.nodes;
  assert.deepEqual(node0?.ports, { rpc: 9500, channel: 9501, p2p: 9502, ws: 9503 });
  assert.deepEqual(
    [node0?.host, node1?.host, node1?.ports],
    ["2001:db8::1", "192.0.2.7", undefined],
  );
  assert.deepEqual([tab?.role, tab?.publicKey], ["observer", "/srv/demo/tab.pub"]);
  assert.equal(edge?.publicKey, "AB".repeat(64));
  assert.deepEqual(spec.groups, [
    { id: 1, consensus: "pbft", sealers: ["node1", "node0"], observers: ["tab"] },
    { id: 7, consensus: "raft", sealers: ["node0", "node1"], observers: ["tab", "edge"] },
  ]);
});

test("where tabs join, nodes have WebSocket ports without a word about ports", () => {
  const tab = `${WHOLE}  - { name: tab, agency: bank, runtime: tab }\n`;
  assert.equal(parseNetwork(tab, FILE).basePorts.ws, 40_400);
});

const TAB = "  - { name: tab, agency: bank, runtime: tab }\n";
const NAME = "lower-case letters, digits and -, a letter first, 40 at most";
const PORTS = "RPC,CHANNEL,P2P or RPC,CHANNEL,P2P,WS, ports from 1024 to 65535";
/** A file, and the lines that are reported about it. */
const FAULTS: readonly (readonly [string, string, readonly string[]])[] = [
  ["an empty file", "", ["network.yaml holds no sections: chain, agencies, nodes, groups"]],
  [
    "no chain and no nodes",
    "agencies: [bank]\n",
    ["network.yaml, chain is missing: The chain.", "network.yaml, nodes is missing: Nodes."],
  ],
  [
    "text that is no YAML",
    "chain:\n  name: [demo\n",
    [
      "network.yaml, line 3 cannot be read as YAML: Flow sequence in block collection must be " +
        "sufficiently indented and end with a ]",
    ],
  ],
  [
    "a key twice",
    `chain:\n  name: demo\n  name: other${NODES}`,
    ["network.yaml, line 3 cannot be read as YAML: Map keys must be unique"],
  ],
  [
    "a misspelt section",
    `${WHOLE}group:\n  - id: 1\n`,
    [
      "network.yaml, line 8, group is unknown: did you mean groups? " +
        "Allowed: chain, agencies, nodes, groups",
    ],
  ],
  [
    "a misspelt key",
    `chain:\n  name: demo\n  suit: national${NODES}`,
    [
      "network.yaml, line 3, chain.suit is unknown: did you mean suite? " +
        "Allowed: name, suite, folder, host, ports, management, image",
    ],
  ],
  [
    "a word that is not allowed",
    `chain:\n  name: demo\n  suite: sm2${NODES}`,
    ['network.yaml, line 3, chain.suite = "sm2" is not allowed: one of standard, national'],
  ],
  [
    "a name that no engine takes",
    `chain:\n  name: My Chain${NODES}`,
    [`network.yaml, line 2, chain.name = "My Chain" is not allowed: ${NAME}`],
  ],
  [
    "no name",
    `chain:\n  suite: standard${NODES}`,
    [`network.yaml, line 2, chain.name is missing: ${NAME}`],
  ],
  [
    "ports that are too low",
    `chain:\n  name: demo\n  ports: 80,443,9000${NODES}`,
    [`network.yaml, line 3, chain.ports = "80,443,9000" is not allowed: ${PORTS}`],
  ],
  [
    "a host that cannot be dialled",
    `chain:\n  name: demo\n  host: 0.0.0.0${NODES}`,
    [
      'network.yaml, line 3, chain.host = "0.0.0.0" is not allowed: ' +
        "an IPv4 or IPv6 address, or a name",
    ],
  ],
  [
    "a list where a map belongs",
    `chain: [demo]${NODES}`,
    [
      "network.yaml, line 1, chain is no map: of the keys " +
        "name, suite, folder, host, ports, management, image",
    ],
  ],
  [
    "one node that is no list",
    "chain:\n  name: demo\nagencies: [bank]\nnodes:\n  name: node0\n",
    ["network.yaml, line 5, nodes is no list: one - for each"],
  ],
  [
    "a node without an agency",
    `${WHOLE}  - { name: node3 }\n`,
    [
      "network.yaml, line 8, nodes[3].agency is missing: " +
        "letters, digits, ., _ and -, 64 at most",
    ],
  ],
  [
    "an agency that is not there",
    `${WHOLE}  - { name: node3, agency: banc }\n`,
    [
      "network.yaml, line 8, nodes[3].agency is unknown: did you mean bank? " +
        "Allowed: bank, audit",
    ],
  ],
  [
    "a name twice, in another case",
    `${WHOLE}  - { name: NODE0, agency: bank }\n`,
    [
      'network.yaml, line 8, nodes[3].name = "NODE0" is not allowed: ' +
        "nodes[0] has that name already",
    ],
  ],
  [
    "a node that is called as its agency is",
    `${WHOLE}  - { name: bank, agency: bank }\n`,
    [
      'network.yaml, line 8, nodes[3].name = "bank" is not allowed: ' +
        "agency bank has that name already",
    ],
  ],
  [
    "a folder of the chain as a name",
    `${WHOLE}  - { name: cert, agency: bank }\n`,
    ['network.yaml, line 8, nodes[3].name = "cert" is not allowed: it is a folder of the chain'],
  ],
  [
    "ports that two nodes of a host share",
    `${WHOLE}  - { name: node3, agency: bank, ports: "9000,9001,9002" }
  - { name: node4, agency: bank, ports: "9100,9101,9000" }\n`,
    [
      'network.yaml, line 9, nodes[4].ports = "9000" is not allowed: ' +
        "node3 (rpc) has that port of 127.0.0.1 already",
    ],
  ],
  [
    "a runtime that there is not",
    `${WHOLE}  - { name: node3, agency: bank, runtime: docker }\n`,
    ['network.yaml, line 8, nodes[3].runtime = "docker" is not allowed: one of node, tab, edge'],
  ],
  [
    "a key of a node that makes its own",
    `${WHOLE}  - { name: node3, agency: bank, public_key: x.pub }\n`,
    ["network.yaml, line 8, nodes[3].public_key is for a tab or edge: a node has its own key"],
  ],
  [
    "a tab that nobody could reach",
    `chain:\n  name: demo\n  ports: 9000,9100,9200${NODES}${TAB}`,
    ["network.yaml, runtime tab needs a node with a WebSocket port, the fourth one of its ports"],
  ],
  [
    "a group twice",
    `${WHOLE}groups:\n  - id: 1\n  - id: 1\n`,
    ['network.yaml, line 10, groups[1].id = "1" is not allowed: each group once'],
  ],
  [
    "a group above the range",
    `${WHOLE}groups:\n  - id: 40000\n`,
    ['network.yaml, line 9, groups[0].id = "40000" is not allowed: a whole number from 1 to 32767'],
  ],
  [
    "members that are not there, and one in both lists",
    `${WHOLE}groups:\n  - id: 1\n    sealers: [node0, nod1]\n    observers: [node0]\n`,
    [
      "network.yaml, line 10, groups[0].sealers[1] is unknown: did you mean node1? " +
        "Allowed: node0, node1, node2",
      'network.yaml, line 11, groups[0].observers[0] = "node0" is not allowed: ' +
        "each member once, as sealer or observer",
    ],
  ],
  [
    "sealers that are no list",
    `${WHOLE}groups:\n  - id: 1\n    sealers: node0\n`,
    ["network.yaml, line 10, groups[0].sealers is no list: all, or [name, name] is wanted"],
  ],
  [
    "a group without a node of its own",
    `${WHOLE}${TAB}groups:\n  - { id: 1, sealers: [tab] }\n`,
    [
      "network.yaml, line 10, groups[0].sealers has no node of runtime node: " +
        "one at least is wanted",
    ],
  ],
  [
    "an edge function that seals",
    `${WHOLE}  - { name: e, agency: bank, runtime: edge }
groups:
  - { id: 1, sealers: [node0, e] }\n`,
    [
      'network.yaml, line 10, groups[0].sealers[1] = "e" is not allowed: ' +
        "an edge function sleeps between requests: an observer only",
    ],
  ],
];

for (const [what, text, said] of FAULTS) {
  test(`refused with file, line, key and what is allowed: ${what}`, () => {
    assert.deepEqual(faultOf(text), said);
  });
}

test("everything that is wrong is reported at once, in the order of the file", () => {
  const lines = faultOf(`chain:\n  name: demo\n  suite: x${NODES}  - { agency: bank, rol: y }\n`);
  assert.deepEqual(
    lines.map((line) => /line (\d+), (\S+)/.exec(line)?.slice(1).join(" ")),
    ["3 chain.suite", "9 nodes[3].rol", "9 nodes[3].name"],
  );
});

test("a node is added with comments kept, and into lists that name their members", () => {
  const groups = "groups:\n  - id: 1 # all\n  - id: 2\n    sealers: [node0, node1]\n";
  const text = `# Our network.\n${WHOLE}${groups}`;
  const changed = withNode(text, { name: "node9", agency: "trade", host: undefined });
  assert.match(changed, /^# Our network\.\n/);
  assert.match(changed, /id: 1 # all/);
  const spec = parseNetwork(changed, FILE);
  assert.deepEqual(spec.agencies, ["bank", "audit", "trade"]);
  assert.deepEqual(
    spec.groups.map(({ sealers }) => sealers),
    [
      ["node0", "node1", "node9"],
      ["node0", "node1", "node9"],
    ],
  );
  const only = parseNetwork(withNode(text, { name: "n", agency: "bank" }, [1]), FILE);
  assert.deepEqual(only.groups[1]?.sealers, ["node0", "node1"]);
  const watcher = { name: "n", agency: "bank", role: "observer" } as const;
  assert.deepEqual(parseNetwork(withNode(text, watcher), FILE).groups[1]?.observers, [
    "node2",
    "n",
  ]);
});

test("a group is added to a file that names none, next to the one that holds then", () => {
  const [first] = parseNetwork(WHOLE, FILE).groups;
  assert.ok(first);
  const group = { id: 5, consensus: "raft", sealers: ["node0"], observers: undefined } as const;
  const { groups } = parseNetwork(withGroup(WHOLE, group, first), FILE);
  assert.deepEqual(groups, [
    first,
    { id: 5, consensus: "raft", sealers: ["node0"], observers: ["node2"] },
  ]);
});
