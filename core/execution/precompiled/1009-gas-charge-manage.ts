/** GasChargeManage at 0x1009: gas that accounts may still use. Source: precompiles 13 */
import { encodeAbi } from "../../abi/encode.ts";
import { decimalText, parseDecimal } from "../../bytes/byte-string.ts";
import type { Address } from "../../bytes/ids.ts";
import type { CryptoSuite } from "../../crypto/suite.ts";
import { precompiledCode, type FurtherPrecompiledCodeName } from "../../fault/precompiled-code.ts";
import { CONFIG_TABLE } from "../../storage/system-tables.ts";
import { ACCOUNT_KEY } from "../accounts.ts";
import { committedChargers } from "../gas-charging.ts";
import { isCommitteeMember } from "./access-rows.ts";
import { methodsBySelector, readAddresses, readArguments, selectorText } from "./call-data.ts";
import type { PrecompiledCall, PrecompiledContract } from "./contract.ts";

const CHARGER_LIST = "charger_list";
const ADDRESS = { kind: "address" } as const;
const INT256 = { kind: "int", bits: 256 } as const;
const UINT256 = { kind: "uint", bits: 256 } as const;
const ADDRESSES = { kind: "array", element: ADDRESS, length: undefined } as const;
const UINT256_END = 1n << 256n;
const UINT64_BITS = 64;

type Method = (call: PrecompiledCall) => Uint8Array;

/** Creates the contract for a suite. */
export function createGasChargeManage(suite: CryptoSuite): PrecompiledContract {
  const methods = methodsBySelector<Method>(suite, {
    "charge(address,uint256)": (call) => changeGas(call, charged),
    "deduct(address,uint256)": (call) => changeGas(call, deducted),
    "queryRemainGas(address)": queryRemainGas,
    "grantCharger(address)": grantCharger,
    "revokeCharger(address)": revokeCharger,
    "listChargers()": listChargers,
  });
  return {
    run: (call) =>
      methods.get(selectorText(call.input))?.(call) ?? word(narrow("chargeFunctionUnknown")),
  };
}

/** What is left after a change, or the code that refuses it. */
type GasChange = (remain: bigint, value: bigint) => bigint | FurtherPrecompiledCodeName;

function charged(remain: bigint, value: bigint): ReturnType<GasChange> {
  return remain + value < UINT256_END ? remain + value : "remainGasOverflow";
}

function deducted(remain: bigint, value: bigint): ReturnType<GasChange> {
  return value <= remain ? remain - value : "remainGasInsufficient";
}

function changeGas(call: PrecompiledCall, change: GasChange): Uint8Array {
  const [user, value] = readArguments(call.input, [ADDRESS, UINT256]) as [Address, bigint];
  if (value === 0n) return refused(BigInt(precompiledCode("chargeAmountInvalid")));
  const unusable = unusableAccount(call, user);
  if (unusable !== undefined && unusable !== "missing") return refused(wide(unusable));
  const { scope, origin } = call;
  if (!committedChargers(scope.overlay.options.source).includes(origin)) {
    return refused(BigInt(precompiledCode("notCharger")));
  }
  const changed = change(remainGas(call, user), value);
  if (typeof changed === "string") return refused(narrow(changed));
  const account = scope.accounts.get(user) ?? scope.accounts.create(user, "0");
  account.put(ACCOUNT_KEY.remainGas, decimalText(changed));
  return encodeAbi([INT256, UINT256], [0n, changed]);
}

function remainGas({ scope }: PrecompiledCall, user: Address): bigint {
  const text = scope.accounts.get(user)?.value(ACCOUNT_KEY.remainGas);
  return parseDecimal(text ?? "0") ?? 0n;
}

function queryRemainGas(call: PrecompiledCall): Uint8Array {
  const [user] = readAddresses(call.input);
  const unusable = unusableAccount(call, user);
  if (unusable !== undefined) return refused(wide(unusable));
  return encodeAbi([INT256, UINT256], [0n, remainGas(call, user)]);
}

/** What stands against charging an address. */
type UnusableAccount = "missing" | "contract" | "frozen";

function unusableAccount({ scope }: PrecompiledCall, user: Address): UnusableAccount | undefined {
  const account = scope.accounts.get(user);
  if (account === undefined) return "missing";
  if (account.hasCode()) return "contract";
  return account.isFrozen() ? "frozen" : undefined;
}

function wide(unusable: UnusableAccount): bigint {
  const code = { missing: "accountMissing", contract: "invalidAccountAddress" } as const;
  return BigInt(precompiledCode(unusable === "frozen" ? "accountFrozen" : code[unusable]));
}

function grantCharger(call: PrecompiledCall): Uint8Array {
  const [user] = readAddresses(call.input);
  const unusable = unusableAccount(call, user);
  if (unusable !== undefined && unusable !== "missing") return word(wide(unusable));
  if (!isCommitteeMember(call.scope, call.origin)) return word(narrow("chargerGrantDenied"));
  const chargers = committedChargers(call.scope.overlay.options.source);
  if (chargers.includes(user)) return word(narrow("chargerExists"));
  writeChargers(call, [...chargers, user]);
  return word(0n);
}

function revokeCharger(call: PrecompiledCall): Uint8Array {
  const [user] = readAddresses(call.input);
  if (!isCommitteeMember(call.scope, call.origin)) return word(narrow("chargerRevokeDenied"));
  const chargers = committedChargers(call.scope.overlay.options.source);
  if (!chargers.includes(user)) return word(narrow("chargerMissing"));
  const left = chargers.filter((charger) => charger !== user);
  writeChargers(call, left);
  return word(0n);
}

function writeChargers({ scope }: PrecompiledCall, chargers: readonly string[]): void {
  const list = [...chargers].sort().map((charger) => `${charger.slice(2)},`);
  const columns = [
    ["value", list.join("")],
    ["enable_num", String(scope.parentNumber + 1)],
  ] as const;
  const table = scope.overlay.systemTable(CONFIG_TABLE);
  if (table.update(CHARGER_LIST, columns) === 0) table.insert(CHARGER_LIST, columns);
}

function listChargers(call: PrecompiledCall): Uint8Array {
  return encodeAbi([ADDRESSES], [committedChargers(call.scope.overlay.options.source)]);
}

/** Codes that the reference gives 64 bits only. Source: precompiles 13 */
function narrow(code: FurtherPrecompiledCodeName): bigint {
  return BigInt.asUintN(UINT64_BITS, BigInt(precompiledCode(code)));
}

function refused(code: bigint): Uint8Array {
  return encodeAbi([INT256, UINT256], [code, 0n]);
}

function word(value: bigint): Uint8Array {
  return encodeAbi([INT256], [value]);
}
