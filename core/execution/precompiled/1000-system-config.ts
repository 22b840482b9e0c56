/** SystemConfig at 0x1000: the chain parameters. Source: precompiles 4 */
import type { ByteString } from "../../bytes/byte-string.ts";
import { version, type Version } from "../../model/version.ts";
import { CONFIG_TABLE } from "../../storage/system-tables.ts";
import { fromNextBlock } from "./access-rows.ts";
import type { PrecompiledScope } from "./contract.ts";
import { systemContract } from "./methods.ts";

const MAX_INT64 = 2n ** 63n - 1n;
const MIN_INT64 = -(2n ** 63n);
/** Bound of the reference: seconds that fit 32 bits as milliseconds. */
const MAX_TIMEOUT_SECONDS = 4_294_967n;
/** Sign and digits without the zeros in front; no number of 64 bits has more digits. */
const INTEGER = /^([+-]?)0*([0-9]{1,19})$/;

/** The contract. */
export const SYSTEM_CONFIG = systemContract({
  unknown: 0,
  isFree: true,
  methods: {
    "setValueByKey(string,string)": ({ scope, origin, text }) => {
      const { overlay } = scope;
      const key = lowerCase(text(0));
      if (!isAcceptable(key, text(1), overlay.options.version)) return "invalidConfiguration";
      // Opened only now: before 2.5.0 an opened table counts in the state root.
      if (!overlay.permits(overlay.systemTable(CONFIG_TABLE), origin)) return "permissionDenied";
      return putSetting(scope, key, text(1));
    },
  },
});

/** Sets a key of the configuration from the next block on; returns the number of rows. */
export function putSetting(scope: PrecompiledScope, key: ByteString, value: ByteString): number {
  const table = scope.overlay.systemTable(CONFIG_TABLE);
  const columns = fromNextBlock(scope, { value });
  const updated = table.update(key, columns);
  if (updated > 0) return updated;
  table.insert(key, columns);
  return 1;
}

/** Whether the key exists at this version and takes the value. */
function isAcceptable(key: ByteString, value: ByteString, chainVersion: Version): boolean {
  if (key === "enable_charge_mgr") {
    return chainVersion >= version(2, 9, 0) && (value === "on" || value === "off");
  }
  const number = readInteger(value);
  if (number === undefined) return false;
  switch (key) {
    case "tx_count_limit":
    case "rpbft_epoch_sealer_num":
      return number >= 1n;
    case "tx_gas_limit":
      return number >= 100_000n;
    case "rpbft_epoch_block_num":
      return number >= (chainVersion >= version(2, 6, 0) ? 2n : 1n);
    case "consensus_timeout":
      return chainVersion >= version(2, 6, 0) && number >= 3n && number < MAX_TIMEOUT_SECONDS;
    default:
      return false;
  }
}

function readInteger(text: ByteString): bigint | undefined {
  const [, sign = "", digits] = INTEGER.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const value = BigInt(digits) * (sign === "-" ? -1n : 1n);
  return value >= MIN_INT64 && value <= MAX_INT64 ? value : undefined;
}

/** Lower case of ASCII letters only: a byte string has no locale. */
export function lowerCase(text: ByteString): ByteString {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
