/** DagTransfer at 0x5002: balances by name, made to run in parallel. Source: precompiles 16 */
import { encodeAbi } from "../../abi/encode.ts";
import { type ByteString, parseDecimalModulo256 } from "../../bytes/byte-string.ts";
import { precompiledCode } from "../../fault/precompiled-code.ts";
import { assertColumn } from "../../storage/live-table.ts";
import { familyTable } from "../../storage/system-tables.ts";
import { INT256, type PrecompiledCall, PrecompiledFault, UINT256 } from "./contract.ts";
import { type MethodCall, type Outcome, systemContract } from "./methods.ts";

const TABLE = "dag_transfer";
/**
 * Name of the table before user tables had a family.
 * Source: architecture/execution "Rules that recorded ledgers showed"
 */
const TABLE_BEFORE_2_2 = "_dag_transfer_";
const NAME_FIELD = "user_name";
const BALANCE_FIELD = "user_balance";
const UINT256_END = 1n << 256n;

/** The contract. */
export const DAG_TRANSFER = systemContract({
  isFree: true,
  methods: {
    "userAdd(string,uint256)": addUser,
    "userSave(string,uint256)": save,
    "userDraw(string,uint256)": draw,
    "userTransfer(string,string,uint256)": transfer,
    "userBalance(string)": showBalance,
  },
});

/** Balances of a call. */
interface Balances {
  /** Balance of a user; undefined when there is none. */
  of(user: ByteString): bigint | undefined;
  /** Sets the balance of a user, new or not; false when the origin may not write. */
  set(user: ByteString, balance: bigint): boolean;
}

/** Opens the table, which is made for the first that comes. */
function openBalances({ scope, origin }: PrecompiledCall): Balances {
  const { overlay } = scope;
  const name = overlay.since(2, 2, 0)
    ? familyTable("user", TABLE, overlay.options.version)
    : TABLE_BEFORE_2_2;
  const schema = { name, keyField: NAME_FIELD, fields: [BALANCE_FIELD], hashed: true };
  const table = overlay.open(name) ?? overlay.register(schema);
  return {
    of(user) {
      const row = table.select(user)[0];
      return row && readBalance(row.columns.get(BALANCE_FIELD) ?? "");
    },
    set(user, balance) {
      if (!overlay.permits(table, origin)) return false;
      const columns = [[BALANCE_FIELD, String(balance)]] as const;
      if (table.select(user).length > 0) table.update(user, columns);
      else {
        // Anybody may have made the table, with other columns.
        assertColumn(table.schema, BALANCE_FIELD);
        table.insert(user, columns);
      }
      return true;
    },
  };
}

/** No text is no money; the rows may be anybody's, with any text in them. */
function readBalance(text: ByteString): bigint {
  const balance = text === "" ? 0n : parseDecimalModulo256(text);
  if (balance === undefined) throw new PrecompiledFault("other", "the balance is not a number");
  return balance;
}

function written(isWritten: boolean): Outcome {
  return isWritten ? 0 : "permissionDenied";
}

function addUser(call: MethodCall): Outcome {
  const [user, amount] = [call.text(0), call.integer(1)];
  if (user === "") return "dagUserEmpty";
  const balances = openBalances(call);
  if (balances.of(user) !== undefined) return "dagUserExists";
  return written(balances.set(user, amount));
}

function save(call: MethodCall): Outcome {
  const [user, amount] = [call.text(0), call.integer(1)];
  if (user === "") return "dagUserEmpty";
  if (amount === 0n) return "dagAmountInvalid";
  const balances = openBalances(call);
  const sum = (balances.of(user) ?? 0n) + amount;
  if (sum >= UINT256_END) return "dagBalanceOverflow";
  return written(balances.set(user, sum));
}

function draw(call: MethodCall): Outcome {
  const [user, amount] = [call.text(0), call.integer(1)];
  if (user === "") return "dagUserEmpty";
  if (amount === 0n) return "dagAmountInvalid";
  const balances = openBalances(call);
  const balance = balances.of(user);
  if (balance === undefined) return "dagUserMissing";
  if (balance < amount) return "dagBalanceInsufficient";
  return written(balances.set(user, balance - amount));
}

function transfer(call: MethodCall): Outcome {
  const [from, to, amount] = [call.text(0), call.text(1), call.integer(2)];
  if (from === "" || to === "") return "dagUserEmpty";
  if (amount === 0n) return "dagAmountInvalid";
  if (from === to) return 0;
  const balances = openBalances(call);
  const balance = balances.of(from);
  if (balance === undefined) return "dagUserMissing";
  if (balance < amount) return "dagBalanceInsufficient";
  const held = balances.of(to);
  if (held === undefined && !balances.set(to, 0n)) return "permissionDenied";
  const sum = (held ?? 0n) + amount;
  if (sum >= UINT256_END) return "dagBalanceOverflow";
  return written(balances.set(from, balance - amount) && balances.set(to, sum));
}

function showBalance(call: MethodCall): Uint8Array {
  const user = call.text(0);
  if (user === "") return answer(precompiledCode("dagUserEmpty"), 0n);
  const balance = openBalances(call).of(user);
  return balance === undefined ? answer(precompiledCode("dagUserMissing"), 0n) : answer(0, balance);
}

function answer(code: number, balance: bigint): Uint8Array {
  return encodeAbi([INT256, UINT256], [BigInt(code), balance]);
}
