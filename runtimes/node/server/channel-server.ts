/**
 * The TLS server of the SDK port: connections in, frames out one write at a time; what they mean is
 * the service's. Source: channel-protocol 2.1-3
 */
import { constants, X509Certificate } from "node:crypto";
import { createServer, type Socket } from "node:net";
import { createServer as createTlsServer, DEFAULT_CIPHERS, type TLSSocket } from "node:tls";
import type { ChannelService } from "../../../core/node/channel/channel-service.ts";
import type { ChannelLine } from "../../../core/node/channel/channel-session.ts";
import { LogOnce } from "../../../core/limits/log-throttle.ts";
import { AskingConnection } from "../../../core/limits/asking-connection.ts";
import { clientOf } from "../../../core/limits/client-address.ts";
import type { Pace } from "../../../core/limits/pace.ts";
import type { Log } from "../../../core/ports/log.ts";
import type { ChannelFiles } from "../../folder/channel-files.ts";
import { roleOf } from "../../formats/certificates/certificate-chain.ts";
import { constrainsToLeaf } from "../../formats/certificates/leaf-constraint.ts";
import {
  answeredHttp,
  certificateRefusal,
  type Refusal,
  RefusalLog,
  sendAlert,
} from "./channel-refusal.ts";
import { FrameWriter } from "./frame-writer.ts";
import { createNodeClock } from "../machine/clock.ts";
import { Handshakes, remoteOf } from "../machine/handshakes.ts";
import { HandshakeRounds } from "./handshake-rounds.ts";
import { listen, type ListenAddress } from "./http-server.ts";
import { PacedReading } from "./paced-reading.ts";

interface ChannelServerOptions {
  readonly service: ChannelService;
  /** Asked after each read of some length. */
  readonly pace?: Pace;
  readonly address: ListenAddress;
  readonly files: ChannelFiles;
  /** `network_security.check_cert_issuer`. */
  readonly checkIssuer: boolean;
  readonly log: Log;
}

/** A port that listens. */
export interface ChannelServer {
  readonly host: string;
  /** The port it is bound to. */
  readonly port: number;
  /** Takes no connection any more, answers what runs, ends all sessions. */
  close(): Promise<void>;
}

/** Source: channel-protocol 11 */
const HANDSHAKE_MS = 10_000;
/** TCP ends at the latest so long after close_notify. Source: channel-protocol 2.1 */
const SHUTDOWN_GRACE_MS = 30_000;
/** When the whole port closes, clients that do not end their side are cut sooner. */
const CLOSE_GRACE_MS = 1_000;
/** Hex digits of the identity that a secp256k1 key gives. */
const SDK_ID_DIGITS = 128;
const TOO_MANY = "connections to the SDK port are cut: too many shake hands";

/**
 * With secp256k1 certificates exactly this group, as clients offer it. With RSA certificates others
 * too: clients that know only secp256k1 get it, all others what they know.
 * Source: channel-protocol 2.2, 2.2.1
 */
const GROUPS = { secp256k1: "secp256k1", rsa: "secp256k1:X25519:prime256v1:secp384r1" } as const;
/** Static RSA next to the usual suites. Source: channel-protocol 2.2.1 */
const RSA_CIPHERS = `${DEFAULT_CIPHERS}:AES256-GCM-SHA384:AES128-GCM-SHA256`;

function tlsOptions({ ca, cert, key, kind }: ChannelFiles) {
  return {
    ca,
    cert,
    key,
    minVersion: "TLSv1.2",
    // TLS 1.3 cannot carry secp256k1 certificates.
    maxVersion: "TLSv1.2",
    ecdhCurve: GROUPS[kind],
    ...(kind === "rsa" ? { ciphers: RSA_CIPHERS } : {}),
    requestCert: true,
    // Who is not authorized is turned away below, with a reason. Node.js would give none.
    rejectUnauthorized: false,
    handshakeTimeout: HANDSHAKE_MS,
    // A caller that ends its side is done: what was to be sent is dropped. Source: RFC 5246 7.2.1
    allowHalfOpen: false,
    secureOptions: constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_RENEGOTIATION,
  } as const;
}

