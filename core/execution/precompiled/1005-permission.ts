/** Permission at 0x1005: who may write a table or a contract. Source: precompiles 9 */
import type { ByteString } from "../../bytes/byte-string.ts";
import type { Address } from "../../bytes/ids.ts";
import {
  ACCESS_TABLE,
  accountTable,
  CNS_TABLE,
  CONFIG_TABLE,
  CONSENSUS_TABLE,
  TABLES_TABLE,
} from "../../storage/system-tables.ts";
import { ACCOUNT_KEY } from "../accounts.ts";
import { lowerCase } from "./1000-system-config.ts";
import { userTable } from "./1001-table-factory.ts";
import {
  accessRows,
  addAccess,
  isCommitteeMember,
  isHexText,
  mayChangeAccess,
  removeAccess,
} from "./access-rows.ts";
import type { PrecompiledCall } from "./contract.ts";
import { type MethodCall, type Outcome, since, systemContract } from "./methods.ts";
import { rowsOutput } from "./table-limits.ts";

/** Bytes of a table name with its prefix. Source: precompiles 3 */
const MAX_TABLE_NAME = 64;
const SYSTEM_NAMES = [ACCESS_TABLE, CONSENSUS_TABLE, TABLES_TABLE, CNS_TABLE, CONFIG_TABLE];

/** The contract. */
export const PERMISSION = systemContract({
  isFree: true,
  methods: {
    "insert(string,string)": insert,
    "remove(string,string)": remove,
    "queryByName(string)": (call) => listed(call, listName(call, call.text(0))),
    "grantWrite(address,address)": since([2, 3, 0], grantWrite),
    "revokeWrite(address,address)": since([2, 3, 0], revokeWrite),
    "queryPermission(address)": since([2, 3, 0], (call) =>
      listed(call, accountTable(call.address(0), call.scope.overlay.options.version)),
    ),
  },
});

/** Table and address of a call of `insert` or `remove`. */
function readGrant(call: MethodCall): { table: ByteString; address: ByteString } {
  const address = call.text(1);
  const lowered = call.scope.overlay.since(2, 5, 0) ? lowerCase(address) : address;
  return { table: listName(call, call.text(0)), address: lowered };
}

function listName(call: PrecompiledCall, name: ByteString): ByteString {
  return SYSTEM_NAMES.includes(name) ? name : userTable(call, name);
}

function insert(call: MethodCall): Outcome {
  const { scope } = call;
  const { overlay } = scope;
  const { table, address } = readGrant(call);
  if (overlay.since(2, 5, 0)) {
    if (table === ACCESS_TABLE) return "managedByGovernance";
    const ofOperators = table === TABLES_TABLE || table === CNS_TABLE;
    if (ofOperators && isCommitteeMember(scope, address)) {
      // The codes of the two directions were mixed up in 2.5. Source: precompiles 9
      return overlay.since(2, 6, 0) ? "memberCannotBeOperator" : "operatorCannotBeMember";
    }
  }
  if (accessRows(scope, table, address).length > 0) return "grantExists";
  if (table.length > MAX_TABLE_NAME) return "grantTableNameTooLong";
  if (!isHexText(address)) return "invalidAddress";
  if (!mayChangeAccess(scope, call.origin)) return "permissionDenied";
  addAccess(scope, table, address);
  return 1;
}

function remove(call: MethodCall): Outcome {
  const { scope } = call;
  const { overlay } = scope;
  const { table, address } = readGrant(call);
  if (overlay.since(2, 5, 0) && table === ACCESS_TABLE) return "managedByGovernance";
  const ofCommittee = table === CONSENSUS_TABLE || table === CONFIG_TABLE;
  if (overlay.since(2, 6, 0) && ofCommittee && isCommitteeMember(scope, address)) {
    return "permissionDenied";
  }
  if (accessRows(scope, table, address).length === 0) return "grantMissing";
  if (!mayChangeAccess(scope, call.origin)) return "permissionDenied";
  return removeAccess(scope, table, address);
}

/** A contract, its table and a user of it. */
interface WriteGrant {
  readonly contract: Address;
  readonly user: Address;
  readonly table: ByteString;
}

function readWriteGrant(call: MethodCall): WriteGrant {
  const contract = call.address(0);
  const table = accountTable(contract, call.scope.overlay.options.version);
  return { contract, user: call.address(1), table };
}

function grantWrite(call: MethodCall): Outcome {
  const { scope } = call;
  const { contract, user, table } = readWriteGrant(call);
  if (accessRows(scope, table, user).length > 0) return "grantExists";
  if (table.length > MAX_TABLE_NAME) return "grantTableNameTooLong";
  if (scope.accounts.get(contract) === undefined) return "contractMissing";
  if (!managesContract(call, contract)) return "permissionDenied";
  addAccess(scope, table, user);
  return 1;
}

function revokeWrite(call: MethodCall): Outcome {
  const { scope } = call;
  const { contract, user, table } = readWriteGrant(call);
  if (accessRows(scope, table, user).length === 0) return "grantMissing";
  if (!managesContract(call, contract)) return "permissionDenied";
  return removeAccess(scope, table, user);
}

/**
 * From 2.5.0 on only managers of a contract say who may write it; below 2.6.0 who may change lists.
 * Source: precompiles 9
 */
function managesContract({ scope, origin }: PrecompiledCall, contract: Address): boolean {
  if (scope.overlay.since(2, 5, 0)) {
    const managers = scope.accounts.get(contract)?.values(ACCOUNT_KEY.authority) ?? [];
    if (!managers.includes(origin.slice(2))) return false;
  }
  return scope.overlay.since(2, 6, 0) || mayChangeAccess(scope, origin);
}

function listed({ scope }: PrecompiledCall, table: ByteString): Uint8Array {
  return rowsOutput(accessRows(scope, table), ["address", "enable_num", "table_name"]);
}
