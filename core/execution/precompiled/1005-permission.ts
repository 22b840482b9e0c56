/** Permission at 0x1005: who may write a table or a contract. Source: precompiles 9 */
import type { ByteString } from "../../bytes/byte-string.ts";
import type { Address } from "../../bytes/ids.ts";
import type { CryptoSuite } from "../../crypto/suite.ts";
import { precompiledCode } from "../../fault/precompiled-code.ts";
import {
  ACCESS_TABLE,
  accountTable,
  CNS_TABLE,
  CONFIG_TABLE,
  CONSENSUS_TABLE,
  familyTable,
  TABLES_TABLE,
} from "../../storage/system-tables.ts";
import { ACCOUNT_KEY } from "../accounts.ts";
import { lowerCase } from "./1000-system-config.ts";
import {
  accessRows,
  addAccess,
  columnOf,
  isCommitteeMember,
  mayChangeAccess,
  removeAccess,
} from "./access-rows.ts";
import { isHexText } from "./address-text.ts";
import { methodsBySelector, readAddresses, readStrings, selectorText } from "./call-data.ts";
import {
  int256Output,
  stringsOutput,
  type PrecompiledCall,
  type PrecompiledContract,
} from "./contract.ts";
import { compactJson } from "./json-text.ts";
import { requireShowable } from "./table-limits.ts";

/** Bytes of a table name with its prefix. Source: precompiles 3 */
const MAX_TABLE_NAME = 64;
const SYSTEM_NAMES: readonly ByteString[] = [
  ACCESS_TABLE,
  CONSENSUS_TABLE,
  TABLES_TABLE,
  CNS_TABLE,
  CONFIG_TABLE,
];

type Method = (call: PrecompiledCall) => Uint8Array;

/** Creates the contract for a suite. */
export function createPermission(suite: CryptoSuite): PrecompiledContract {
  const methods = methodsBySelector<Method>(suite, {
    "insert(string,string)": (call) => int256Output(insert(call)),
    "remove(string,string)": (call) => int256Output(remove(call)),
    "queryByName(string)": queryByName,
  });
  const contractMethods = methodsBySelector<Method>(suite, {
    "grantWrite(address,address)": (call) => int256Output(grantWrite(call)),
    "revokeWrite(address,address)": (call) => int256Output(revokeWrite(call)),
    "queryPermission(address)": queryPermission,
  });
  return {
    run(call) {
      const selector = selectorText(call.input);
      const knowsContracts = call.scope.overlay.since(2, 3, 0);
      const ofContracts = knowsContracts ? contractMethods.get(selector) : undefined;
      return (methods.get(selector) ?? ofContracts)?.(call) ?? new Uint8Array(0);
    },
  };
}

/** Table and address of a call of `insert` or `remove`. */
function readGrant(call: PrecompiledCall): { table: ByteString; address: ByteString } {
  const [name = "", address = ""] = readStrings(call.input, 2);
  const lowered = call.scope.overlay.since(2, 5, 0) ? lowerCase(address) : address;
  return { table: listName(call, name), address: lowered };
}

function listName(call: PrecompiledCall, name: ByteString): ByteString {
  if (SYSTEM_NAMES.includes(name)) return name;
  return familyTable("user", name, call.scope.overlay.options.version);
}

function insert(call: PrecompiledCall): number {
  const { scope } = call;
  const { overlay } = scope;
  const { table, address } = readGrant(call);
  if (overlay.since(2, 5, 0)) {
    if (table === ACCESS_TABLE) return precompiledCode("managedByGovernance");
    const ofOperators = table === TABLES_TABLE || table === CNS_TABLE;
    if (ofOperators && isCommitteeMember(scope, address)) {
      // The codes of the two directions were mixed up in 2.5. Source: precompiles 9
      const isMixedUp = !overlay.since(2, 6, 0);
      return precompiledCode(isMixedUp ? "operatorCannotBeMember" : "memberCannotBeOperator");
    }
  }
  if (accessRows(scope, table, address).length > 0) return precompiledCode("grantExists");
  if (table.length > MAX_TABLE_NAME) return precompiledCode("grantTableNameTooLong");
  if (!isHexText(address)) return precompiledCode("invalidAddress");
  if (!mayChangeAccess(scope, call.origin)) return precompiledCode("permissionDenied");
  addAccess(scope, table, address);
  return 1;
}

