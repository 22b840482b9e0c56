/**
 * How a contract comes to be: checks, nonce, account, managers, code and its deposit.
 * Source: execution 3
 */
import { EMPTY_BYTES } from "../bytes/bytes.ts";
import type { Address } from "../bytes/ids.ts";
import { create2Address, createAddress } from "../crypto/contract-address.ts";
import { invariant } from "../fault/invariant.ts";
import { TRANSACTION_STATUS } from "../fault/transaction-status.ts";
import { TABLES_TABLE } from "../storage/system-tables.ts";
import { ACCOUNT_KEY, type Accounts } from "./accounts.ts";
import { DEPOSIT_GAS_PER_BYTE } from "./evm/gas.ts";
import {
  chargeBesideGas,
  chargeWork,
  type Entry,
  type FrameResult,
  type Message,
} from "./evm/message.ts";
import { ended, failure, refuseFrozenOrigin } from "./message-call.ts";
import type { StateHost } from "./state-host.ts";

/** Begins a creation, of a transaction or a contract. */
export function enterCreation(host: StateHost, message: Message): Entry {
  const { overlay, accounts } = host.scope;
  const refused = refuse(host);
  if (refused !== undefined) {
    // No savepoint of its own yet: the whole transaction so far goes.
    // Source: execution 3.1, 3.2
    overlay.rollback(0);
    return ended(message, refused);
  }
  const nonce = accounts.get(message.sender)?.nonce() ?? 0n;
  const address = addressOfNew(host, message, nonce);
  accounts.incrementNonce(message.sender);

  const mark = host.mark();
  const existing = accounts.get(address);
  if (existing !== undefined && (existing.hasCode() || existing.nonce() > 0n)) {
    return ended(message, failure(host, TRANSACTION_STATUS.AddressAlreadyUsed, { gasLeft: 0 }));
  }
  // Nobody has a balance: an endowment ends the transaction with an address and no code.
  // Source: execution 3.6
  if (message.value > 0n) return ended(message, created(address, message.gas));

  openAccount(accounts, message.sender, address);
  addManagers(host, message.sender, address);
  if (message.input.length === 0) return ended(message, created(address, message.gas));
  host.openFrame(mark);
  return {
    result: undefined,
    message: { ...message, recipient: address, codeAddress: address },
    codeHash: undefined,
  };
}

/**
 * Ends a creation whose init code ran. After a failure too, the data that it returned is measured,
 * paid for and stored; rows for it are there only when the account is older than the creation.
 * Source: execution 3 (after the init code)
 */
export function leaveCreation(host: StateHost, message: Message, result: FrameResult): FrameResult {
  const mark = host.closeFrame();
  const { schedule } = host.scope.rules;
  const succeeded = result.status === TRANSACTION_STATUS.None;
  if (!succeeded) host.unwind(mark);

  const deposit = result.output.length * DEPOSIT_GAS_PER_BYTE;
  if (result.output.length > schedule.maxCodeBytes || deposit > result.gasLeft) {
    host.unwind(mark);
    // Revert data stays the output, code never is.
    const output = succeeded ? EMPTY_BYTES : result.output;
    return { ...result, status: TRANSACTION_STATUS.OutOfGas, output };
  }
  const gasLeft = schedule.chargesDeposit ? result.gasLeft - deposit : result.gasLeft;
  chargeWork(host.context, result.gasLeft - gasLeft);
  // A store that is not permitted leaves by another way.
  if (!host.storeDenied) host.scope.accounts.setCode(message.recipient, result.output);
  return succeeded ? created(message.recipient, gasLeft) : { ...result, gasLeft };
}

function created(address: Address, gasLeft: number): FrameResult {
  return { status: TRANSACTION_STATUS.None, gasLeft, output: EMPTY_BYTES, created: address };
}

function refuse(host: StateHost): FrameResult | undefined {
  const { overlay } = host.scope;
  if (!overlay.permits(overlay.systemTable(TABLES_TABLE), host.origin)) {
    return failure(host, TRANSACTION_STATUS.PermissionDenied, { gasLeft: 0 });
  }
  return refuseFrozenOrigin(host, 0);
}

function addressOfNew(host: StateHost, message: Message, nonce: bigint): Address {
  const { hash } = host.scope.rules.suite;
  if (message.kind !== "create2") return createAddress(message.sender, nonce, hash);
  invariant(message.salt !== undefined, "create2 has a salt");
  const origin = { creator: message.sender, salt: message.salt, initCode: message.input };
  return create2Address(origin, hash);
}

/**
 * The endowment of nothing rewrites the payer's balance row; then the account has its rows.
 * Source: execution 3.6, 3.7
 */
function openAccount(accounts: Accounts, sender: Address, address: Address): void {
  const payer = accounts.get(sender);
  payer?.update(ACCOUNT_KEY.balance, payer.balance().toString());
  const existing = accounts.get(address);
  if (existing === undefined) {
    accounts.create(address, "0");
    return;
  }
  // Recorded roots show that the receiver's balance row is left alone when the account exists.
  existing.update(ACCOUNT_KEY.nonce, "0");
}

/**
 * Who may freeze the contract: the origin, and the managers of a creating contract.
 * Source: execution 3.8
 */
function addManagers(host: StateHost, sender: Address, address: Address): void {
  const { accounts, overlay } = host.scope;
  if (!overlay.since(2, 3, 0)) return;
  const account = accounts.get(address);
  invariant(account !== undefined, "a new account has a table");
  const origin = host.origin.slice(2);
  let before = overlay.effort;
  account.insert(ACCOUNT_KEY.authority, origin);
  if (sender === host.origin) return;
  for (const manager of accounts.get(sender)?.values(ACCOUNT_KEY.authority) ?? []) {
    if (manager !== origin) account.insert(ACCOUNT_KEY.authority, manager);
    chargeBesideGas(host.context, overlay.effort - before);
    before = overlay.effort;
  }
}
