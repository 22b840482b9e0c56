/** Who may change groups and peers over HTTP: all modes and callers. */
// rules: README 31
import assert from "node:assert/strict";
import { test } from "vitest";
import type { Method } from "../../../core/rpc/method.ts";
import { METHODS } from "../../../core/rpc/registry.ts";
import { createHttpApp } from "../../../runtimes/shared/http-app.ts";
import { ALL_MANAGE, callerOf, NOTHING_LISTED } from "../../../runtimes/shared/http-caller.ts";
import { type Management, mayManage } from "../../../runtimes/shared/management.ts";
import type { RequestHeaders } from "../../../runtimes/shared/request-headers.ts";
import { rpcNode } from "../../support/rpc-node.ts";

const TOKEN = "0123456789abcdef-of-an-operator";
const TOKEN_MODE: Management = { mode: "token", token: TOKEN };

const here = () => true;
const elsewhere = () => false;

test("callers of the node's own host may, others may not", () => {
  assert.equal(mayManage({ mode: "local" }, {}, here), true);
  assert.equal(mayManage({ mode: "local" }, {}, elsewhere), false);
  // A token is nothing to a node that has none.
  const headers = { authorization: `Bearer ${TOKEN}` };
  assert.equal(mayManage({ mode: "local" }, headers, elsewhere), false);
});

for (const name of [
  "forwarded",
  "via",
  "x-real-ip",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-forwarded-anything",
]) {
  test(`a proxy on the host speaks for others, as ${name} says`, () => {
    for (const value of ["192.0.2.7", "", undefined])
      assert.equal(mayManage({ mode: "local" }, { [name]: value }, here), false);
    assert.equal(mayManage({ mode: "open" }, { [name]: "192.0.2.7" }, elsewhere), true);
    const headers = { [name]: "192.0.2.7", authorization: `Bearer ${TOKEN}` };
    assert.equal(mayManage(TOKEN_MODE, headers, elsewhere), true);
  });
}

test("who sends the token may, wherever it comes from, and nobody else", () => {
  const may = (authorization?: string | readonly string[]) =>
    mayManage(TOKEN_MODE, { authorization }, elsewhere);
  assert.deepEqual([`Bearer ${TOKEN}`, `bearer  ${TOKEN} `].map(may), [true, true]);
  const wrong = [
    undefined,
    "",
    TOKEN,
    "Bearer",
    "Bearer ",
    `Basic ${TOKEN}`,
    `Bearer ${TOKEN}x`,
    `Bearer ${TOKEN.slice(0, -1)}`,
    `Bearer ${TOKEN}${TOKEN}`,
    `Bearer ${TOKEN.toUpperCase()}`,
    `Bearer ${TOKEN} ${TOKEN}`,
  ];
  for (const authorization of wrong) assert.equal(may(authorization), false, authorization);
  assert.equal(may([`Bearer ${TOKEN}`, `Bearer ${TOKEN}`]), false);
  // Its own host is no reason where a token is wanted.
  assert.equal(mayManage(TOKEN_MODE, {}, here), false);
});

const STOP = { method: "stopGroup", params: [1] };
const MANAGING = [
  STOP,
  { method: "startGroup", params: [1] },
  { method: "removeGroup", params: [1] },
  { method: "recoverGroup", params: [1] },
  { method: "generateGroup", params: [2, { timestamp: "1", sealers: [] }] },
  { method: "addPeers", params: [["127.0.0.1:30300"]] },
  { method: "erasePeers", params: [["127.0.0.1:30300"]] },
];
const OTHERS = [
  { method: "queryGroupStatus", params: [1] },
  { method: "queryPeers", params: [] },
  { method: "getGroupList", params: [] },
  { method: "sendRawTransaction", params: [1, "0xff"] },
];

interface Reply {
  readonly error?: { readonly code: number; readonly message: string };
}

async function ask(
  call: object,
  management: Management | undefined,
  headers: RequestHeaders = {},
): Promise<Reply> {
  const lists = { ...NOTHING_LISTED, management };
  const { app } = createHttpApp({ node: rpcNode(), maxBodyBytes: 10_000 });
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, ...call });
  const caller = callerOf(headers, lists);
  const response = await app.request("/", { method: "POST", body }, { caller });
  return (await response.json()) as Reply;
}

test("all that change something either manage or submit", () => {
  const namesOf = (methods: readonly Method[]) => methods.map(({ name }) => name).sort();
  const managing = METHODS.filter(({ manages }) => manages);
  assert.deepEqual(namesOf(managing), MANAGING.map(({ method }) => method).sort());
  const changing = METHODS.filter(({ changes }) => changes);
  const submitting = ["sendRawTransaction", "sendRawTransactionAndGetProof"];
  assert.deepEqual(namesOf(changing), [...namesOf(managing), ...submitting].sort());
});

for (const call of MANAGING) {
  test(`${call.method} is for those who may`, async () => {
    for (const management of [undefined, TOKEN_MODE, { mode: "local" } as const]) {
      const { error } = await ask(call, management);
      assert.equal(error?.code, -100_001);
      assert.match(error.message, /^Dynamic group .* forbidden to access: ask from the node's own/);
    }
    assert.notEqual((await ask(call, { mode: "open" })).error?.code, -100_001);
    const headers = { authorization: `Bearer ${TOKEN}` };
    assert.notEqual((await ask(call, TOKEN_MODE, headers)).error?.code, -100_001);
  });
}

for (const call of OTHERS) {
  test(`${call.method} is for everybody`, async () => {
    assert.notEqual((await ask(call, undefined)).error?.code, -100_001);
  });
}

test("one of a batch is refused alone", async () => {
  const { app } = createHttpApp({ node: rpcNode(), maxBodyBytes: 10_000 });
  const calls = [OTHERS[2], STOP, OTHERS[2]];
  const body = JSON.stringify(calls.map((call, id) => ({ jsonrpc: "2.0", id, ...call })));
  const response = await app.request("/", { method: "POST", body });
  const codes = ((await response.json()) as Reply[]).map(({ error }) => error?.code);
  assert.deepEqual(codes, [undefined, -100_001, undefined]);
});

test("pages of the tab that a node runs in may", async () => {
  const { app } = createHttpApp({ node: rpcNode(), maxBodyBytes: 10_000, lists: ALL_MANAGE });
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, ...STOP });
  const response = await app.request("/", { method: "POST", body });
  assert.deepEqual(((await response.json()) as { result: unknown }).result, {
    code: "0x0",
    message: "done",
  });
});
