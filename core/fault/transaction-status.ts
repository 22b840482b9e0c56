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

/**
 * What a refused submission is reported as.
 *
 * @param status of the receipt pushed on the channel
 * @param token word that clients look for in the message
 */
function reported(status: TransactionStatusName, token: string) {
  return { status: TRANSACTION_STATUS[status], token } as const;
}

/**
 * Status and word of every refusal; the keys are those of SubmitRefusal. Source: rpc-semantics 8
 */
export const POOL_REFUSALS = {
  overGroupMemoryLimit: reported("OverGroupMemoryLimit", "OverGroupMemoryLimit"),
  txPoolIsFull: reported("TxPoolIsFull", "TransactionPoolIsFull"),
  alreadyKnown: reported("AlreadyKnown", "TransactionAlreadyKown"),
  alreadyInChain: reported("AlreadyInChain", "TransactionAlreadyInChain"),
  chainNonceUsed: reported("NonceCheckFail", "TransactionNonceCheckFail"),
  poolNonceUsed: reported("NonceCheckFail", "TxPoolNonceCheckFail"),
  blockLimitCheckFail: reported("BlockLimitCheckFail", "BlockLimitCheckFailed"),
  malformedTx: reported("MalformedTx", "TransactionSubmitFailed"),
  invalidChainId: reported("InvalidChainId", "InvalidChainId"),
  invalidGroupId: reported("InvalidGroupId", "InvalidGroupId"),
  notInGroup: reported("RequestNotBelongToTheGroup", "RequestNotBelongToTheGroup"),
  nodeIsSyncing: reported("TransactionRefused", "ImportResult::NodeIsSyncing"),
} as const;

/** Name of a refusal in {@link POOL_REFUSALS}. */
export type PoolRefusalName = keyof typeof POOL_REFUSALS;

/**
 * The sentence of a refusal, without the framework's token: `NonceCheckFail(0xf):
 * TransactionNonceCheckFail, txHash=77112432...`. Source: decision 11; rpc-semantics 8
 */
export function refusalText(
  refusal: PoolRefusalName,
  { hash, blockLimit }: { readonly hash: string; readonly blockLimit: bigint },
): string {
  const { status, token } = POOL_REFUSALS[refusal];
  const limit = refusal === "blockLimitCheckFail" ? `txBlockLimit=${blockLimit}, ` : "";
  const what = `${transactionStatusName(status)}(0x${status.toString(16)}): ${token}`;
  return `${what}, ${limit}txHash=${hash.slice(2, 10)}...`;
}
