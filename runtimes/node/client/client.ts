/**
 * The package's export `chain-node/client/node`: what a client has on Node alone. The names of
 * other files leave here and nowhere else.
 */
import { WebSocket } from "ws";
import { type Account, accountOf } from "../../../core/client/account.ts";
import { UsageFault } from "../../../core/client/client-fault.ts";
import { createSmSuite } from "../../../core/crypto/national.ts";
import { createStandardSuite } from "../../../core/crypto/standard.ts";
import type { SuiteName } from "../../../core/crypto/suite.ts";
import type { Transport } from "../../../core/client/transport.ts";
import { parsePrivateKey } from "../../folder/private-key.ts";
import {
  type WebSocketLike,
  type WebSocketTransportOptions,
  webSocketTransport as webTransport,
} from "../../shared/client/web-transports.ts";

export { channelTransport } from "./channel-transport.ts";
export type { ChannelTransport, TopicHandler } from "./channel-transport.ts";
export type { ChannelPlace } from "./channel-link.ts";

/**
 * The account of a key file: PKCS #8 or SEC 1 in PEM, of secp256k1 or SM2.
 * @param suite of the chain; the standard one when absent
 * @throws UsageFault when the text holds no key of the curve
 */
export function accountFromPem(text: string, suite: SuiteName = "standard"): Account {
  const pair = parsePrivateKey(text, suite);
  if (pair === undefined) throw new UsageFault(`the text holds no key of the ${suite} suite`);
  return accountOf(pair.privateKey, suite === "national" ? createSmSuite() : createStandardSuite());
}

/** The package's class also hears as browsers' does. */
const NodeSocket = WebSocket as unknown as new (url: string) => WebSocketLike;

/**
 * Requests and subscriptions over a WebSocket, on every version of Node.
 * @param url of the RPC port: `ws://127.0.0.1:8545`
 */
export function webSocketTransport(
  url: string,
  options: WebSocketTransportOptions = {},
): Transport {
  return webTransport(url, { WebSocket: NodeSocket, ...options });
}
