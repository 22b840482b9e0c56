/** Benchmark and network files of both generations. Source: benchmark 3, 4; interface 2.7 */
import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { planOf } from "../../../../../runtimes/tools/benchmark/files/benchmark-file.ts";
import { networkOf } from "../../../../../runtimes/tools/benchmark/files/network-file.ts";
import { parsePlaced } from "../../../../../runtimes/tools/benchmark/files/placed-file.ts";
import { BenchmarkFault } from "../../../../../runtimes/shared/benchmark/benchmark-fault.ts";

function plan(...lines: readonly string[]) {
  return planOf(parsePlaced("bench.yaml", lines.join("\n")), (name) => name === "./own.js");
}

function network(value: unknown, name = "net.json") {
  const text = typeof value === "string" ? value : JSON.stringify(value, undefined, 2);
  return networkOf(parsePlaced(name, text), "/work/space");
}

/** A fault of a file says where. */
function refusal(message: RegExp): (fault: unknown) => boolean {
  return (fault) => {
    assert.ok(fault instanceof BenchmarkFault && fault.kind === "usage", String(fault));
    assert.match(fault.message, message);
    return true;
  };
}

const G1 = [
  "test:",
  "  name: transfer",
  "  clients: { type: local, number: 2 }",
  "  rounds:",
  "    - label: first",
  "      description: two sub-rounds",
  "      txNumber: [10000, 5000]",
  "      rateControl:",
  "        - { type: fixed-rate, opts: { tps: 1000 } }",
  "      arguments: { money: 10 }",
  "      callback: callback/first.js",
  "    - label: second",
  "      txDuration: [60]",
  "      trim: 5",
  "      callback: callback/second.js",
  "monitor:",
  "  type: [docker, process]",
  "  docker: { name: ['http://192.0.2.1:2375/node0'] }",
  "  process: [{ command: node, multiOutput: avg }]",
  "  interval: 0.1",
];

const G2 = [
  "test:",
  "  name: transfer",
  "  workers: { number: 4 }",
  "  rounds:",
  "    - label: first",
  "      txDuration: 30",
  "      rateControl: { type: fixed-load, opts: { transactionLoad: 5 } }",
  "      workload: { module: work/first.js, arguments: { money: 10 } }",
  "monitors:",
  "  resource: [{ module: process, options: { interval: 1, processes: [{ command: node }] } }]",
];

