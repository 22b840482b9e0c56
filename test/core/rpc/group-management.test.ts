/**
 * Group operations: who may ask, the checks before the group's state is examined, and what is
 * handed on.
 */
import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { version } from "../../../core/model/version.ts";
import type { GenerateGroupParams, GroupOperation, NodeApi } from "../../../core/api/node-api.ts";
import { nodeIdOf } from "../../support/data-node.ts";
import { ask, rpcNode } from "../../support/rpc-node.ts";

// rules: rpc-semantics 10.1-4, groups 3.1-3, README 24, README 13

const SEALER = nodeIdOf("ab");
const PARAMS = { timestamp: "1600000000000", sealers: [SEALER] };
const OPERATIONS: readonly GroupOperation[] = [
  "generateGroup",
  "startGroup",
  "stopGroup",
  "removeGroup",
  "recoverGroup",
];

function paramsOf(operation: string, groupId: unknown): unknown[] {
  return operation === "generateGroup" ? [groupId, PARAMS] : [groupId];
}

interface Handed {
  readonly operation: GroupOperation;
  readonly groupId: number;
  readonly params: GenerateGroupParams | undefined;
}

function recordingNode(changes: Partial<NodeApi> = {}): { node: NodeApi; handed: Handed[] } {
  const handed: Handed[] = [];
  const node = rpcNode({
    manageGroup: async (operation, groupId, params) => {
      handed.push({ operation, groupId, params });
      return { code: 13, message: "Group 2 is stopping" };
    },
    ...changes,
  });
  return { node, handed };
}

const RANGE_RESULT = { code: "0x7", message: "GroupID should be between 1 and 32767" };

for (const operation of OPERATIONS) {
  describe(operation, () => {
    test("is handed to the node, its outcome is a result", async () => {
      const { node, handed } = recordingNode();
      const { result } = await ask(node, operation, paramsOf(operation, 2));
      assert.deepEqual(result, { code: "0xd", message: "Group 2 is stopping" });
      assert.deepEqual(
        handed.map((it) => [it.operation, it.groupId]),
        [[operation, 2]],
      );
    });

    test("is forbidden first of all to foreign pages and when closed", async () => {
      const closed = recordingNode({ dynamicGroupDisabled: true, supportedVersion: 0 });
      const open = recordingNode();
      const params = paramsOf(operation, 0);
      assert.equal((await ask(closed.node, operation, params)).error?.code, -100001);
      assert.equal((await ask(open.node, operation, params, false)).error?.code, -100001);
      assert.deepEqual([...closed.handed, ...open.handed], []);
    });

    test("needs compatibility version 2.2.0, which is told with its own name", async () => {
      const { node } = recordingNode({ supportedVersion: version(2, 1, 0) });
      const { error } = await ask(node, operation, paramsOf(operation, 0));
      assert.equal(error?.code, -40009);
      assert.equal(error.message, `method ${operation} not support this version`);
    });

    for (const groupId of [0, -3, 32_768, 2_147_483_647]) {
      test(`group ${groupId} is out of range: 0x7`, async () => {
        const { node, handed } = recordingNode();
        const { result } = await ask(node, operation, paramsOf(operation, groupId));
        assert.deepEqual(result, RANGE_RESULT);
        assert.deepEqual(handed, []);
      });
    }

    test("waits until the node is ready", async () => {
      const { node } = recordingNode({ isReady: () => false });
      assert.equal((await ask(node, operation, paramsOf(operation, 2))).error?.code, -40010);
    });
  });
}

