/** ChainGovernance at 0x1008: committee, operators, frozen accounts. Source: precompiles 12 */
import { encodeAbi } from "../../abi/encode.ts";
import type { ByteString } from "../../bytes/byte-string.ts";
import type { Address } from "../../bytes/ids.ts";
import { precompiledCode, type PrecompiledCodeName } from "../../fault/precompiled-code.ts";
import {
  ACCESS_TABLE,
  CNS_TABLE,
  CONFIG_TABLE,
  CONSENSUS_TABLE,
  TABLES_TABLE,
} from "../../storage/system-tables.ts";
import type { RowView } from "../../storage/table.ts";
import { ACCOUNT_KEY, type Account } from "../accounts.ts";
import {
  accessRows,
  addAccess,
  columnOf,
  isCommitteeMember,
  mayChangeAccess,
  removeAccess,
} from "./access-rows.ts";
import {
  addWeight,
  BALLOT_KEY,
  isThreshold,
  isWeight,
  memberWeight,
  removeWeight,
  setThreshold,
  setWeight,
  thresholdText,
  vote,
  votesTable,
} from "./committee-votes.ts";
import { BOOL, INT256, type PrecompiledCall, PrecompiledFault, stringsOutput } from "./contract.ts";
import { compactJson, type JsonValue } from "./json-text.ts";
import { type MethodCall, type Outcome, systemContract } from "./methods.ts";
import { shownRows } from "./table-limits.ts";

/** What committee members may write next to the committee itself. */
const MEMBER_TABLES = [CONFIG_TABLE, CONSENSUS_TABLE] as const;
const OPERATOR_TABLES = [TABLES_TABLE, CNS_TABLE] as const;
/** Percent that a threshold may have at most. */
const MAX_THRESHOLD = 99n;
const STATUS_TEXT = {
  available: "The account is available.",
  frozen: "The account has been frozen. You can use this account after unfreezing it.",
  missing: "The address is nonexistent.",
  contract: "This is not a account address.",
} as const;

/** The contract. */
export const CHAIN_GOVERNANCE = systemContract({
  isFree: true,
  methods: {
    "grantCommitteeMember(address)": grantCommitteeMember,
    "revokeCommitteeMember(address)": revokeCommitteeMember,
    "updateCommitteeMemberWeight(address,int256)": updateCommitteeMemberWeight,
    "updateThreshold(int256)": updateThreshold,
    "queryThreshold()": ({ scope }) => Math.trunc(Number(thresholdText(scope)) * 100),
    "grantOperator(address)": grantOperator,
    "revokeOperator(address)": revokeOperator,
    "freezeAccount(address)": freezeAccount,
    "unfreezeAccount(address)": unfreezeAccount,
    "listCommitteeMembers()": ({ scope }) => listed(accessRows(scope, ACCESS_TABLE)),
    "queryCommitteeMemberWeight(address)": ({ scope, address }) => {
      const weight = memberWeight(scope, address(0));
      const missing = BigInt(precompiledCode("committeeMemberMissing"));
      return encodeAbi([BOOL, INT256], [weight !== undefined, weight ?? missing]);
    },
    "queryVotesOfMember(address)": queryVotesOfMember,
    "queryVotesOfThreshold()": ({ scope }) => {
      const votes: Votes = new Map();
      for (const row of votesTable(scope).select(BALLOT_KEY.threshold)) {
        addVote(votes, columnOf(row, "value"), row);
      }
      return votesOutput(votes);
    },
    "listOperators()": (call) => {
      const creators = accessRows(call.scope, TABLES_TABLE);
      return listed(creators.filter((row) => isOperator(call, columnOf(row, "address"))));
    },
    "getAccountStatus(address)": (call) => stringsOutput([STATUS_TEXT[accountStatus(call)]]),
  },
});

function grantCommitteeMember(call: MethodCall): Outcome {
  const { scope } = call;
  const user = call.address(0);
  if (OPERATOR_TABLES.some((table) => accessRows(scope, table, user).length > 0)) {
    return "operatorCannotBeMember";
  }
  const members = accessRows(scope, ACCESS_TABLE).length;
  const confirmsAgain = scope.overlay.options.reconfirmCommittee === true;
  if (members === 0 || (members === 1 && confirmsAgain)) {
    const result = giveAccess(call, ACCESS_TABLE, user);
    equipMember(call, user);
    return result;
  }
  if (isCommitteeMember(scope, user)) return "committeeMemberExists";
  const apply = (): number => {
    // Who decided is a vote, not the list.
    addAccess(scope, ACCESS_TABLE, user);
    equipMember(call, user);
    return 1;
  };
  return vote(call, { key: BALLOT_KEY.member(user), value: "grant", apply });
}

/** Gives a member what goes with it, as far as the origin may. */
function equipMember(call: PrecompiledCall, user: Address): void {
  for (const table of MEMBER_TABLES) giveAccess(call, table, user);
  addWeight(call, user);
}

/** Adds a user to a list by the rules of 0x1005: nobody twice. Source: precompiles 9 */
function giveAccess({ scope, origin }: PrecompiledCall, table: ByteString, user: Address): Outcome {
  if (accessRows(scope, table, user).length > 0) return 1;
  if (!mayChangeAccess(scope, origin)) return "permissionDenied";
  addAccess(scope, table, user);
  return 1;
}

/** Takes a user off a list; returns the number of rows, or a code. Source: precompiles 9 */
function takeAccess({ scope, origin }: PrecompiledCall, table: ByteString, user: Address): Outcome {
  if (!mayChangeAccess(scope, origin)) return "permissionDenied";
  return removeAccess(scope, table, user);
}

