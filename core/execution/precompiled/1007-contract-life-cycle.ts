/** ContractLifeCycle at 0x1007: freezing of contracts and their managers. Source: precompiles 11 */
import { encodeAbi } from "../../abi/encode.ts";
import { utf8ByteString, type ByteString } from "../../bytes/byte-string.ts";
import type { Address } from "../../bytes/ids.ts";
import type { CryptoSuite } from "../../crypto/suite.ts";
import { precompiledCode } from "../../fault/precompiled-code.ts";
import { ACCOUNT_KEY, type Account } from "../accounts.ts";
import { columnOf, isCommitteeMember, whereColumn } from "./access-rows.ts";
import { addressOfText } from "./address-text.ts";
import { methodsBySelector, readAddresses, selectorText } from "./call-data.ts";
import { int256Output, type PrecompiledCall, type PrecompiledContract } from "./contract.ts";

const STATUS_TEXT = {
  available: "The contract is available.",
  frozen: "The contract has been frozen. You can invoke this contract after unfreezing it.",
  missing: "The address is nonexistent.",
  account: "This is not a contract address.",
} as const;

const INT256 = { kind: "int", bits: 256 } as const;
const STRING = { kind: "string" } as const;
const ADDRESSES = { kind: "array", element: { kind: "address" }, length: undefined } as const;

type Method = (call: PrecompiledCall) => Uint8Array;
type Change = (call: PrecompiledCall, contract: Account, user: Address) => number;

/** Creates the contract for a suite. */
export function createContractLifeCycle(suite: CryptoSuite): PrecompiledContract {
  const methods = methodsBySelector<Method>(suite, {
    "freeze(address)": managed(freeze),
    "unfreeze(address)": managed(unfreeze),
    "grantManager(address,address)": managed(grantManager),
    "getStatus(address)": getStatus,
    "listManager(address)": listManager,
  });
  const laterMethods = methodsBySelector<Method>(suite, {
    "revokeManager(address,address)": managed(revokeManager),
  });
  return {
    run(call) {
      const selector = selectorText(call.input);
      const later = call.scope.overlay.since(2, 7, 0) ? laterMethods.get(selector) : undefined;
      return (methods.get(selector) ?? later)?.(call) ?? new Uint8Array(0);
    },
  };
}

/** A method that only managers of the contract, and committee members, may call. */
function managed(change: Change): Method {
  return (call) => {
    const [address, user] = readAddresses(call.input);
    const contract = findContract(call, address);
    if (typeof contract === "number") return int256Output(contract);
    if (!isManager(call, contract)) return int256Output(precompiledCode("notAuthorized"));
    return int256Output(change(call, contract, user));
  };
}

/** The contract at an address, or the code that says why there is none. */
function findContract(call: PrecompiledCall, address: Address): Account | number {
  const account = call.scope.accounts.get(address);
  if (account === undefined) return precompiledCode("contractTableMissing");
  return account.hasCode() ? account : precompiledCode("invalidContractAddress");
}

function isManager({ scope, origin }: PrecompiledCall, contract: Account): boolean {
  if (contract.values(ACCOUNT_KEY.authority).includes(origin.slice(2))) return true;
  return scope.overlay.since(2, 5, 0) && isCommitteeMember(scope, origin);
}

function freeze(_: PrecompiledCall, contract: Account): number {
  if (contract.isFrozen()) return precompiledCode("contractFrozen");
  contract.put(ACCOUNT_KEY.frozen, "true");
  return 1;
}

function unfreeze(_: PrecompiledCall, contract: Account): number {
  if (!contract.isFrozen()) return precompiledCode("contractAvailable");
  contract.put(ACCOUNT_KEY.frozen, "false");
  return 1;
}

function grantManager(_: PrecompiledCall, contract: Account, user: Address): number {
  const digits = user.slice(2);
  if (contract.values(ACCOUNT_KEY.authority).includes(digits)) {
    return precompiledCode("contractManagerExists");
  }
  contract.insert(ACCOUNT_KEY.authority, digits);
  return 1;
}

function revokeManager(_: PrecompiledCall, contract: Account, user: Address): number {
  const managers = contract.values(ACCOUNT_KEY.authority);
  if (managers.length === 1) return precompiledCode("lastContractManager");
  const digits = user.slice(2);
  if (!managers.includes(digits)) return precompiledCode("contractManagerMissing");
  return contract.table.remove(ACCOUNT_KEY.authority, whereColumn("value", digits));
}

function getStatus(call: PrecompiledCall): Uint8Array {
  const [address] = readAddresses(call.input);
  const text: ByteString = utf8ByteString(STATUS_TEXT[contractStatus(call, address)]);
  return encodeAbi([INT256, STRING], [0n, text]);
}

function contractStatus(call: PrecompiledCall, address: Address): keyof typeof STATUS_TEXT {
  const account = call.scope.accounts.get(address);
  if (account === undefined) return "missing";
  if (!account.hasCode()) return "account";
  return account.isFrozen() ? "frozen" : "available";
}

function listManager(call: PrecompiledCall): Uint8Array {
  const [address] = readAddresses(call.input);
  const contract = findContract(call, address);
  if (typeof contract === "number") {
    return encodeAbi([INT256, ADDRESSES], [BigInt(contract), []]);
  }
  const rows = contract.table.select(ACCOUNT_KEY.authority);
  const managers = rows.map((row) => addressOfText(columnOf(row, "value")));
  return encodeAbi([INT256, ADDRESSES], [0n, managers]);
}
