/**
 * The self-description says what the validators do: each schema is tried with values that fit and
 * that do not.
 */
import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { RPC_FAULTS } from "../../../core/fault/rpc-fault.ts";
import { methodNames } from "../../support/client/interface-methods.ts";
import { schemaErrors, type JsonSchema } from "../../support/client/json-schema.ts";
import { ask, BLOCKS, rpcNode } from "../../support/rpc-node.ts";
import { CONTRACT, SENDER, smallTransaction } from "../../support/ledger/small-chain.ts";
import { METHODS } from "../../../core/rpc/registry.ts";
import type { Method } from "../../../core/rpc/method.ts";
import { nodeIdOf } from "../../support/data-node.ts";

interface Document {
  readonly openrpc: string;
  readonly info: { readonly version: string };
  readonly methods: readonly {
    readonly name: string;
    readonly params: readonly { readonly name: string; readonly schema: JsonSchema }[];
    readonly result: { readonly schema: JsonSchema };
    readonly errors: readonly { readonly code: number; readonly message: string }[];
  }[];
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

const [GENESIS, FIRST] = BLOCKS;
assert.ok(GENESIS && FIRST);
const pending = [smallTransaction({ nonce: 20n, to: null })];
const node = rpcNode(
  {
    peers: () => [
      {
        nodeId: nodeIdOf("a1"),
        endpoint: "127.0.0.1:30300",
        agency: "x",
        node: "n",
        topics: ["t"],
      },
    ],
    configuredPeers: () => ["127.0.0.1:30300"],
    peerList: {
      configured: () => ["127.0.0.1:30300"],
      isEndpoint: (text) => /^[^:]+:[0-9]+$/.test(text),
      paramLimit: 10,
      add: async () => ({ code: 0, message: "added" }),
      erase: async () => ({ code: 0, message: "erased" }),
    },
  },
  { pendingTransactions: () => pending, submit: async () => ({ ok: true, hash: GENESIS.hash }) },
);
const document = (await ask(node, "rpc.discover", [])).result as Document;
const schemas = document.components.schemas;

/** Values of every parameter that lead to a result. */
const FITTING: Readonly<Record<string, unknown>> = {
  groupID: 1,
  blockHash: FIRST.hash,
  transactionHash: FIRST.transactions[0]?.hash,
  blockNumber: "1",
  transactionIndex: "0x0",
  from: "0",
  count: "-1",
  compress: true,
  includeTransactions: true,
  includeSignatures: true,
  address: CONTRACT,
  rlp: "c0",
  key: "tx_count_limit",
  request: { from: SENDER, to: CONTRACT, value: "0x0", data: "0x" },
  addresses: ["127.0.0.1:30301", "[::1]:30302"],
  genesisParams: { timestamp: 1, sealers: [nodeIdOf("a1")], enable_free_storage: true },
};

/** Candidates for any parameter; which of them a schema refuses is up to the schema. */
const CANDIDATES: readonly unknown[] = [
  null,
  true,
  false,
  0,
  1,
  9,
  -1,
  1.5,
  2_147_483_648,
  -2_147_483_649,
  "",
  "0",
  "1",
  "-1",
  "-2",
  "0x",
  "0x1",
  "0X1",
  "0xzz",
  "zz",
  " 1",
  "latest",
  "1.5",
  "010",
  CONTRACT,
  CONTRACT.slice(2),
  `${CONTRACT}0`,
  FIRST.hash,
  `${FIRST.hash}00`,
  `0x${"zz".repeat(32)}`,
  "tx_gas_limit",
  "TX_COUNT_LIMIT",
  [],
  [1],
  ["127.0.0.1"],
  ["example.org:30300", ""],
  {},
  { from: SENDER },
  { from: "x" },
  { from: "" },
  { from: SENDER, to: "0x12" },
  { from: SENDER, to: null },
  { from: SENDER, value: "-1" },
  { from: SENDER, value: -1 },
  { from: SENDER, data: "zz" },
  { from: SENDER, value: 7, data: "0xff" },
  { timestamp: 1, sealers: [] },
  { timestamp: "01", sealers: [1] },
  { timestamp: 1e18, sealers: [nodeIdOf("a1")] },
  { timestamp: "9223372036854775808", sealers: [nodeIdOf("a1")] },
  { timestamp: "9223372036854775807", sealers: [nodeIdOf("a1")] },
  { from: SENDER, value: 1e30 },
  { from: SENDER, value: `0x1${"0".repeat(64)}` },
  "9223372036854775807",
  "9223372036854775808",
  "0x7fffffffffffffff",
  "0x8000000000000000",
];

function fittingParams(method: Method): unknown[] {
  return method.params.map((param) => {
    const value = FITTING[param.name];
    assert.notEqual(value, undefined, `a fitting value for ${param.name}`);
    return value;
  });
}

test("the document describes every operation, itself included", () => {
  const described = document.methods.map((method) => method.name);
  assert.equal(document.openrpc, "1.3.2");
  assert.equal(document.info.version, "2.12.0");
  assert.equal(new Set(described).size, described.length);
  assert.deepEqual(
    described,
    METHODS.map((method) => method.name),
  );
  const missing = methodNames().filter((name) => !described.includes(name));
  assert.deepEqual(missing, []);
});

test("errors of the document are rows of the table", () => {
  const known = new Set<number>(Object.values(RPC_FAULTS).map((row) => row.code));
  for (const { name, errors } of document.methods) {
    const codes = errors.map((error) => error.code);
    assert.equal(new Set(codes).size, codes.length, name);
    assert.ok(
      codes.every((code) => known.has(code)),
      name,
    );
  }
});

/** Outcomes that are no errors, but say that an argument is wrong. */
function isRefusal(result: unknown): boolean {
  return (result as { code?: unknown } | null)?.code === "0x7";
}

for (const [index, method] of METHODS.entries()) {
  const described = document.methods[index];
  assert.ok(described);

  describe(method.name, () => {
    test("a fitting request is answered, and the answer fits the result schema", async () => {
      const reply = await ask(node, method.name, fittingParams(method));
      if (method.name === "getEpochSealersList") {
        assert.equal(reply.error?.code, -40009);
        return;
      }
      assert.equal(reply.error, undefined, reply.error?.message);
      assert.deepEqual(schemaErrors(reply.result, described.result.schema, schemas), []);
    });

    for (const [position, param] of described.params.entries()) {
      test(`the schema of ${param.name} accepts exactly what the method does`, async () => {
        let refused = 0;
        for (const value of CANDIDATES) {
          const params = fittingParams(method).with(position, value);
          const { error, result } = await ask(node, method.name, params);
          const fits = schemaErrors(value, param.schema, schemas).length === 0;
          const text = `${param.name} = ${JSON.stringify(value)}: ${error?.code} ${error?.message}`;
          const isArgumentError =
            [-32602, -32603, -40006, -40008].includes(error?.code ?? 0) || isRefusal(result);
          // A group ID that converts but is no group's is an outcome of group operations.
          const isRange = isRefusal(result) && param.name === "groupID";
          assert.equal(fits, !isArgumentError || isRange, text);
          refused += fits ? 0 : 1;
          if (error !== undefined) {
            assert.ok(
              described.errors.some((it) => it.code === error.code),
              `undescribed: ${text}`,
            );
          }
        }
        assert.ok(refused > 5, "the candidates include values that do not fit");
      });
    }
  });
}
