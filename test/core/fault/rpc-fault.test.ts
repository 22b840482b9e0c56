/** The JSON-RPC error table against the interface, and the errors made from it. */
// rules: interface 7.1, interface 7.2, rpc-semantics 2.7, rpc-semantics 4
import assert from "node:assert/strict";
import { test } from "vitest";
import { methodFault, RPC_FAULTS, RpcFault } from "../../../core/fault/rpc-fault.ts";
import { interfaceSection, tableRows } from "./interface-tables.ts";

interface Row {
  readonly code: number;
  readonly message: string;
  readonly token?: string;
}
const ROWS: readonly Row[] = Object.values(RPC_FAULTS);
/** Errors that rpc-semantics adds to the interface's: batch receipts, disabled group management. */
const FURTHER_CODES = new Set([-40_099, -100_001]);

test("framework errors have the interface's codes and tokens", () => {
  const expected = tableRows(interfaceSection("7.1")).map(([code, token]) => [Number(code), token]);
  const framework = ROWS.filter(({ token }) => token !== undefined);
  assert.deepEqual(
    framework.map(({ code, token }) => [code, token]),
    expected,
  );
  assert.equal(expected.length, 6);
});

test("node errors have the interface's codes and texts", () => {
  const expected = tableRows(interfaceSection("7.2")).map(([code, text]) => [Number(code), text]);
  const node = ROWS.filter(({ token, code }) => token === undefined && !FURTHER_CODES.has(code));
  assert.deepEqual(
    node.map(({ code, message }) => [code, message]),
    expected,
  );
  assert.equal(expected.length, 12);
});

test("no code is used twice", () => {
  assert.equal(new Set(ROWS.map(({ code }) => code)).size, ROWS.length);
});

test("a framework error says its token, then the sentence or the detail", () => {
  assert.equal(
    new RpcFault("methodNotFound").message,
    "METHOD_NOT_FOUND: The method being requested is not available on this server",
  );
  const detailed = new RpcFault("internalError", "bad digit");
  assert.deepEqual([detailed.code, detailed.message], [-32603, "INTERNAL_ERROR: bad digit"]);
});

test("a node error says the table's text or the whole detail", () => {
  assert.equal(new RpcFault("groupUnknown").message, "GroupID does not exist");
  const fault = new RpcFault("notInGroup", "method getPeers not support this version");
  assert.deepEqual(
    [fault.code, fault.message, fault.fault],
    [-40009, "method getPeers not support this version", "notInGroup"],
  );
});

test("errors of the SDK port carry the method's name in front", () => {
  assert.equal(methodFault("overQpsLimit", "getCode").message, "getCode Over QPS limit");
  assert.equal(
    methodFault("sdkNotAllowed", "call").message,
    "call The SDK is not allowed to access this group",
  );
});

test("an error is an Error that a catch can tell by its class", () => {
  const fault: unknown = new RpcFault("notReady");
  assert.ok(fault instanceof RpcFault && fault instanceof Error);
  assert.equal(fault.name, "RpcFault");
});
