/** Details of JSON-RPC at an endpoint: every runtime that hosts a node runs this. */
import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { openRpcDocument } from "../../core/rpc/openrpc.ts";
import { METHODS } from "../../core/rpc/registry.ts";
import { answerOf, ask, post } from "../support/process/dev-chain-process.ts";

function bodyOf(method: string, params: readonly unknown[] = [1], id = "1"): string {
  return `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${JSON.stringify(params)}}`;
}

/** The suite: pass the URL of a node that is a member of group 1 alone. */
export function rpcDetailsContract(name: string, url: () => string): void {
  describe(name, () => {
    test("rpc.discover describes exactly the methods that the node checks requests with", async () => {
      const { info, methods } = await ask<{
        info: { version: string };
        methods: { name: string; params: { name: string }[] }[];
      }>(url(), "rpc.discover");
      const expected = openRpcDocument(METHODS, info.version);
      assert.deepEqual(await ask(url(), "rpc.discover"), JSON.parse(JSON.stringify(expected)));
      for (const { name, params } of methods) {
        const tooMany = Array.from({ length: params.length + 1 }, () => ({}));
        const { error } = await answerOf(url(), name, tooMany);
        assert.notEqual(error?.code, -32_601, `${name} is described, so it exists`);
        if (params.length > 0) assert.ok(error, `${name} checks its parameters`);
      }
      assert.equal((await answerOf(url(), "getNothing", [])).error?.code, -32_601);
    });

    for (const id of [
      "9007199254740993",
      "18446744073709551615",
      "-9223372036854775808",
      '"a\\u00e9"',
      "null",
    ]) {
      test(`the id ${id} comes back digit for digit`, async () => {
        const { text } = await post(url(), bodyOf("getBlockNumber", [1], id));
        const echoed = /"id":(.*),"jsonrpc"/.exec(text)?.[1] ?? "";
        const expected = id.startsWith('"') ? JSON.parse(id) : id;
        assert.equal(id.startsWith('"') ? JSON.parse(echoed) : echoed, expected);
      });
    }

    test("JSON that nests without end is answered with an error", async () => {
      for (const body of [
        "[".repeat(30_000),
        '{"a":'.repeat(10_000),
        `[${"1,".repeat(20_000)}1]`,
      ]) {
        const { status, text } = await post(url(), body);
        assert.equal(status, 200);
        assert.match(text, /"error"/);
      }
      assert.deepEqual(await ask(url(), "getGroupList"), [1]);
    });
  });
}
