/** GasChargeManage at 0x1009: gas that accounts may still use. Source: precompiles 13 */
import { encodeAbi } from "../../abi/encode.ts";
import { decimalText, parseDecimal } from "../../bytes/byte-string.ts";
import type { Address } from "../../bytes/ids.ts";
import { precompiledCode, type PrecompiledCodeName } from "../../fault/precompiled-code.ts";
import { ACCOUNT_KEY } from "../accounts.ts";
import { committedChargers } from "../gas-charging.ts";
import { putSetting } from "./1000-system-config.ts";
import { isCommitteeMember } from "./access-rows.ts";
import { ADDRESSES, INT256, type PrecompiledCall, UINT256 } from "./contract.ts";
import { type MethodCall, systemContract } from "./methods.ts";

const CHARGER_LIST = "charger_list";
const UINT256_END = 1n << 256n;
const UINT64_BITS = 64;

/** The contract. */
export const GAS_CHARGE_MANAGE = systemContract({
  unknown: word(narrow("chargeFunctionUnknown")),
  isFree: true,
  methods: {
    "charge(address,uint256)": (call) =>
      changeGas(call, (remain, value) =>
        remain + value < UINT256_END ? remain + value : "remainGasOverflow",
      ),
    "deduct(address,uint256)": (call) =>
      changeGas(call, (remain, value) =>
        value <= remain ? remain - value : "remainGasInsufficient",
      ),
    "queryRemainGas(address)": (call) => {
      const user = call.address(0);
      const unusable = unusableAccount(call, user);
      if (unusable !== undefined) return refused(wide(unusable));
      return encodeAbi([INT256, UINT256], [0n, remainGas(call, user)]);
    },
    "grantCharger(address)": grantCharger,
    "revokeCharger(address)": revokeCharger,
    "listChargers()": (call) => encodeAbi([ADDRESSES], [chargersOf(call)]),
  },
});

/** What is left after a change, or the code that refuses it. */
type GasChange = (remain: bigint, value: bigint) => bigint | PrecompiledCodeName;

function chargersOf({ scope }: PrecompiledCall): readonly Address[] {
  return committedChargers(scope.overlay.options.source);
}

function changeGas(call: MethodCall, change: GasChange): Uint8Array {
  const [user, value] = [call.address(0), call.integer(1)];
  if (value === 0n) return refused(wide("chargeAmountInvalid"));
  const unusable = unusableAccount(call, user);
  if (unusable !== undefined && unusable !== "accountMissing") return refused(wide(unusable));
  if (!chargersOf(call).includes(call.origin)) return refused(wide("notCharger"));
  const changed = change(remainGas(call, user), value);
  if (typeof changed === "string") return refused(narrow(changed));
  const { accounts } = call.scope;
  const account = accounts.get(user) ?? accounts.create(user, "0");
  account.put(ACCOUNT_KEY.remainGas, decimalText(changed));
  return encodeAbi([INT256, UINT256], [0n, changed]);
}

function remainGas({ scope }: PrecompiledCall, user: Address): bigint {
  const text = scope.accounts.get(user)?.value(ACCOUNT_KEY.remainGas);
  return parseDecimal(text ?? "0") ?? 0n;
}

/** What stands against charging an address. */
function unusableAccount(
  { scope }: PrecompiledCall,
  user: Address,
): PrecompiledCodeName | undefined {
  const account = scope.accounts.get(user);
  if (account === undefined) return "accountMissing";
  if (account.hasCode()) return "invalidAccountAddress";
  return account.isFrozen() ? "accountFrozen" : undefined;
}

function wide(code: PrecompiledCodeName): bigint {
  return BigInt(precompiledCode(code));
}

function grantCharger(call: MethodCall): Uint8Array {
  const user = call.address(0);
  const unusable = unusableAccount(call, user);
  if (unusable !== undefined && unusable !== "accountMissing") return word(wide(unusable));
  if (!isCommitteeMember(call.scope, call.origin)) return word(narrow("chargerGrantDenied"));
  const chargers = chargersOf(call);
  if (chargers.includes(user)) return word(narrow("chargerExists"));
  return writeChargers(call, [...chargers, user]);
}

function revokeCharger(call: MethodCall): Uint8Array {
  const user = call.address(0);
  if (!isCommitteeMember(call.scope, call.origin)) return word(narrow("chargerRevokeDenied"));
  const chargers = chargersOf(call);
  if (!chargers.includes(user)) return word(narrow("chargerMissing"));
  return writeChargers(
    call,
    chargers.filter((charger) => charger !== user),
  );
}

function writeChargers({ scope }: PrecompiledCall, chargers: readonly string[]): Uint8Array {
  const list = [...chargers].sort().map((charger) => `${charger.slice(2)},`);
  putSetting(scope, CHARGER_LIST, list.join(""));
  return word(0n);
}

/** Codes that the reference gives 64 bits only. Source: precompiles 13 */
function narrow(code: PrecompiledCodeName): bigint {
  return BigInt.asUintN(UINT64_BITS, wide(code));
}

function refused(code: bigint): Uint8Array {
  return encodeAbi([INT256, UINT256], [code, 0n]);
}

function word(value: bigint): Uint8Array {
  return encodeAbi([INT256], [value]);
}
