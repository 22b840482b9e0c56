/** Consensus at 0x1003: the roles of nodes. Source: precompiles 7 */
import type { ByteString } from "../../bytes/byte-string.ts";
import { version } from "../../model/version.ts";
import type { Table } from "../../storage/live-table.ts";
import { CONSENSUS_TABLE } from "../../storage/system-tables.ts";
import { lowerCase } from "./1000-system-config.ts";
import { columnOf, fromNextBlock, putRow, whereColumn } from "./access-rows.ts";
import type { PrecompiledContract } from "./contract.ts";
import { type MethodCall, type Outcome, systemContract } from "./methods.ts";

/** Key of the rows of all nodes. */
export const ROLES_KEY = "node";
const NODE_ID_DIGITS = 128;
/** Role of those who seal. */
export const SEALER = "sealer";
const OBSERVER = "observer";
/** Working sealer of rPBFT; read, never written here. */
export const WORKING_SEALER = "wSealer";

const METHODS = systemContract({
  unknown: 0,
  isFree: true,
  methods: {
    "addSealer(string)": withNode((request) => setRole(request, SEALER)),
    "addObserver(string)": withNode((request) =>
      isLastSealer(request) ? "lastSealer" : setRole(request, OBSERVER),
    ),
    "remove(string)": withNode((request) => {
      const { call, table, nodeId } = request;
      if (isLastSealer(request)) return "lastSealer";
      if (!call.scope.overlay.permits(table, call.origin)) return "permissionDenied";
      return table.remove(ROLES_KEY, whereColumn("node_id", nodeId));
    }),
  },
});

/** The contract. */
export const CONSENSUS: PrecompiledContract = {
  run(call) {
    // Every call opens the table, refused ones too. Source: tx-block-codec 12.4
    call.scope.overlay.systemTable(CONSENSUS_TABLE);
    return METHODS.run(call);
  },
};

interface RoleChange {
  readonly call: MethodCall;
  readonly table: Table;
  readonly nodeId: ByteString;
}

function withNode(change: (request: RoleChange) => Outcome): (call: MethodCall) => Outcome {
  return (call) => {
    const { overlay } = call.scope;
    const nodeId = lowerCase(call.text(0));
    if (!isNodeId(nodeId, overlay.options.version)) return "invalidNodeId";
    return change({ call, table: overlay.systemTable(CONSENSUS_TABLE), nodeId });
  };
}

function isNodeId(text: ByteString, chainVersion: number): boolean {
  if (text.length !== NODE_ID_DIGITS) return false;
  return chainVersion < version(2, 10, 0) || /^[0-9a-f]*$/.test(text);
}

function setRole({ call, table, nodeId }: RoleChange, role: string): Outcome {
  if (!call.scope.overlay.permits(table, call.origin)) return "permissionDenied";
  const columns = fromNextBlock(call.scope, { type: role, node_id: nodeId });
  return putRow(table, ROLES_KEY, columns, whereColumn("node_id", nodeId));
}

/** Whether the group would have nobody left to seal without this node. */
function isLastSealer({ table, nodeId }: RoleChange): boolean {
  const ofRole = (role: string): ByteString[] =>
    table.select(ROLES_KEY, whereColumn("type", role)).map((row) => columnOf(row, "node_id"));
  const working = ofRole(WORKING_SEALER);
  const sealers = working.length > 0 ? working : ofRole(SEALER);
  return sealers.length === 1 && sealers[0] === nodeId;
}