describe("arguments of generateGroup, in order", () => {
  const BAD = "zz";
  const TABLE: readonly (readonly [object, string])[] = [
    [{ sealers: BAD }, "invalid `timestamp` field"],
    [{ timestamp: 1.5, sealers: BAD }, "invalid `timestamp` field"],
    [{ timestamp: true }, "invalid `timestamp` field"],
    [{ timestamp: null }, "invalid `timestamp` field"],
    [{ timestamp: "-1", sealers: BAD }, "invalid timestamp: -1"],
    [{ timestamp: -1 }, "invalid timestamp: -1"],
    [{ timestamp: "" }, "invalid timestamp: "],
    [{ timestamp: "01" }, "invalid timestamp: 01"],
    [{ timestamp: "0x1" }, "invalid timestamp: 0x1"],
    [{ timestamp: "9223372036854775808" }, "invalid timestamp: 9223372036854775808"],
    [{ timestamp: 1e18 }, "invalid timestamp: 1e+18"],
    [{ timestamp: "1" }, "invalid `sealers` field"],
    [{ timestamp: "1", sealers: BAD, enable_free_storage: 1 }, "invalid `sealers` field"],
    [
      { timestamp: "1", sealers: [] },
      "GenerateGroup failed for empty sealer list, expect at least one sealer",
    ],
    [{ timestamp: "1", sealers: [SEALER, BAD] }, "invalid sealer ID at position 2"],
    [{ timestamp: "1", sealers: [1] }, "invalid sealer ID at position 1"],
    [{ timestamp: "1", sealers: [`0x${SEALER}`] }, "invalid sealer ID at position 1"],
    [{ ...PARAMS, enable_free_storage: 1 }, "invalid `enable_free_storage` field"],
    [{ ...PARAMS, enable_free_storage: null }, "invalid `enable_free_storage` field"],
  ];
  for (const [params, message] of TABLE) {
    const shown = JSON.stringify(params).replaceAll(SEALER, "<id>");
    test(`${shown} is refused: ${message}`, async () => {
      const { node, handed } = recordingNode();
      const { result } = await ask(node, "generateGroup", [2, params]);
      assert.deepEqual(result, { code: "0x7", message });
      assert.deepEqual(handed, []);
    });
  }

  for (const timestamp of ["0", "9223372036854775807", 1_600_000_000_000]) {
    test(`timestamp ${JSON.stringify(timestamp)} is accepted`, async () => {
      const { node, handed } = recordingNode();
      await ask(node, "generateGroup", [2, { ...PARAMS, timestamp }]);
      assert.equal(handed[0]?.params?.timestamp, BigInt(timestamp));
    });
  }

  test("sealers are handed on distinct, ascending and in lower case", async () => {
    const { node, handed } = recordingNode();
    const sealers = [nodeIdOf("ff").toUpperCase(), SEALER, SEALER, nodeIdOf("0a")];
    await ask(node, "generateGroup", [2, { timestamp: 1, sealers, enable_free_storage: true }]);
    assert.deepEqual(handed[0]?.params, {
      timestamp: 1n,
      sealers: [nodeIdOf("0a"), SEALER, nodeIdOf("ff")],
      freeStorage: true,
    });
  });

  test("params that are no object are -32602", async () => {
    const { node } = recordingNode();
    for (const params of [null, [], "x"]) {
      assert.equal((await ask(node, "generateGroup", [2, params])).error?.code, -32602);
    }
  });
});

describe("queryGroupStatus", () => {
  test("answers with the status word", async () => {
    const node = rpcNode();
    const running = { code: "0x0", message: "", status: "RUNNING" };
    assert.deepEqual((await ask(node, "queryGroupStatus", [1])).result, running);
    const absent = { ...running, status: "INEXISTENT" };
    assert.deepEqual((await ask(node, "queryGroupStatus", [7])).result, absent);
  });

  test("answers foreign pages and a closed interface", async () => {
    const closed = rpcNode({ dynamicGroupDisabled: true });
    assert.equal((await ask(closed, "queryGroupStatus", [1], false)).error, undefined);
  });

  test("out of range it adds an empty status", async () => {
    const { result } = await ask(rpcNode(), "queryGroupStatus", [70_000]);
    assert.deepEqual(result, { ...RANGE_RESULT, status: "" });
  });

  test("below version 2.2.0 it is refused with its own name", async () => {
    const old = rpcNode({ supportedVersion: version(2, 1, 0) });
    const { error } = await ask(old, "queryGroupStatus", [1]);
    assert.equal(error?.message, "method queryGroupStatus not support this version");
  });
});
