/** Ids of requests, which answers echo. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { ALL_LEAVE, dispatch } from "../../../core/rpc/dispatch.ts";
import { answerText, ID_BATCH, ID_CASES, requestText } from "../../support/client/id-cases.ts";
import { rpcNode } from "../../support/rpc-node.ts";

// rules: rpc-semantics 2.1, 2.3

const node = rpcNode();
const ask = (body: string): Promise<string> => dispatch(node, body, { ...ALL_LEAVE });

for (const row of ID_CASES) {
  const isRefused = row.echo === null;
  test(`an id that is ${row.name} (${row.id}) is ${isRefused ? "refused" : "echoed"}`, async () => {
    assert.equal(await ask(requestText(row)), `${answerText(row)}\n`);
    const failed = await ask(requestText(row).replace("getGroupList", "nothing"));
    const code = isRefused ? -32600 : -32601;
    assert.ok(failed.startsWith(`{"error":{"code":${code},`), failed);
    assert.ok(failed.endsWith(`"id":${row.echo},"jsonrpc":"2.0"}\n`), failed);
  });
}

test("ids are echoed in a batch", async () => {
  assert.equal(await ask(ID_BATCH.request), `${ID_BATCH.answer}\n`);
});

test("numbers of more than 1,024 digits are no ids, texts are echoed whatever their length", async () => {
  const digits = "0".repeat(1_020);
  const body = (id: string) => `{"jsonrpc":"2.0","id":${id},"method":"getGroupList"}`;
  const asked = (id: string) => dispatch(rpcNode(), body(id), { ...ALL_LEAVE });
  const most = "x".repeat(1_000_000);
  assert.ok((await asked(`"${most}"`)).includes(`"id":"${most}"`));
  for (const id of [`9.${digits}1e18`, `1${digits}00000`])
    assert.ok((await asked(id)).includes('"code":-32600,'), id);
});
