/**
 * Receipt and pool statuses, and the error that a caller gets when the pool refuses.
 * Source: interface 7.3; rpc-semantics 8, 9
 */

/** Every status by its name. 32 belongs to gas charging. Source: interface 7.3; rpc-semantics 9 */
export const TRANSACTION_STATUS = {
  None: 0,
  Unknown: 1,
  BadRLP: 2,
  InvalidFormat: 3,
  OutOfGasIntrinsic: 4,
  InvalidSignature: 5,
  InvalidNonce: 6,
  NotEnoughCash: 7,
  OutOfGasBase: 8,
  BlockGasLimitReached: 9,
  BadInstruction: 10,
  BadJumpDestination: 11,
  OutOfGas: 12,
  OutOfStack: 13,
  StackUnderflow: 14,
  NonceCheckFail: 15,
  BlockLimitCheckFail: 16,
  FilterCheckFail: 17,
  NoDeployPermission: 18,
  NoCallPermission: 19,
  NoTxPermission: 20,
  PrecompiledError: 21,
  RevertInstruction: 22,
  InvalidZeroSignatureFormat: 23,
  AddressAlreadyUsed: 24,
  PermissionDenied: 25,
  CallAddressError: 26,
  GasOverflow: 27,
  TxPoolIsFull: 28,
  TransactionRefused: 29,
  ContractFrozen: 30,
  AccountFrozen: 31,
  NotEnoughRemainGas: 32,
  AlreadyKnown: 10_000,
  AlreadyInChain: 10_001,
  InvalidChainId: 10_002,
  InvalidGroupId: 10_003,
  RequestNotBelongToTheGroup: 10_004,
  MalformedTx: 10_005,
  OverGroupMemoryLimit: 10_006,
} as const satisfies Readonly<Record<string, number>>;

/** Name of a status. */
export type TransactionStatusName = keyof typeof TRANSACTION_STATUS;
/** Number of a status. */
export type TransactionStatus = (typeof TRANSACTION_STATUS)[TransactionStatusName];

const NAMES: ReadonlyMap<number, TransactionStatusName> = new Map(
  Object.entries(TRANSACTION_STATUS).map(([name, status]) => [
    status,
    name as TransactionStatusName,
  ]),
);

/** Name of a status number; `Unknown` for numbers that are not in the table. */
export function transactionStatusName(status: number): TransactionStatusName {
  return NAMES.get(status) ?? "Unknown";
}

/** What a refused submission is reported as. */
export interface PoolRefusal {
  /** Status of the receipt pushed on the channel. */
  readonly status: TransactionStatus;
  /** Word that clients look for in the message. */
  readonly token: string;
}

/**
 * Status and word of every refusal; the keys are those of SubmitRefusal. Source: rpc-semantics 8
 */
export const POOL_REFUSALS = {
  overGroupMemoryLimit: {
    status: TRANSACTION_STATUS.OverGroupMemoryLimit,
    token: "OverGroupMemoryLimit",
  },
  txPoolIsFull: { status: TRANSACTION_STATUS.TxPoolIsFull, token: "TransactionPoolIsFull" },
  alreadyKnown: { status: TRANSACTION_STATUS.AlreadyKnown, token: "TransactionAlreadyKown" },
  alreadyInChain: {
    status: TRANSACTION_STATUS.AlreadyInChain,
    token: "TransactionAlreadyInChain",
  },
  chainNonceUsed: {
    status: TRANSACTION_STATUS.NonceCheckFail,
    token: "TransactionNonceCheckFail",
  },
  poolNonceUsed: { status: TRANSACTION_STATUS.NonceCheckFail, token: "TxPoolNonceCheckFail" },
  blockLimitCheckFail: {
    status: TRANSACTION_STATUS.BlockLimitCheckFail,
    token: "BlockLimitCheckFailed",
  },
  malformedTx: { status: TRANSACTION_STATUS.MalformedTx, token: "TransactionSubmitFailed" },
  invalidChainId: { status: TRANSACTION_STATUS.InvalidChainId, token: "InvalidChainId" },
  invalidGroupId: { status: TRANSACTION_STATUS.InvalidGroupId, token: "InvalidGroupId" },
  notInGroup: {
    status: TRANSACTION_STATUS.RequestNotBelongToTheGroup,
    token: "RequestNotBelongToTheGroup",
  },
  nodeIsSyncing: {
    status: TRANSACTION_STATUS.TransactionRefused,
    token: "ImportResult::NodeIsSyncing",
  },
} as const satisfies Readonly<Record<string, PoolRefusal>>;

/** Name of a refusal in {@link POOL_REFUSALS}. */
export type PoolRefusalName = keyof typeof POOL_REFUSALS;

/** What a refusal message names. */
export interface RefusedTransaction {
  /** `0x` and 64 digits. */
  readonly hash: string;
  readonly blockLimit: bigint;
}

/**
 * The sentence of a refusal, without the framework's token:
 * `NonceCheckFail(0xf): TransactionNonceCheckFail, txHash=77112432...`.
 *
 * Source: decision 11; rpc-semantics 8
 */
export function refusalText(refusal: PoolRefusalName, transaction: RefusedTransaction): string {
  const { status, token } = POOL_REFUSALS[refusal];
  const limit = `txBlockLimit=${transaction.blockLimit}, `;
  return (
    `${transactionStatusName(status)}(0x${status.toString(16)}): ${token}, ` +
    `${refusal === "blockLimitCheckFail" ? limit : ""}` +
    `txHash=${transaction.hash.slice(2, 10)}...`
  );
}
