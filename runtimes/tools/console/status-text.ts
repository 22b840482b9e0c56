/** What statuses of receipts and calls mean, in a sentence. Source: interface 7.3; console 5 */
import {
  TRANSACTION_STATUS,
  transactionStatusName,
  type TransactionStatusName,
} from "../../../core/fault/transaction-status.ts";

const WORDS: Readonly<Record<TransactionStatusName, string>> = {
  None: "transaction executed successfully",
  Unknown: "unknown failure",
  BadRLP: "the encoding of the transaction cannot be read",
  InvalidFormat: "the transaction has a wrong format",
  OutOfGasIntrinsic: "the contract or the arguments are longer than the gas limit allows",
  InvalidSignature: "the signature of the transaction is wrong",
  InvalidNonce: "the nonce of the transaction is wrong",
  NotEnoughCash: "the account has too little balance",
  OutOfGasBase: "the arguments are too long for the gas limit",
  BlockGasLimitReached: "the gas limit of the block is reached",
  BadInstruction: "the contract has an instruction that the node does not know",
  BadJumpDestination: "the contract jumps to no destination",
  OutOfGas: "the gas ran out, or the contract is too long",
  OutOfStack: "the stack of the contract is too deep",
  StackUnderflow: "the stack of the contract is empty",
  NonceCheckFail: "the nonce was used before",
  BlockLimitCheckFail: "the block limit has passed",
  FilterCheckFail: "a filter refused the transaction",
  NoDeployPermission: "the account may not deploy contracts",
  NoCallPermission: "the account may not call the contract",
  NoTxPermission: "the account may not send transactions",
  PrecompiledError: "the precompiled contract failed",
  RevertInstruction: "the contract reverted",
  InvalidZeroSignatureFormat: "the signature is empty",
  AddressAlreadyUsed: "the address is used already",
  PermissionDenied: "permission denied",
  CallAddressError: "there is no contract at the address",
  GasOverflow: "the gas overflows",
  TxPoolIsFull: "the transaction pool of the node is full",
  TransactionRefused: "the node refused the transaction",
  ContractFrozen: "the contract is frozen",
  AccountFrozen: "the account is frozen",
  NotEnoughRemainGas: "the remaining gas of the account is too low",
  AlreadyKnown: "the transaction is in the pool already",
  AlreadyInChain: "the transaction is in a block already",
  InvalidChainId: "the transaction is for another chain",
  InvalidGroupId: "the transaction is for another group",
  RequestNotBelongToTheGroup: "the node does not belong to the group",
  MalformedTx: "the transaction is malformed",
  OverGroupMemoryLimit: "the memory of the group on the node is used up",
};

/** The code of a receipt that did not come in time; a client gives it. Source: console 5 */
export const RECEIPT_TIMEOUT_CODE = 50_001;

/** The sentence of a status number. */
export function statusText(status: number): string {
  return WORDS[transactionStatusName(status)];
}

/** The number of a status. */
export function statusNumber(name: TransactionStatusName): number {
  return TRANSACTION_STATUS[name];
}
