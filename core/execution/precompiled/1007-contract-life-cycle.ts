/** ContractLifeCycle at 0x1007: freezing of contracts and their managers. Source: precompiles 11 */
import { encodeAbi } from "../../abi/encode.ts";
import type { Address } from "../../bytes/ids.ts";
import { precompiledCode, type PrecompiledCodeName } from "../../fault/precompiled-code.ts";
import { ACCOUNT_KEY, type Account } from "../accounts.ts";
import { addressOfText, columnOf, isCommitteeMember, whereColumn } from "./access-rows.ts";
import { ADDRESSES, INT256, type PrecompiledCall } from "./contract.ts";
import { type MethodCall, type Outcome, since, systemContract } from "./methods.ts";

const STATUS_TEXT = {
  available: "The contract is available.",
  frozen: "The contract has been frozen. You can invoke this contract after unfreezing it.",
  missing: "The address is nonexistent.",
  account: "This is not a contract address.",
} as const;

type Change = (contract: Account, user: Address) => Outcome;

/** The contract. */
export const CONTRACT_LIFE_CYCLE = systemContract({
  isFree: true,
  methods: {
    "freeze(address)": managed((contract) => {
      if (contract.isFrozen()) return "contractFrozen";
      contract.put(ACCOUNT_KEY.frozen, "true");
      return 1;
    }),
    "unfreeze(address)": managed((contract) => {
      if (!contract.isFrozen()) return "contractAvailable";
      contract.put(ACCOUNT_KEY.frozen, "false");
      return 1;
    }),
    "grantManager(address,address)": managed((contract, user) => {
      const digits = user.slice(2);
      if (contract.values(ACCOUNT_KEY.authority).includes(digits)) return "contractManagerExists";
      contract.insert(ACCOUNT_KEY.authority, digits);
      return 1;
    }),
    "getStatus(address)": (call) =>
      encodeAbi([INT256, { kind: "string" }], [0n, STATUS_TEXT[contractStatus(call)]]),
    "listManager(address)": (call) => {
      const contract = findContract(call);
      if (typeof contract === "string") {
        return encodeAbi([INT256, ADDRESSES], [BigInt(precompiledCode(contract)), []]);
      }
      const rows = contract.table.select(ACCOUNT_KEY.authority);
      const managers = rows.map((row) => addressOfText(columnOf(row, "value")));
      return encodeAbi([INT256, ADDRESSES], [0n, managers]);
    },
    "revokeManager(address,address)": since([2, 7, 0], managed(revokeManager)),
  },
});

/** A method that only managers of the contract, and committee members, may call. */
function managed(change: Change): (call: MethodCall) => Outcome {
  return (call) => {
    const contract = findContract(call);
    if (typeof contract === "string") return contract;
    return isManager(call, contract) ? change(contract, call.address(1)) : "notAuthorized";
  };
}

/** The contract at an address, or the code that says why there is none. */
function findContract({ scope, address }: MethodCall): Account | PrecompiledCodeName {
  const account = scope.accounts.get(address(0));
  if (account === undefined) return "contractTableMissing";
  return account.hasCode() ? account : "invalidContractAddress";
}

function isManager({ scope, origin }: PrecompiledCall, contract: Account): boolean {
  if (contract.values(ACCOUNT_KEY.authority).includes(origin.slice(2))) return true;
  return scope.overlay.since(2, 5, 0) && isCommitteeMember(scope, origin);
}

function revokeManager(contract: Account, user: Address): Outcome {
  const managers = contract.values(ACCOUNT_KEY.authority);
  if (managers.length === 1) return "lastContractManager";
  const digits = user.slice(2);
  if (!managers.includes(digits)) return "contractManagerMissing";
  return contract.table.remove(ACCOUNT_KEY.authority, whereColumn("value", digits));
}

function contractStatus({ scope, address }: MethodCall): keyof typeof STATUS_TEXT {
  const account = scope.accounts.get(address(0));
  if (account === undefined) return "missing";
  if (!account.hasCode()) return "account";
  return account.isFrozen() ? "frozen" : "available";
}
