/** GasChargeManage at 0x1009: gas that accounts may still use. Source: precompiles 13 */
import { encodeAbi } from "../../abi/encode.ts";
import { decimalText, parseDecimal } from "../../bytes/byte-string.ts";
import type { Address } from "../../bytes/ids.ts";
import type { CryptoSuite } from "../../crypto/suite.ts";
import { precompiledCode, type PrecompiledCodeName } from "../../fault/precompiled-code.ts";
import { ACCOUNT_KEY } from "../accounts.ts";
import { committedChargers } from "../gas-charging.ts";
import { putSetting } from "./1000-system-config.ts";
import { isCommitteeMember } from "./access-rows.ts";
import type { PrecompiledCall, PrecompiledContract } from "./contract.ts";
import { type MethodCall, type Methods, systemContract } from "./methods.ts";

const CHARGER_LIST = "charger_list";
const ADDRESS = { kind: "address" } as const;
const INT256 = { kind: "int", bits: 256 } as const;
const UINT256 = { kind: "uint", bits: 256 } as const;
const ADDRESSES = { kind: "array", element: ADDRESS, length: undefined } as const;
const UINT256_END = 1n << 256n;
const UINT64_BITS = 64;

/** Creates the contract for a suite. */
export function createGasChargeManage(suite: CryptoSuite): PrecompiledContract {
  const methods: Methods = {
    "charge(address,uint256)": (call) => changeGas(call, charged),
    "deduct(address,uint256)": (call) => changeGas(call, deducted),
    "queryRemainGas(address)": queryRemainGas,
    "grantCharger(address)": grantCharger,
    "revokeCharger(address)": revokeCharger,
    "listChargers()": listChargers,
  };
  return systemContract(suite, methods, {
    unknown: word(narrow("chargeFunctionUnknown")),
    isFree: true,
  });
}

/** What is left after a change, or the code that refuses it. */
type GasChange = (remain: bigint, value: bigint) => bigint | PrecompiledCodeName;

function charged(remain: bigint, value: bigint): ReturnType<GasChange> {
  return remain + value < UINT256_END ? remain + value : "remainGasOverflow";
}

function deducted(remain: bigint, value: bigint): ReturnType<GasChange> {
  return value <= remain ? remain - value : "remainGasInsufficient";
}

function changeGas(call: MethodCall, change: GasChange): Uint8Array {
  const [user, value] = [call.address(0), call.integer(1)];
  if (value === 0n) return refused(BigInt(precompiledCode("chargeAmountInvalid")));
  const unusable = unusableAccount(call, user);
  if (unusable !== undefined && unusable !== "accountMissing") return refused(wide(unusable));
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

function queryRemainGas(call: MethodCall): Uint8Array {
  const user = call.address(0);
  const unusable = unusableAccount(call, user);
  if (unusable !== undefined) return refused(wide(unusable));
  return encodeAbi([INT256, UINT256], [0n, remainGas(call, user)]);
}

/** What stands against charging an address. */
type UnusableAccount = "accountMissing" | "invalidAccountAddress" | "accountFrozen";

function unusableAccount({ scope }: PrecompiledCall, user: Address): UnusableAccount | undefined {
  const account = scope.accounts.get(user);
  if (account === undefined) return "accountMissing";
  if (account.hasCode()) return "invalidAccountAddress";
  return account.isFrozen() ? "accountFrozen" : undefined;
}

function wide(unusable: UnusableAccount): bigint {
  return BigInt(precompiledCode(unusable));
}

function grantCharger(call: MethodCall): Uint8Array {
  const user = call.address(0);
  const unusable = unusableAccount(call, user);
  if (unusable !== undefined && unusable !== "accountMissing") return word(wide(unusable));
  if (!isCommitteeMember(call.scope, call.origin)) return word(narrow("chargerGrantDenied"));
  const chargers = committedChargers(call.scope.overlay.options.source);
  if (chargers.includes(user)) return word(narrow("chargerExists"));
  writeChargers(call, [...chargers, user]);
  return word(0n);
}

function revokeCharger(call: MethodCall): Uint8Array {
  const user = call.address(0);
  if (!isCommitteeMember(call.scope, call.origin)) return word(narrow("chargerRevokeDenied"));
  const chargers = committedChargers(call.scope.overlay.options.source);
  if (!chargers.includes(user)) return word(narrow("chargerMissing"));
  const left = chargers.filter((charger) => charger !== user);
  writeChargers(call, left);
  return word(0n);
}

function writeChargers({ scope }: PrecompiledCall, chargers: readonly string[]): void {
  const list = [...chargers].sort().map((charger) => `${charger.slice(2)},`);
  putSetting(scope, CHARGER_LIST, list.join(""));
}

function listChargers(call: PrecompiledCall): Uint8Array {
  return encodeAbi([ADDRESSES], [committedChargers(call.scope.overlay.options.source)]);
}

/** Codes that the reference gives 64 bits only. Source: precompiles 13 */
function narrow(code: PrecompiledCodeName): bigint {
  return BigInt.asUintN(UINT64_BITS, BigInt(precompiledCode(code)));
}

function refused(code: bigint): Uint8Array {
  return encodeAbi([INT256, UINT256], [code, 0n]);
}

function word(value: bigint): Uint8Array {
  return encodeAbi([INT256], [value]);
}
