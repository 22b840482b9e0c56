/** Consensus at 0x1003: the roles of nodes. Source: precompiles 7 */
import type { ByteString } from "../../bytes/byte-string.ts";
import type { CryptoSuite } from "../../crypto/suite.ts";
import { precompiledCode } from "../../fault/precompiled-code.ts";
import { version } from "../../model/version.ts";
import type { Table } from "../../storage/live-table.ts";
import { CONSENSUS_TABLE } from "../../storage/system-tables.ts";
import type { RowFilter } from "../../storage/table.ts";
import { lowerCase } from "./1000-system-config.ts";
import { methodsBySelector, readStrings, selectorText } from "./call-data.ts";
import { int256Output, type PrecompiledCall, type PrecompiledContract } from "./contract.ts";

const ROW_KEY = "node";
const NODE_ID_DIGITS = 128;
const SEALER = "sealer";
const OBSERVER = "observer";
/** Working sealer of rPBFT; read, never written here. */
const WORKING_SEALER = "wSealer";

/** Creates the contract for a suite. */
export function createConsensus(suite: CryptoSuite): PrecompiledContract {
  const methods = methodsBySelector(suite, {
    "addSealer(string)": (call: PrecompiledCall) => withNode(call, addSealer),
    "addObserver(string)": (call: PrecompiledCall) => withNode(call, addObserver),
    "remove(string)": (call: PrecompiledCall) => withNode(call, remove),
  });
  return {
    run(call) {
      // Every call opens the table, refused ones too. Source: tx-block-codec 12.4
      call.scope.overlay.systemTable(CONSENSUS_TABLE);
      return int256Output(methods.get(selectorText(call.input))?.(call) ?? 0);
    },
  };
}

interface RoleChange {
  readonly call: PrecompiledCall;
  readonly table: Table;
  readonly nodeId: ByteString;
}

function withNode(call: PrecompiledCall, change: (request: RoleChange) => number): number {
  const nodeId = lowerCase(readStrings(call.input, 1)[0] ?? "");
  if (!isNodeId(nodeId, call.scope.overlay.options.version))
    return precompiledCode("invalidNodeId");
  return change({ call, table: call.scope.overlay.systemTable(CONSENSUS_TABLE), nodeId });
}

function isNodeId(text: ByteString, chainVersion: number): boolean {
  if (text.length !== NODE_ID_DIGITS) return false;
  return chainVersion < version(2, 10, 0) || /^[0-9a-f]*$/.test(text);
}

function addSealer(request: RoleChange): number {
  return setRole(request, SEALER);
}

function addObserver(request: RoleChange): number {
  if (isLastSealer(request)) return precompiledCode("lastSealer");
  return setRole(request, OBSERVER);
}

function remove(request: RoleChange): number {
  const { call, table, nodeId } = request;
  if (isLastSealer(request)) return precompiledCode("lastSealer");
  if (!call.scope.overlay.permits(table, call.origin)) return precompiledCode("permissionDenied");
  return table.remove(ROW_KEY, ofNode(nodeId));
}

function setRole(request: RoleChange, role: string): number {
  const { call, table, nodeId } = request;
  if (!call.scope.overlay.permits(table, call.origin)) return precompiledCode("permissionDenied");
  const columns = [
    ["type", role],
    ["node_id", nodeId],
    ["enable_num", String(call.scope.parentNumber + 1)],
  ] as const;
  if (table.select(ROW_KEY, ofNode(nodeId)).length > 0) {
    return table.update(ROW_KEY, columns, ofNode(nodeId));
  }
  table.insert(ROW_KEY, columns);
  return 1;
}

function ofNode(nodeId: ByteString): RowFilter {
  return { test: (row) => row.columns.get("node_id") === nodeId };
}

/** Whether the group would have nobody left to seal without this node. */
function isLastSealer({ table, nodeId }: RoleChange): boolean {
  const ofRole = (role: string): ByteString[] =>
    table
      .select(ROW_KEY, { test: (row) => row.columns.get("type") === role })
      .map((row) => row.columns.get("node_id") ?? "");
  const working = ofRole(WORKING_SEALER);
  if (working.length > 0) return working.length === 1 && working[0] === nodeId;
  const sealers = ofRole(SEALER);
  return sealers.length === 1 && sealers[0] === nodeId;
}