/** 128 hex digits of an EC key; empty for RSA. Source: channel-protocol 2.2 (SDK identity) */
export function sdkIdOf(certificate: X509Certificate): string {
  if (certificate.publicKey.asymmetricKeyType !== "ec") return "";
  const { x = "", y = "" } = certificate.publicKey.export({ format: "jwk" });
  return Buffer.concat([Buffer.from(x, "base64url"), Buffer.from(y, "base64url")]).toString("hex");
}

/** Source: channel-protocol 2.2 (additional check) */
function isOfOtherIssuer(client: X509Certificate, own: X509Certificate): boolean {
  return constrainsToLeaf(client.raw) && client.issuer !== own.issuer;
}

/** A connection as the service sees it. */
function lineOf(
  socket: TLSSocket,
  sdkId: string,
  { reading, pace }: { readonly reading: PacedReading; readonly pace: Pace },
): ChannelLine {
  const writer = new FrameWriter(socket, pace);
  let ending = false;
  return {
    sdkId,
    remote: remoteOf(socket),
    write: (...frame) => writer.write(...frame),
    writeLong: (...frame) => writer.writeLong(...frame),
    pause: () => reading.pause(),
    resume: () => reading.resume(),
    end() {
      if (ending) return;
      ending = true;
      writer.whenEmpty(() => socket.end());
      // What still arrives is dropped, so that the client's own close is seen.
      socket.removeAllListeners("data");
      reading.end();
      const timer = setTimeout(() => socket.destroy(), SHUTDOWN_GRACE_MS);
      timer.unref();
      socket.once("close", () => clearTimeout(timer));
    },
    destroy: () => void socket.destroy(),
  };
}

/** The sockets of a server. A class because it owns them. */
class Connections {
  readonly #options: ChannelServerOptions;
  readonly #own: X509Certificate;
  readonly #all = new Set<Socket>();
  readonly #handshakes: Handshakes;
  readonly #refusals: RefusalLog;
  readonly #withoutRole = new LogOnce<string>();

  constructor(options: ChannelServerOptions) {
    this.#options = options;
    this.#own = new X509Certificate(options.files.cert);
    const clock = createNodeClock();
    this.#handshakes = new Handshakes(options.log, clock, { warning: TOO_MANY });
    this.#refusals = new RefusalLog(options.log, clock);
  }

