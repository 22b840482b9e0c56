/**
 * The package's export `chain-node/client`: a typed client for Node, browsers and edge workers. The
 * names of other files leave here and nowhere else.
 */
import { type Account, accountOf } from "../../../core/client/account.ts";
import {
  type Client,
  type ClientSettings,
  clientOver,
} from "../../../core/client/create-client.ts";
import { createSmSuite } from "../../../core/crypto/national.ts";
import { createStandardSuite } from "../../../core/crypto/standard.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import { webClock, webEntropy } from "../platform/web-platform.ts";

export type { Account } from "../../../core/client/account.ts";
export {
  AbortedFault,
  CallFault,
  NodeFault,
  ProofFault,
  ReceiptFault,
  ReceiptTimeoutFault,
  RefusalFault,
  TransportFault,
  UsageFault,
} from "../../../core/client/client-fault.ts";
export type { ProofReason } from "../../../core/client/client-fault.ts";
export type { Contract, EventListener, EventRange } from "../../../core/client/contract.ts";
export type {
  CallOptions,
  ContractEvent,
  SendOptions,
  Sent,
} from "../../../core/client/contract-types.ts";
export type { RawLog } from "../../../core/client/contract-output.ts";
export type {
  Client,
  ClientActions,
  Deployed,
  Deployment,
} from "../../../core/client/create-client.ts";
export type { Provider } from "../../../core/client/http-transport.ts";
export { customTransport } from "../../../core/client/http-transport.ts";
export type { Signal, WaitOptions } from "../../../core/client/platform.ts";
export type { SubscriptionKind } from "../../../core/client/pushed-form.ts";
export type { BlockOf, RpcMethod, RpcMethods } from "../../../core/client/rpc-methods.ts";
export type * from "../../../core/client/rpc-objects.ts";
export type { NumberText, RpcSchema } from "../../../core/client/rpc-schema.ts";
export { SealerTrail } from "../../../core/client/sealer-trail.ts";
export type { KeptTrail } from "../../../core/client/sealer-trail.ts";
export type { TrailStep } from "../../../core/client/told-objects.ts";
export type { TrailRoot } from "../../../core/client/trail-reads.ts";
export type {
  PreparedTransaction,
  TransactionRequest,
} from "../../../core/client/transaction-builder.ts";
export type { RpcCall } from "../../../core/client/transport.ts";
export type {
  Submission,
  Subscription,
  SubscriptionListener,
  Transport,
} from "../../../core/client/transport.ts";
export type {
  Trust,
  VerifiedReceipt,
  VerifiedTransaction,
} from "../../../core/client/verified-reads.ts";
export {
  verifyHeader,
  verifyHeaderHash,
  verifyReceiptProof,
  verifyTransaction,
  verifyTransactionProof,
} from "../../../core/client/verify-proof.ts";
export { parseVersion } from "../../../core/model/version.ts";
export { httpTransport, webSocketTransport } from "./web-transports.ts";

/** Keccak-256 and secp256k1. */
export const standardSuite: CryptoSuite = /* @__PURE__ */ createStandardSuite();
/** SM3 and SM2, for chains whose `FISCO-BCOS Version` ends in `gm`. */
export const nationalSuite: CryptoSuite = /* @__PURE__ */ createSmSuite();

/** What a client talks to, and for whom. */
export interface ClientOptions extends Omit<ClientSettings, "groupId" | "suite"> {
  /** The group that its methods ask; 1 when absent. */
  readonly groupId?: number;
  /** The algorithms of the chain; {@link standardSuite} when absent. */
  readonly suite?: CryptoSuite;
}

/** The group that most chains have. */
const FIRST_GROUP = 1;

/**
 * A client of one group of a chain. Nothing is asked before it is used.
 *
 * @throws UsageFault when the account is of the other suite than the client
 */
export function createClient(options: ClientOptions): Client {
  const { groupId = FIRST_GROUP, suite = standardSuite } = options;
  return clientOver({ ...options, groupId, suite }, { clock: webClock, entropy: webEntropy });
}

/**
 * The account of a private key.
 *
 * @param privateKey 32 bytes, or 64 hexadecimal digits with or without `0x`
 * @param suite of the chain; {@link standardSuite} when absent
 * @throws UsageFault when it is no key
 */
export function accountFromPrivateKey(
  privateKey: string | Uint8Array,
  suite: CryptoSuite = standardSuite,
): Account {
  return accountOf(privateKey, suite);
}
