// Lists and limits of SDKs: the group of a request, order of checks, permits, reloading.
// rules: channel-protocol 6, 10
import assert from "node:assert/strict";
import { test } from "vitest";
import {
  AccessControl,
  type AccessRules,
  groupOfRequest,
  OPEN_ACCESS,
} from "../../../core/channel/access.ts";
import type { Json } from "../../../core/rpc/json.ts";

const SDK = "ab".repeat(64);
const OTHER = "cd".repeat(64);

function request(method: string, params: Json = [1]): Json {
  return { jsonrpc: "2.0", id: 1, method, params };
}

const GROUPS = [
  { value: request("getBlockNumber"), group: 1 },
  { value: request("getBlockNumber", ["7"]), group: 7 },
  { value: request("sendRawTransaction", [2, "0x"]), group: 2 },
  { value: request("getBlockNumber", ["x"]), group: undefined },
  { value: request("getBlockNumber", [1.5]), group: undefined },
  { value: request("getBlockNumber", []), group: undefined },
  { value: request("getBlockNumber", { groupID: 1 }), group: undefined },
  { value: request("getPeers"), group: undefined },
  { value: request("getClientVersion"), group: undefined },
  { value: { method: "getBlockNumber" }, group: undefined },
  { value: { params: [1] }, group: undefined },
  { value: [request("getBlockNumber")], group: undefined },
  { value: null, group: undefined },
] as const;
for (const { value, group } of GROUPS) {
  test(`the group of ${JSON.stringify(value)} is ${group ?? "none"}`, () => {
    assert.equal(groupOfRequest(value), group);
  });
}

function rules(changes: Partial<AccessRules> & { list?: readonly string[]; limit?: number }) {
  const { list = [], limit, ...rest } = changes;
  const groups = new Map([[1, { allowlist: list, requestsPerSecond: limit }]]);
  return { ...OPEN_ACCESS, groups, ...rest };
}

function codeOf(access: AccessControl, value: Json, now = 0, sdk = SDK) {
  const turned = access.turn(value, sdk, now);
  return turned && [turned.fault.code, turned.fault.message, turned.echoesId];
}

test("an SDK that is not in a group's list is refused by name and without id", () => {
  const access = new AccessControl(rules({ list: [OTHER] }), 0);
  const message = "getBlockNumber The SDK is not allowed to access this group";
  assert.deepEqual(codeOf(access, request("getBlockNumber")), [-40012, message, false]);
  assert.equal(codeOf(access, request("getBlockNumber", [2])), undefined);
  assert.equal(codeOf(access, request("getPeers")), undefined);
  assert.equal(codeOf(access, request("getBlockNumber"), 0, OTHER), undefined);
});

test("an SDK without identity is let in everywhere", () => {
  const access = new AccessControl(rules({ list: [OTHER] }), 0);
  assert.equal(codeOf(access, request("getBlockNumber"), 0, ""), undefined);
});

test("above the limit of the node requests are refused by name, with their id", () => {
  const access = new AccessControl(rules({ requestsPerSecond: 2 }), 0);
  const ask = (now: number) => codeOf(access, request("getPeers"), now);
  assert.deepEqual([ask(0), ask(0)], [undefined, undefined]);
  assert.deepEqual(ask(0), [-40011, "getPeers Over QPS limit", true]);
  assert.equal(ask(500), undefined);
  assert.equal(ask(500)?.[0], -40011);
  assert.deepEqual([ask(9_000), ask(9_000), ask(9_000)?.[0]], [undefined, undefined, -40011]);
});

test("getClientVersion is never refused but takes its permit", () => {
  const access = new AccessControl(rules({ requestsPerSecond: 1 }), 0);
  assert.equal(codeOf(access, request("getClientVersion")), undefined);
  assert.equal(codeOf(access, request("getPeers"))?.[0], -40011);
  assert.equal(codeOf(access, request("getClientVersion")), undefined);
});

test("the limit of a group counts its requests only", () => {
  const access = new AccessControl(rules({ limit: 1 }), 0);
  assert.equal(codeOf(access, request("getBlockNumber")), undefined);
  assert.equal(codeOf(access, request("getBlockNumber"))?.[0], -40011);
  assert.equal(codeOf(access, request("getBlockNumber", [2])), undefined);
  assert.equal(codeOf(access, request("getPeers")), undefined);
});

test("who is not in the list takes no permit", () => {
  const access = new AccessControl(rules({ requestsPerSecond: 1, list: [OTHER] }), 0);
  assert.equal(codeOf(access, request("getBlockNumber"))?.[0], -40012);
  assert.equal(codeOf(access, request("getBlockNumber"), 0, OTHER), undefined);
});

test("replaced rules are in force at once, and a limit that stays keeps its count", () => {
  const access = new AccessControl(rules({ requestsPerSecond: 1, list: [OTHER] }), 0);
  assert.equal(codeOf(access, request("getPeers")), undefined);
  access.replace(rules({ requestsPerSecond: 1, list: [] }), 0);
  assert.equal(codeOf(access, request("getPeers"))?.[0], -40011);
  access.replace(OPEN_ACCESS, 0);
  assert.equal(codeOf(access, request("getBlockNumber")), undefined);
});