  /** Every TCP connection, also before its handshake. */
  accept(socket: Socket): void {
    this.#all.add(socket);
    socket.setNoDelay(true);
    socket.once("close", () => this.#all.delete(socket));
    this.#handshakes.begin(socket);
  }

  /** The handshake is over but for our last word. */
  admit(socket: TLSSocket): void {
    // A client that hangs up is no failure of ours.
    socket.on("error", () => undefined);
    const remote = remoteOf(socket);
    const below = this.#handshakes.end(remote);
    const found = certificateRefusal(socket) ?? this.#identify(socket);
    if (typeof found !== "string") {
      this.#refusals.tell(remote, found);
      sendAlert(below, found.alert);
      return void socket.destroy();
    }
    const asker = new AskingConnection(clientOf(socket.remoteAddress ?? ""));
    const pace: Pace = () => this.#options.pace?.(asker);
    const reading = new PacedReading(socket, pace);
    const line = this.#options.service.open(lineOf(socket, found, { reading, pace }));
    if (!line) return;
    // A Buffer's methods differ: what is copied of it would keep all that came with it.
    socket.on("data", ({ buffer, byteOffset, byteLength }: Buffer) => {
      line.received(new Uint8Array(buffer, byteOffset, byteLength));
      reading.took(byteLength);
    });
    socket.once("close", () => {
      asker.leave();
      line.closed();
    });
  }

  /** The handshake broke. */
  fail(cause: Error, socket: TLSSocket): void {
    const remote = remoteOf(socket);
    if (answeredHttp(cause, this.#handshakes.end(remote))) {
      const message = "the port for SDKs was taken for that of JSON-RPC";
      return this.#refusals.tell(remote, { level: "info", message, fields: {} });
    }
    const fields = { remote, cause: cause.message.trim() };
    this.#options.log.write("debug", "the handshake with an SDK failed", fields);
    socket.destroy();
  }

  /** The identity of who may come in. Source: channel-protocol 2.2 */
  #identify(socket: TLSSocket): string | Refusal {
    try {
      return this.#identityOf(socket);
    } catch (cause) {
      // Chains sign odd certificates too; what cannot be read of one is nobody's key.
      const reason = cause instanceof Error ? cause.message : String(cause);
      const message = "an SDK's certificate cannot be read";
      return { alert: "badCertificate", level: "warning", message, fields: { cause: reason } };
    }
  }

  #identityOf(socket: TLSSocket): string | Refusal {
    const { checkIssuer, files } = this.#options;
    const client = socket.getPeerX509Certificate();
    if (client) this.#warnWithoutRole(client, remoteOf(socket));
    const level = "warning";
    if (client && checkIssuer && isOfOtherIssuer(client, this.#own)) {
      const fields = { issuer: client.issuer.replaceAll("\n", " ") };
      const message = "an SDK of another agency is turned away";
      return { alert: "accessDenied", level, message, fields };
    }
    const sdkId = client ? sdkIdOf(client) : "";
    if (files.kind === "rsa" || sdkId.length === SDK_ID_DIGITS) return sdkId;
    // The lists of groups let in a caller that has no identity, which is meant for RSA ports alone.
    const fields = { type: client?.publicKey.asymmetricKeyType ?? "" };
    const message = "an SDK with another kind of key is turned away";
    return { alert: "unsupportedCertificate", level, message, fields };
  }

  /** Source: decision 29 */
  #warnWithoutRole({ subject, fingerprint256 }: X509Certificate, remote: string): void {
    const units = [...subject.matchAll(/^OU=(.*)$/gm)].map(([, unit = ""]) => unit);
    if (roleOf(units) !== "none" || !this.#withoutRole.allows(fingerprint256)) return;
    const fields = { remote, subject: subject.replaceAll("\n", " ") };
    this.#options.log.write("warning", "an SDK's certificate does not say what it is for", fields);
  }

  async end(): Promise<void> {
    const deadline = Date.now() + CLOSE_GRACE_MS;
    while (this.#all.size > 0 && Date.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 20));
    for (const socket of this.#all) socket.destroy();
  }
}

/** Opens the port. @throws ListenFault when the address cannot be listened on */
export async function serveChannel(options: ChannelServerOptions): Promise<ChannelServer> {
  const { service, address, files, log } = options;
  const connections = new Connections(options);
  // It listens to nothing itself: it is given connections a few at a time.
  const tls = createTlsServer(tlsOptions(files), (socket) => connections.admit(socket));
  tls.on("tlsClientError", (cause, socket) => connections.fail(cause, socket));
  const rounds = new HandshakeRounds((socket) => void tls.emit("connection", socket));
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    // One that hangs up while it waits is no failure of ours.
    socket.on("error", () => undefined);
    connections.accept(socket);
    rounds.add(socket);
  });
  const port = await listen(server, address);
  server.on("error", (cause) => {
    log.write("error", "the SDK port has a fault", { cause: cause.message });
  });
  service.listening();
  let closing: Promise<void> | undefined;
  const close = async () => {
    const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
    await service.drain();
    await connections.end();
    await closed;
  };
  return {
    host: address.host,
    port,
    close() {
      closing ??= close();
      return closing;
    },
  };
}
