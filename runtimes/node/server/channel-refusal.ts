/**
 * Why a client may not come in at the SDK port, and the TLS alert that tells it. Node.js would cut
 * the connection without a word. Source: channel-protocol 2.2; RFC 5246 7.2
 */
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { LogThrottle } from "../../../core/limits/log-throttle.ts";
import type { Clock } from "../../../core/ports/clock.ts";
import type { Log, LogFields, LogLevel } from "../../../core/ports/log.ts";
import { httpText } from "../../shared/http-text.ts";

/** Descriptions of alerts. Source: RFC 5246 7.2.2 */
const ALERTS = {
  handshakeFailure: 40,
  badCertificate: 42,
  unsupportedCertificate: 43,
  certificateExpired: 45,
  unknownCa: 48,
  accessDenied: 49,
} as const;

/** Why a client is turned away. */
export interface Refusal {
  readonly alert: keyof typeof ALERTS;
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: LogFields;
}

/** Record of alerts, TLS 1.2, two bytes, fatal. */
const ALERT_HEAD = [0x15, 3, 3, 0, 2, 2];

/**
 * Sends the alert on the connection below TLS: the node's part of the handshake has not left yet,
 * so that the client reads in the clear still. Must be called while the handshake ends.
 */
export function sendAlert(below: Socket | undefined, alert: Refusal["alert"]): void {
  if (below?.writable) below.write(Buffer.from([...ALERT_HEAD, ALERTS[alert]]));
}

const FOREIGN = "an SDK with a foreign certificate is turned away";
/** What OpenSSL calls it, and what it is; all others mean that the chain of certificates breaks. */
const REASONS: ReadonlyMap<string, readonly [Refusal["alert"], string]> = new Map([
  ["CERT_HAS_EXPIRED", ["certificateExpired", "its certificate has expired"]],
  ["CERT_NOT_YET_VALID", ["badCertificate", "its certificate is not valid yet"]],
  ["INVALID_PURPOSE", ["unsupportedCertificate", "its certificate is not made for clients"]],
] as const);
const OF_ANOTHER_CHAIN = [
  "unknownCa",
  "its certificate is of another chain, or comes without the certificate of its agency",
] as const;

/** One line. */
function named(name: string): string {
  return name.replaceAll("\n", " ");
}

/** What is wrong with the certificate of a client; undefined when it is of this chain. */
export function certificateRefusal(socket: TLSSocket): Refusal | undefined {
  if (socket.authorized) return undefined;
  const client = socket.getPeerX509Certificate();
  if (!client) {
    const message = "a client without a certificate is turned away at the SDK port";
    return { alert: "handshakeFailure", level: "info", message, fields: {} };
  }
  // Declared as an error, it is the code as a text.
  const code = String(socket.authorizationError);
  const [alert, reason] = REASONS.get(code) ?? OF_ANOTHER_CHAIN;
  const fields = { reason, code, subject: named(client.subject), issuer: named(client.issuer) };
  return { alert, level: "warning", message: FOREIGN, fields };
}

/** Addresses that are reported one by one. */
const MOST_ADDRESSES = 256;

/** Logs refusals: each kind once in a while for each address. */
export class RefusalLog {
  readonly #log: Log;
  readonly #gate: LogThrottle<string>;
  readonly #addresses = new Set<string>();

  constructor(log: Log, clock: Pick<Clock, "steady">) {
    this.#log = log;
    this.#gate = new LogThrottle(clock);
  }

  /** @param remote `ip:port` */
  tell(remote: string, { level, message, fields }: Omit<Refusal, "alert">): void {
    const address = remote.slice(0, remote.lastIndexOf(":"));
    if (this.#addresses.size < MOST_ADDRESSES) this.#addresses.add(address);
    const who = this.#addresses.has(address) ? address : "others";
    if (this.#gate.allows(`${who} ${message}`))
      this.#log.write(level, message, { remote, ...fields });
  }
}

/** What OpenSSL says when a request in plain HTTP comes in place of a handshake. */
const HTTP_REQUEST = "ERR_SSL_HTTP_REQUEST";
const HTTP_GRACE_MS = 1_000;
const NO_RPC_PORT =
  "This is the port for SDKs (channel protocol over TLS), not the JSON-RPC port. JSON-RPC over " +
  "HTTP and WebSocket is at jsonrpc_listen_port of section rpc in config.ini, and on the first " +
  "screen of chain-node dev; chain-node status lists both ports.\n";

/** Answers plain HTTP in plain HTTP. @returns whether it was */
export function answeredHttp(cause: Error & { readonly code?: string }, below?: Socket): boolean {
  if (cause.code !== HTTP_REQUEST) return false;
  if (!below?.writable) return true;
  below.end(httpText("400 Bad Request", NO_RPC_PORT));
  const timer = setTimeout(() => below.destroy(), HTTP_GRACE_MS);
  below.once("close", () => clearTimeout(timer));
  return true;
}