function revokeCommitteeMember(call: MethodCall): Outcome {
  const { scope } = call;
  const user = call.address(0);
  if (!isCommitteeMember(scope, user)) return "committeeMemberMissing";
  const apply = (): number => {
    const count = removeAccess(scope, ACCESS_TABLE, user);
    for (const table of MEMBER_TABLES) takeAccess(call, table, user);
    removeWeight(scope, user);
    return count;
  };
  return vote(call, { key: BALLOT_KEY.member(user), value: "revoke", apply });
}

function updateCommitteeMemberWeight(call: MethodCall): Outcome {
  const { scope } = call;
  const [user, weight] = [call.address(0), call.integer(1)];
  if (scope.overlay.since(2, 7, 0) && weight <= 0n) {
    const what = `updateCommitteeMemberWeight failed for invalid weight "${weight}"`;
    throw new PrecompiledFault("contract", `${what}, the weight must be greater than 0`);
  }
  if (!isCommitteeMember(scope, user)) return "committeeMemberMissing";
  if (isWeight(scope, user, weight)) return "valueUnchanged";
  const apply = (): number => setWeight(call, user, weight);
  return vote(call, { key: BALLOT_KEY.weight(user), value: String(weight), apply });
}

function updateThreshold(call: MethodCall): Outcome {
  const { scope } = call;
  const percent = call.integer(0);
  if (percent < 0n || percent > MAX_THRESHOLD) return "invalidThreshold";
  const text = `0.${String(percent).padStart(2, "0")}0000`;
  if (isThreshold(scope, text)) return "valueUnchanged";
  const apply = (): number => setThreshold(call, text);
  // Before 2.7.0 passed votes on the threshold are still counted until they expire.
  const keepsVotes = !scope.overlay.since(2, 7, 0);
  return vote(call, { key: BALLOT_KEY.threshold, value: text, apply, keepsVotes });
}

function isOperator(call: PrecompiledCall, user: ByteString): boolean {
  return OPERATOR_TABLES.every((table) => accessRows(call.scope, table, user).length > 0);
}

function grantOperator(call: MethodCall): Outcome {
  const { scope, origin } = call;
  const user = call.address(0);
  if (!isCommitteeMember(scope, origin)) return "notCommitteeMember";
  if (isCommitteeMember(scope, user)) return "memberCannotBeOperator";
  if (isOperator(call, user)) return "operatorExists";
  if (giveAccess(call, TABLES_TABLE, user) === "permissionDenied") {
    const message = `Permission denied. ${origin} can't grantOperator operator ${user}`;
    throw new PrecompiledFault("contract", message);
  }
  return giveAccess(call, CNS_TABLE, user);
}

function revokeOperator(call: MethodCall): Outcome {
  const { scope, origin } = call;
  const user = call.address(0);
  if (!isCommitteeMember(scope, origin)) return "notCommitteeMember";
  if (accessRows(scope, TABLES_TABLE, user).length === 0) return "operatorMissing";
  const [count = 0] = OPERATOR_TABLES.map((table) => takeAccess(call, table, user));
  return count;
}

function freezeAccount(call: MethodCall): Outcome {
  const user = call.address(0);
  const account = findAccount(call);
  if (typeof account === "string") return account;
  const { scope, origin } = call;
  if (!isCommitteeMember(scope, origin) || isCommitteeMember(scope, user))
    return "permissionDenied";
  if (account.isFrozen()) return "accountFrozen";
  account.put(ACCOUNT_KEY.frozen, "true");
  return 1;
}

function unfreezeAccount(call: MethodCall): Outcome {
  const account = findAccount(call);
  if (typeof account === "string") return account;
  if (!isCommitteeMember(call.scope, call.origin)) return "permissionDenied";
  if (!account.isFrozen()) return "accountAvailable";
  account.put(ACCOUNT_KEY.frozen, "false");
  return 1;
}

/** An account without code, or the code that says why there is none. */
function findAccount({ scope, address }: MethodCall): Account | PrecompiledCodeName {
  const account = scope.accounts.get(address(0));
  if (account === undefined) return "accountMissing";
  return account.hasCode() ? "invalidAccountAddress" : account;
}

function accountStatus({ scope, address }: MethodCall): keyof typeof STATUS_TEXT {
  const account = scope.accounts.get(address(0));
  if (account === undefined) return "missing";
  if (account.hasCode()) return "contract";
  return account.isFrozen() ? "frozen" : "available";
}

function listed(rows: readonly RowView[]): Uint8Array {
  return jsonOutput(shownRows(rows, ["address", "enable_num"]));
}

function queryVotesOfMember(call: MethodCall): Uint8Array {
  const user = call.address(0);
  const table = votesTable(call.scope);
  const votes: Votes = new Map();
  for (const row of table.select(BALLOT_KEY.member(user)))
    addVote(votes, columnOf(row, "value"), row);
  for (const row of table.select(BALLOT_KEY.weight(user))) {
    addVote(votes, "update_weight", row, { target: columnOf(row, "value") });
  }
  return votesOutput(votes);
}

/** Votes by what they ask for. */
type Votes = Map<ByteString, JsonValue[]>;

function addVote(votes: Votes, name: ByteString, row: RowView, further = {}): void {
  const shown = { block_limit: columnOf(row, "block_limit"), voter: columnOf(row, "origin") };
  votes.set(name, [...(votes.get(name) ?? []), { ...shown, ...further }]);
}

/** Without any vote the text is `null`. */
function votesOutput(votes: Votes): Uint8Array {
  return jsonOutput(votes.size === 0 ? null : Object.fromEntries(votes));
}

function jsonOutput(value: JsonValue): Uint8Array {
  return stringsOutput([compactJson(value)]);
}
