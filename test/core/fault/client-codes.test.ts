/** The codes that a client gives itself. */
// rules: interface 7.5, console 4.4
import assert from "node:assert/strict";
import { test } from "vitest";
import {
  ClientCodeFault,
  requireMayObserve,
  requireMaySeal,
  requireMember,
  requireNewVersion,
  requireNodeId,
  requireVersionLength,
} from "../../../core/fault/client-codes.ts";

const [SEALER, OBSERVER, FREE, FAR] = ["aa", "bb", "cc", "dd"].map((text) => text.repeat(64));
const ASK = {
  sealers: () => Promise.resolve([SEALER ?? ""]),
  observers: () => Promise.resolve([OBSERVER ?? ""]),
  connected: () => Promise.resolve([SEALER ?? "", FREE ?? ""]),
};

/** Code and text of what is refused. */
async function codeOf(check: () => unknown): Promise<readonly unknown[] | undefined> {
  try {
    await check();
    return undefined;
  } catch (cause) {
    assert.ok(cause instanceof ClientCodeFault);
    return [cause.code, cause.message];
  }
}

test("a node ID has 128 hexadecimal digits, and is told in lower case", async () => {
  assert.equal(requireNodeId("AB".repeat(64)), "ab".repeat(64));
  for (const text of ["", "ab", `0x${SEALER}`, `${SEALER}a`, "g".repeat(128)])
    assert.deepEqual(await codeOf(() => requireNodeId(text)), [-51_100, "invalid node ID"]);
});

test("a sealer to be is reachable and none yet", async () => {
  assert.equal(await codeOf(() => requireMaySeal(ASK, FREE ?? "")), undefined);
  const unreachable = [-51_102, "the node is not reachable"];
  assert.deepEqual(await codeOf(() => requireMaySeal(ASK, FAR ?? "")), unreachable);
  const already = [-51_104, "the node is already in the sealer list"];
  assert.deepEqual(await codeOf(() => requireMaySeal(ASK, SEALER ?? "")), already);
});

test("an observer to be is none yet", async () => {
  assert.equal(await codeOf(() => requireMayObserve(ASK, FREE ?? "")), undefined);
  assert.equal(await codeOf(() => requireMayObserve(ASK, SEALER ?? "")), undefined);
  const already = [-51_105, "the node is already in the observer list"];
  assert.deepEqual(await codeOf(() => requireMayObserve(ASK, OBSERVER ?? "")), already);
});

test("who is taken out is a sealer or an observer", async () => {
  assert.equal(await codeOf(() => requireMember(ASK, OBSERVER ?? "")), undefined);
  const none = [-51_103, "the node is not a group peer"];
  assert.deepEqual(await codeOf(() => requireMember(ASK, FREE ?? "")), none);
});

test("a version of a contract has at most 128 bytes, and is new", async () => {
  assert.equal(await codeOf(() => requireVersionLength("v".repeat(128))), undefined);
  const long = [-51_201, "version length exceeds the maximum limit"];
  assert.deepEqual(await codeOf(() => requireVersionLength("v".repeat(129))), long);
  assert.deepEqual(await codeOf(() => requireVersionLength("版".repeat(43))), long);
  assert.equal(await codeOf(() => requireNewVersion(["1.0"], "2.0")), undefined);
  const there = [-51_200, "contract name and version already exist"];
  assert.deepEqual(await codeOf(() => requireNewVersion(["1.0"], "1.0")), there);
});
