/** Result codes of the precompiled contracts. Source: interface 7.5; precompiles 18 */

/** One code: its number, its text, and whether no contract ever returns it. */
interface PrecompiledCodeRow {
  readonly code: number;
  readonly message: string;
  readonly clientOnly?: true;
}

/** The codes of the interface by name. Source: interface 7.5 */
export const PRECOMPILED_CODES = {
  success: { code: 0, message: "success" },
  permissionDenied: { code: -50000, message: "permission denied" },
  tableNameExists: { code: -50001, message: "table name already exist" },
  tableNameTooLong: { code: -50002, message: "table name length is overflowed" },
  fieldNameTooLong: { code: -50003, message: "table name field length is overflowed" },
  fieldNamesTooLong: { code: -50004, message: "table name field total length is overflowed" },
  keyTooLong: { code: -50005, message: "table key value length is overflowed" },
  fieldValueTooLong: { code: -50006, message: "table field value length is overflowed" },
  duplicateField: { code: -50007, message: "table field is duplicated" },
  invalidField: { code: -50008, message: "table field is invalidate" },
  tableMissing: { code: -50100, message: "table does not exist" },
  unknownFunction: { code: -50101, message: "unknown function call" },
  invalidAddress: { code: -50102, message: "address invalid" },
  grantExists: { code: -51000, message: "table name or address already exist" },
  grantMissing: { code: -51001, message: "table name or address does not exist" },
  grantTableNameTooLong: { code: -51002, message: "table name overflow" },
  contractMissing: { code: -51003, message: "contract not exist" },
  managedByGovernance: {
    code: -51004,
    message: "committee member permission managed by ChainGovernance",
  },
  invalidNodeId: { code: -51100, message: "invalid node ID" },
  lastSealer: { code: -51101, message: "the last sealer cannot be removed" },
  nodeUnreachable: { code: -51102, message: "the node is not reachable", clientOnly: true },
  notGroupPeer: { code: -51103, message: "the node is not a group peer", clientOnly: true },
  alreadySealer: {
    code: -51104,
    message: "the node is already in the sealer list",
    clientOnly: true,
  },
  alreadyObserver: {
    code: -51105,
    message: "the node is already in the observer list",
    clientOnly: true,
  },
  contractVersionExists: { code: -51200, message: "contract name and version already exist" },
  contractVersionTooLong: { code: -51201, message: "version length exceeds the maximum limit" },
  invalidConfiguration: { code: -51300, message: "invalid configuration entry" },
  entryUnreadable: { code: -51500, message: "entry parse error" },
  conditionUnreadable: { code: -51501, message: "condition parse error" },
  conditionOperationUnknown: { code: -51502, message: "condition operation undefined" },
  invalidCiphers: { code: -51600, message: "invalid ciphers" },
  groupSigFailed: { code: -51700, message: "group sig failed" },
  ringSigFailed: { code: -51800, message: "ring sig failed" },
  contractFrozen: { code: -51900, message: "contract frozen" },
  contractAvailable: { code: -51901, message: "contract available" },
  contractManagerExists: { code: -51902, message: "contract repeat authorization" },
  invalidContractAddress: { code: -51903, message: "invalid contract address" },
  contractTableMissing: { code: -51904, message: "table not exist" },
  notAuthorized: { code: -51905, message: "no authorized" },
  committeeMemberExists: { code: -52000, message: "committee member exist" },
  committeeMemberMissing: { code: -52001, message: "committee member not exist" },
  notCommitteeMember: { code: -52002, message: "invalid request permission denied" },
  invalidThreshold: { code: -52003, message: "invalid threshold" },
  operatorCannotBeMember: { code: -52004, message: "operator can't be committee member" },
  memberCannotBeOperator: { code: -52005, message: "committee member can't be operator" },
  operatorExists: { code: -52006, message: "operator exist" },
  operatorMissing: { code: -52007, message: "operator not exist" },
  accountMissing: { code: -52008, message: "account not exist" },
  invalidAccountAddress: { code: -52009, message: "invalid account address" },
  accountAvailable: { code: -52010, message: "account already available" },
  accountFrozen: { code: -52011, message: "account frozen" },
  valueUnchanged: { code: -52012, message: "current value is expected value" },
} as const satisfies Readonly<Record<string, PrecompiledCodeRow>>;

/** Codes that contracts return and the interface does not list. Source: precompiles 18 */
export const FURTHER_PRECOMPILED_CODES = {
  dagUserEmpty: { code: -51400, message: "user name is empty" },
  dagAmountInvalid: { code: -51401, message: "amount is zero" },
  dagUserMissing: { code: -51402, message: "user does not exist" },
  dagUserExists: { code: -51403, message: "user already exists" },
  dagBalanceInsufficient: { code: -51404, message: "balance is insufficient" },
  dagBalanceOverflow: { code: -51405, message: "balance overflows" },
  dagTableUnavailable: { code: -51406, message: "table cannot be opened" },
  keyFieldInEntry: { code: -51503, message: "entry contains the key field" },
  contractManagerMissing: { code: -51906, message: "contract manager does not exist" },
  lastContractManager: { code: -51907, message: "the last contract manager cannot be removed" },
  notCharger: { code: -53000, message: "origin is not a charger" },
  chargeAmountInvalid: { code: -53001, message: "gas value is zero" },
  remainGasOverflow: { code: -53002, message: "remain gas overflows" },
  remainGasInsufficient: { code: -53003, message: "remain gas is insufficient" },
  chargerGrantDenied: { code: -53004, message: "only committee members can grant chargers" },
  chargerRevokeDenied: { code: -53005, message: "only committee members can revoke chargers" },
  chargerExists: { code: -53006, message: "charger already exists" },
  chargerMissing: { code: -53007, message: "charger does not exist" },
  chargeFunctionUnknown: { code: -53008, message: "unknown function call of gas charging" },
} as const satisfies Readonly<Record<string, PrecompiledCodeRow>>;

const ALL_CODES = { ...PRECOMPILED_CODES, ...FURTHER_PRECOMPILED_CODES } as const;

/** Name of a code. */
export type PrecompiledCodeName = keyof typeof ALL_CODES;

const MESSAGES: ReadonlyMap<number, string> = new Map(
  Object.values(ALL_CODES).map((row) => [row.code, row.message]),
);

/** The number of a code, for results. */
export function precompiledCode(name: PrecompiledCodeName): number {
  return ALL_CODES[name].code;
}

/** The text of a code number; undefined when no table has it. */
export function precompiledMessage(code: number): string | undefined {
  return MESSAGES.get(code);
}