describe("benchmark files", () => {
  test("of the first generation: lists become sub-rounds, the i-th rate is that of the i-th", () => {
    const { generation, workers, rounds, monitors, warnings } = plan(...G1);
    assert.equal(generation, "G1");
    assert.equal(workers, 2);
    assert.deepEqual(
      rounds.map(({ label, txNumber, txDurationSeconds, rateControl, trim, module }) => {
        return [label, txNumber, txDurationSeconds, rateControl, trim, module];
      }),
      [
        [
          "first",
          10_000,
          undefined,
          { type: "fixed-rate", opts: { tps: 1_000 } },
          0,
          "callback/first.js",
        ],
        [
          "first",
          5_000,
          undefined,
          { type: "fixed-rate", opts: { tps: 1 } },
          0,
          "callback/first.js",
        ],
        [
          "second",
          undefined,
          60,
          { type: "fixed-rate", opts: { tps: 1 } },
          5,
          "callback/second.js",
        ],
      ],
    );
    assert.deepEqual(rounds[0]?.arguments, { money: 10 });
    assert.deepEqual(
      monitors.map(({ type, intervalMs }) => [type, intervalMs]),
      [
        ["docker", 100],
        ["process", 100],
      ],
    );
    assert.deepEqual(warnings, []);
  });

  test("of the second", () => {
    const { generation, workers, rounds } = plan(...G2);
    assert.deepEqual([generation, workers, rounds.length], ["G2", 4, 1]);
    assert.deepEqual(rounds[0]?.rateControl, { type: "fixed-load", opts: { transactionLoad: 5 } });
    assert.equal(rounds[0]?.module, "work/first.js");
  });

  test("lists in a file of the second are expanded as in one of the first", () => {
    const lines = G2.map((line) => line.replace("txDuration: 30", "txNumber: [10, 20]"));
    const { rounds } = plan(...lines);
    assert.deepEqual(
      rounds.map(({ txNumber }) => txNumber),
      [10, 20],
    );
    assert.deepEqual(
      rounds.map(({ rateControl }) => rateControl.type),
      ["fixed-load", "fixed-load"],
    );
  });

  test("that are mixed are taken key by key", () => {
    const lines = G2.map((line) => line.replace("workers:", "clients:"));
    assert.deepEqual([plan(...lines).generation, plan(...lines).workers], ["mixed", 4]);
  });

  test("an unknown key is reported", () => {
    const lines = G2.map((line) => line.replace("name: transfer", "nmae: transfer"));
    assert.match(plan(...lines).warnings.join(), /bench\.yaml:\d+: test\.nmae is not known/);
  });

  test("so is an option that the rate does not have, also of a part", () => {
    const rated = (opts: string) =>
      plan(...G2.map((line) => line.replace(/\{ type: fixed-load.*/, opts))).warnings;
    assert.deepEqual(rated("{ type: fixed-rate, opts: { tps: 5 } }"), []);
    assert.deepEqual(rated("{ type: fixed-rate, opts: { tpss: 5 } }"), [
      "bench.yaml:7: test.rounds[0].rateControl.opts.tpss is not known and has no effect",
    ]);
    const part = "{ type: fixed-rate, opts: { speed: 5 } }";
    const record = `{ type: record-rate, opts: { rateController: ${part}, pathTemplate: a.txt } }`;
    assert.match(rated(record).join(), /opts\.rateController\.opts\.speed is not known/);
  });

  const WRONG: readonly (readonly [string, string, RegExp])[] = [
    ["txDuration: 30", "txNumber: 0", /bench\.yaml:6: test\.rounds\[0\]\.txNumber has 0/],
    ["txDuration: 30", "txNumber: 1.5", /:6: test\.rounds\[0\]\.txNumber has 1\.5: a whole number/],
    ["txDuration: 30", "trim: 1", /:5: test\.rounds\[0\]\.txNumber is missing, and txDuration too/],
    ["txDuration: 30", "txDurtion: 1", /:5: .* is missing, and .*; txDurtion is not known/],
    ["txDuration: 30", "{txDuration: 30, txNumber: 1}", /bench\.yaml:/],
    ["label: first", "lable: first", /:5: test\.rounds\[0\]\.label is missing/],
    [
      "{ type: fixed-load, opts: { transactionLoad: 5 } }",
      "{ opts: {} }",
      /:7: .*rateControl\.type is missing/,
    ],
    ["rateControl:", "rateKontrol:", /:5: test\.rounds\[0\]\.rateControl is missing/],
    ["module: work/first.js, ", "", /:8: test\.rounds\[0\]\.workload\.module is missing/],
    ["number: 4", "number: many", /:3: test\.workers\.number is no number/],
    ["command: node", "command: '['", /:10: monitors\.resource\[0\].*is no regular expression/],
    [
      "module: process",
      "module: proces",
      /:10: monitors\.resource\[0\]\.module "proces" is no monitor/,
    ],
    ["  workers: { number: 4 }", "  workers: { number: 4", /bench\.yaml:\d+: /],
  ];
  for (const [from, to, says] of WRONG) {
    test(`"${to}" in place of "${from}" is refused: ${says.source}`, () => {
      assert.throws(() => plan(...G2.map((line) => line.replace(from, to))), refusal(says));
    });
  }

  test("number and duration exclude each other", () => {
    const lines = G2.map((line) =>
      line.replace("txDuration: 30", "txDuration: 30\n      txNumber: 5"),
    );
    assert.throws(
      () => plan(...lines),
      refusal(/:6: test\.rounds\[0\]\.txDuration and txNumber exclude/),
    );
  });
});

/** Controllers with an option that cannot be, and what is reported of it behind the line. */
const WRONG_RATES: readonly (readonly [string, string])[] = [
  ["type: fixed-rate, opts: { tps: fast }", '.opts.tps is no number: "fast"'],
  ["type: fixed-rate, opts: { tps: -1 }", ".opts.tps is below 0"],
  ["type: fixed-rate, opts: { tps: .inf }", ".opts.tps is no number: Infinity"],
  ["type: fixed-rate, opts: 5", ".opts is no section"],
  ["type: fixed-load, opts: { transactionLoad: 0 }", ".opts.transactionLoad is below 1"],
  ["type: fixed-load, opts: { startTps: 0 }", ".opts.startTps is not above 0"],
  [
    "type: fixed-backlog, opts: { unfinished_per_client: 0 }",
    ".opts.unfinished_per_client is below",
  ],
  ["type: fixed-backlog, opts: { sleep_time: [] }", ".opts.sleep_time is no number: []"],
  ["type: fixed-feedback-rate, opts: { tps: '' }", '.opts.tps is no number: ""'],
  ["type: fixed-feedback-rate, opts: { transactionLoad: 0 }", ".opts.transactionLoad is below 1"],
  ["type: fixed-feedback-rate, opts: { sleepTime: -5 }", ".opts.sleepTime is below 0"],
  ["type: maximum-rate, opts: { tps: 0 }", ".opts.tps is not above 0"],
  ["type: maximum-rate, opts: { step: -1 }", ".opts.step is not above 0"],
  ["type: maximum-rate, opts: { sampleInterval: no }", '.opts.sampleInterval is no number: "no"'],
  ["type: maximum-rate, opts: { includeFailed: 1 }", ".opts.includeFailed is neither true nor"],
  ["type: linear-rate, opts: { finishingTps: 5 }", ".opts.startingTps is missing: a number"],
  [
    "type: linear-rate, opts: { startingTps: 5, finishingTps: 0 }",
    ".opts.finishingTps is not above",
  ],
  ["type: composite-rate, opts: { rateControllers: [] }", ".opts.weights is missing"],
  ["type: composite-rate, opts: { weights: [1] }", ".opts.rateControllers is missing"],
  [
    "type: composite-rate, opts: { weights: [1, 1], rateControllers: [{ type: fixed-rate }] }",
    ".opts.weights has 2 weights for 1 controllers",
  ],
  [
    "type: composite-rate, opts: { weights: [-1], rateControllers: [{ type: fixed-rate }] }",
    ".opts.weights has -1, which is below 0",
  ],
  [
    "type: composite-rate, opts: { weights: [0], rateControllers: [{ type: fixed-rate }] }",
    ".opts.weights has nothing but zeros",
  ],
  [
    "type: composite-rate, opts: { weights: [x], rateControllers: [{ type: fixed-rate }] }",
    '.opts.weights[0] is no number: "x"',
  ],
  [
    "type: composite-rate, opts: { weights: [1, 2], rateControllers: [{ type: fixed-rate }, {}] }",
    ".opts.rateControllers[1].type is missing",
  ],
  [
    "type: record-rate, opts: { rateController: { type: fixed-rate } }",
    ".opts.pathTemplate is miss",
  ],
  ["type: record-rate, opts: { pathTemplate: t }", ".opts.rateController is missing"],
  [
    "type: record-rate, opts: { pathTemplate: t, rateController: { type: zero-rate, opts: 5 } }",
    ".opts.rateController.opts is no section",
  ],
  [
    "type: replay-rate, opts: { pathTemplate: t, inputFormat: XML }",
    '.opts.inputFormat "XML" is none of TEXT, BIN_BE, BIN_LE',
  ],
  ["type: replay-rate", ".opts.pathTemplate is missing: a text"],
  [
    "type: replay-rate, opts: { pathTemplate: t, inputFormat: 7 }",
    '.opts.inputFormat "7" is none of',
  ],
  [
    "type: replay-rate, opts: { pathTemplate: t, defaultSleepTime: -1 }",
    ".opts.defaultSleepTime is",
  ],
  ["type: fixed-rat", '.type "fixed-rat" is no controller: fixed-rate, fixed-load'],
  ["opts: {}", ".type is missing: a text"],
];

describe("options of rate controllers are examined with the file", () => {
  const USUAL = "type: fixed-load, opts: { transactionLoad: 5 }";
  for (const [rate, says] of WRONG_RATES) {
    test(`${rate}: ${says}`, () => {
      const lines = G2.map((line) => line.replace(USUAL, rate));
      const where = `bench.yaml:7: test.rounds[0].rateControl${says}`;
      assert.throws(
        () => plan(...lines),
        (cause: Error) => cause.message.startsWith(where) || assert.fail(cause.message),
      );
    });
  }

  test("of a list each with its own line, in files of the first generation", () => {
    const lines = G1.map((line) => line.replace("tps: 1000", "tps: { a: 1 }"));
    assert.throws(
      () => plan(...lines),
      refusal(/:9: test\.rounds\[0\]\.rateControl\[0\]\.opts\.tps/),
    );
  });

  test("zero-rate is for rounds by duration, and a module of the user's is let be", () => {
    const zero = G2.map((line) => line.replace(USUAL, "type: zero-rate"));
    assert.equal(plan(...zero).rounds[0]?.rateControl.type, "zero-rate");
    const counted = zero.map((line) => line.replace("txDuration: 30", "txNumber: 30"));
    assert.throws(() => plan(...counted), refusal(/:7: .*type zero-rate is for txDuration/));
    const own = G2.map((line) => line.replace(USUAL, "type: ./own.js, opts: { any: thing }"));
    assert.deepEqual(plan(...own).rounds[0]?.rateControl, {
      type: "./own.js",
      opts: { any: "thing" },
    });
  });
});

const NETWORK = {
  caliper: { blockchain: "fisco-bcos", command: { start: "", end: "echo end" } },
  "fisco-bcos": {
    config: { privateKey: "bc".repeat(32), account: `0x${"64".repeat(20)}` },
    network: {
      nodes: [{ ip: "127.0.0.1", rpcPort: "8545", channelPort: 20200 }],
      authentication: { key: "sdk/sdk.key", cert: "sdk/sdk.crt", ca: "/abs/ca.crt" },
      groupID: 2,
      timeout: 5_000,
    },
    smartContracts: [
      { id: "hello", path: "src/HelloWorld.sol", language: "solidity", version: "v0" },
      { id: "dag", address: "0x5002", language: "precompiled", version: "v0" },
    ],
  },
  info: { Version: "2.0.0", Size: "4 Nodes" },
};
type Change = (value: typeof NETWORK) => unknown;

describe("network files", () => {
  test("as interface 2.7 has them", () => {
    const found = network(NETWORK);
    assert.deepEqual(found.nodes, [{ ip: "127.0.0.1", rpcPort: 8545, channelPort: 20200 }]);
    const { mode, groupId, timeoutMs, start, end, accounts } = found;
    assert.deepEqual([mode, groupId, timeoutMs], ["channel", 2, 5_000]);
    assert.deepEqual([start, end, accounts], [undefined, "echo end", 1]);
    assert.deepEqual(found.authentication, {
      key: "/work/space/sdk/sdk.key",
      cert: "/work/space/sdk/sdk.crt",
      ca: "/abs/ca.crt",
    });
    assert.equal(found.contracts[1]?.address, `0x${"5002".padStart(40, "0")}`);
    assert.ok(!JSON.stringify(found.value).includes("bc".repeat(32)), "no report holds the key");
  });

  test("indented by tabs, as YAML, and under the product's own name", () => {
    const { "fisco-bcos": chain, ...rest } = NETWORK;
    const own = { ...rest, caliper: { blockchain: "chain-node" }, "chain-node": chain };
    assert.equal(network(JSON.stringify(own, undefined, "\t")).blockchain, "chain-node");
    const legacy = { ...NETWORK, caliper: { blockchain: "mychain" } };
    assert.equal(network(legacy).blockchain, "mychain");
    const yaml =
      "caliper: {blockchain: c}\nc:\n  network:\n    nodes: [{ip: 127.0.0.1, rpcPort: 1}]\n";
    assert.equal(network(yaml).mode, "rpc");
    const inproc = "caliper: {blockchain: c}\nc: {network: {mode: inproc}}\n";
    assert.deepEqual(network(inproc).nodes, []);
  });

  const chain = NETWORK["fisco-bcos"];
  const withNetwork = (more: object) => ({
    ...NETWORK,
    "fisco-bcos": { ...chain, network: { ...chain.network, ...more } },
  });
  const WRONG: readonly (readonly [string, Change, RegExp])[] = [
    [
      "no caliper.blockchain",
      (it) => ({ ...it, caliper: {} }),
      /net\.json has no caliper\.blockchain/,
    ],
    [
      "a command of blanks",
      (it) => ({ ...it, caliper: { blockchain: "fisco-bcos", command: { start: "  " } } }),
      /net\.json:5: caliper\.command\.start has blanks only/,
    ],
    [
      "a section that is not there",
      ({ "fisco-bcos": _, ...it }) => ({ ...it, caliper: { blockchain: "besu" } }),
      /net\.json:3: caliper\.blockchain is besu/,
    ],
    ["no nodes", () => withNetwork({ nodes: [] }), /network\.nodes is an empty list/],
    [
      "a port of 70000",
      () => withNetwork({ nodes: [{ ip: "h", channelPort: 70_000 }] }),
      /:\d+: fisco-bcos\.network\.nodes\[0\]\.channelPort is no port/,
    ],
    [
      "no port of the mode",
      () => withNetwork({ nodes: [{ ip: "h", rpcPort: 1 }] }),
      /nodes\[0\]\.channelPort is missing/,
    ],
    [
      "a mode that is none",
      () => withNetwork({ mode: "tcp" }),
      /network\.mode "tcp" is none of channel/,
    ],
    [
      "a channel without files",
      () => withNetwork({ mode: "channel", authentication: null }),
      /network\.authentication is missing/,
    ],
    [
      "a short key",
      (it) => ({ ...it, "fisco-bcos": { ...chain, config: { privateKey: "12" } } }),
      /config\.privateKey is no key/,
    ],
    [
      "an address of letters",
      (it) => ({
        ...it,
        "fisco-bcos": {
          ...chain,
          smartContracts: [{ id: "a", language: "precompiled", address: "0xzz" }],
        },
      }),
      /smartContracts\[0\]\.address "0xzz" is no address/,
    ],
  ];
  for (const [name, change, says] of WRONG) {
    test(`${name}: ${says.source}`, () => {
      assert.throws(() => network(change(NETWORK)), refusal(says));
    });
  }
});