function remove(call: PrecompiledCall): number {
  const { scope } = call;
  const { overlay } = scope;
  const { table, address } = readGrant(call);
  if (overlay.since(2, 5, 0) && table === ACCESS_TABLE) {
    return precompiledCode("managedByGovernance");
  }
  const ofCommittee = table === CONSENSUS_TABLE || table === CONFIG_TABLE;
  if (overlay.since(2, 6, 0) && ofCommittee && isCommitteeMember(scope, address)) {
    return precompiledCode("permissionDenied");
  }
  if (accessRows(scope, table, address).length === 0) return precompiledCode("grantMissing");
  if (!mayChangeAccess(scope, call.origin)) return precompiledCode("permissionDenied");
  return removeAccess(scope, table, address);
}

function queryByName(call: PrecompiledCall): Uint8Array {
  const [name = ""] = readStrings(call.input, 1);
  return listed(call, listName(call, name));
}

/** A contract, its table and a user of it. */
interface WriteGrant {
  readonly contract: Address;
  readonly user: Address;
  readonly table: ByteString;
}

function readWriteGrant(call: PrecompiledCall): WriteGrant {
  const [contract, user] = readAddresses(call.input);
  return { contract, user, table: accountTable(contract, call.scope.overlay.options.version) };
}

function grantWrite(call: PrecompiledCall): number {
  const { scope } = call;
  const { contract, user, table } = readWriteGrant(call);
  if (accessRows(scope, table, user).length > 0) return precompiledCode("grantExists");
  if (table.length > MAX_TABLE_NAME) return precompiledCode("grantTableNameTooLong");
  if (scope.accounts.get(contract) === undefined) return precompiledCode("contractMissing");
  if (!managesContract(call, contract)) return precompiledCode("permissionDenied");
  const isManaged = scope.overlay.since(2, 6, 0);
  if (!isManaged && !mayChangeAccess(scope, call.origin)) {
    return precompiledCode("permissionDenied");
  }
  addAccess(scope, table, user);
  return 1;
}

function revokeWrite(call: PrecompiledCall): number {
  const { scope } = call;
  const { contract, user, table } = readWriteGrant(call);
  if (accessRows(scope, table, user).length === 0) return precompiledCode("grantMissing");
  if (!managesContract(call, contract)) return precompiledCode("permissionDenied");
  const isManaged = scope.overlay.since(2, 6, 0);
  if (!isManaged && !mayChangeAccess(scope, call.origin)) {
    return precompiledCode("permissionDenied");
  }
  return removeAccess(scope, table, user);
}

/** From 2.5.0 on only managers of a contract say who may write it. Source: precompiles 9 */
function managesContract(call: PrecompiledCall, contract: Address): boolean {
  if (!call.scope.overlay.since(2, 5, 0)) return true;
  const managers = call.scope.accounts.get(contract)?.values(ACCOUNT_KEY.authority) ?? [];
  return managers.includes(call.origin.slice(2));
}

function queryPermission(call: PrecompiledCall): Uint8Array {
  const [contract] = readAddresses(call.input);
  return listed(call, accountTable(contract, call.scope.overlay.options.version));
}

function listed(call: PrecompiledCall, table: ByteString): Uint8Array {
  const found = accessRows(call.scope, table);
  requireShowable(found);
  const rows = found.map((row) => ({
    address: columnOf(row, "address"),
    enable_num: columnOf(row, "enable_num"),
    table_name: columnOf(row, "table_name"),
  }));
  return stringsOutput([compactJson(rows)]);
}
