/** Why a channel port is not reached, in words that say what to do. Source: console 1 */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { connect as connectTcp } from "node:net";
import { dirname } from "node:path";
import { connect as connectTls, type TLSSocket } from "node:tls";
import type { CertificatePaths, Endpoint } from "../config.ts";
import { oneLine } from "../foreign-text.ts";

/** Texts of the three files, in PEM. */
export interface CertificateTexts {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** What is tried to be reached, and with what. */
export interface ChannelAttempt {
  readonly endpoint: Endpoint;
  readonly paths: CertificatePaths;
  readonly texts: CertificateTexts;
}

/** How long TCP, and then TLS, may take until a port counts as silent. */
const PROBE_MS = 5_000;
/** How long an alert may follow a handshake. */
const LAST_WORD_MS = 1_000;
/** As clients of the channel port offer them. Source: channel-protocol 2.2 */
const CURVES = "secp256k1:X25519:P-256";
const FINGERPRINT_CHARACTERS = 23;

/** Whether TCP connects: undefined when it does, otherwise the reason in the system's words. */
export function tcpProblem({ host, port }: Endpoint): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connectTcp({ host, port });
    const done = (problem: string | undefined): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(problem);
    };
    const timer = setTimeout(() => done("ETIMEDOUT"), PROBE_MS);
    socket.once("connect", () => done(undefined));
    socket.once("error", (cause: NodeJS.ErrnoException) => done(cause.code ?? cause.message));
  });
}

const TCP_WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ETIMEDOUT: "the host does not answer: a firewall, or a wrong address",
  EHOSTUNREACH: "there is no way to the host",
  ENETUNREACH: "there is no way to the network of the host",
  ENOTFOUND: "the name of the host is not known",
  EAI_AGAIN: "the name of the host cannot be looked up now",
};

/** The sentence about a port that TCP does not reach. */
export function closedPort({ text }: Endpoint, problem: string): string {
  const why = TCP_WORDS[problem] ?? problem;
  return (
    `${text}: TCP does not connect: ${why} (${problem}). Start the node, and see that ` +
    "network.peers of config.toml names its channel_listen_port."
  );
}

/** What a port shows of itself while TLS begins. */
interface Shown {
  readonly certificate: X509Certificate | undefined;
  readonly problem: string;
}

/** The certificate is there before either side refuses the other. */
function shownBy({ endpoint, texts }: ChannelAttempt): Promise<Shown> {
  return new Promise((resolve) => {
    let certificate: X509Certificate | undefined;
    let socket: TLSSocket | undefined;
    const look = (): void => {
      certificate ??= socket?.getPeerX509Certificate();
    };
    const done = (problem: string): void => {
      clearTimeout(timer);
      socket?.destroy();
      resolve({ certificate, problem });
    };
    let timer = setTimeout(() => done("no answer"), PROBE_MS);
    try {
      socket = connectTls({
        host: endpoint.host,
        port: endpoint.port,
        ...texts,
        rejectUnauthorized: false,
        minVersion: "TLSv1.2",
        maxVersion: "TLSv1.2",
        ecdhCurve: CURVES,
      });
    } catch (cause) {
      return done(cause instanceof Error ? cause.message : String(cause));
    }
    socket.once("keylog", look);
    socket.once("secureConnect", () => {
      look();
      // A node that turns somebody away says so right after the handshake.
      clearTimeout(timer);
      timer = setTimeout(() => done(""), LAST_WORD_MS);
    });
    socket.once("error", (cause) => done(cause.message));
    socket.once("close", () => done("the node closed the connection"));
  });
}

/** The name of the alert in what TLS says; undefined when the other side gave none. */
function alertOf(problem: string): string | undefined {
  return /alert ([a-z ]+)/i.exec(problem)?.[1]?.trim();
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

/** What can be read of a certificate: undefined when it cannot. */
function certificateOf(text: string): X509Certificate | undefined {
  try {
    return new X509Certificate(text);
  } catch {
    return undefined;
  }
}

/** A name of a certificate, whose parts come one per line. */
function nameLine(name: string): string {
  return oneLine(name.trim().replaceAll("\n", ", "));
}

function fingerprint(certificate: X509Certificate): string {
  return certificate.fingerprint256.slice(0, FINGERPRINT_CHARACTERS);
}

/** All certificates of a text. */
function certificatesOf(text: string): readonly X509Certificate[] {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? [];
  return blocks.map(certificateOf).filter((found) => found !== undefined);
}

/** Whether one of these, directly or through the others, leads to an authority. */
function leadsTo(chain: readonly X509Certificate[], ca: X509Certificate): boolean {
  return chain.some((certificate) => certificate.verify(ca.publicKey));
}

/** What is wrong with the three files before a node has seen them. */
function fileProblem({ paths, texts }: ChannelAttempt): string | undefined {
  const folder = dirname(paths.cert);
  const again = `Copy ca.crt, sdk.crt and sdk.key from one sdk folder into ${folder}.`;
  const ca = certificateOf(texts.ca);
  if (ca === undefined) return `${paths.ca} holds no certificate. ${again}`;
  const own = certificatesOf(texts.cert);
  const [leaf] = own;
  if (leaf === undefined) return `${paths.cert} holds no certificate. ${again}`;
  try {
    if (!leaf.checkPrivateKey(createPrivateKey(texts.key)))
      return `${paths.key} is not the key of ${paths.cert}. ${again}`;
  } catch {
    return `${paths.key} holds no private key. ${again}`;
  }
  if (Date.parse(leaf.validTo) < Date.now())
    return (
      `${paths.cert} has expired (${leaf.validTo}). Its agency makes a new one: ` +
      "chain-node cert renew, or gen_sdk_cert of the tool."
    );
  if (!leadsTo(own, ca))
    return `${paths.cert} was not issued under ${paths.ca}: they are of two chains. ${again}`;
  return undefined;
}

/**
 * Why TLS to a channel port failed: alert, issuer of the SDK's certificate, issuer of the node's,
 * and which files to copy.
 * @param cause what the connection ended with
 */
export async function tlsProblem(attempt: ChannelAttempt, cause: unknown): Promise<string> {
  const { endpoint, paths, texts } = attempt;
  const files = fileProblem(attempt);
  if (files !== undefined) return `${endpoint.text}: ${files}`;
  const { certificate, problem } = await shownBy(attempt);
  const told = `${messageOf(cause)} ${problem}`;
  if (certificate === undefined)
    return (
      `${endpoint.text}: TCP connects, but what listens there does not speak TLS as a channel ` +
      `port does (${problem}). network.peers of config.toml wants the channel_listen_port of ` +
      "the node; the port of JSON-RPC is given with --url http://..."
    );
  const alert = alertOf(told);
  const ca = certificateOf(texts.ca);
  const [own, agency] = certificatesOf(texts.cert);
  const isOtherChain = ca !== undefined && !isIssuedUnder(certificate, ca, texts);
  // TLS is well: the port did not do what it was asked for.
  if (!isOtherChain && alert === undefined && problem === "")
    return `${endpoint.text}: ${oneLine(messageOf(cause))}.`;
  const above = certificate.issuerCertificate;
  const verdict = isOtherChain
    ? `the node is of another chain than ${paths.ca}`
    : alert === undefined
      ? nameLine(problem)
      : "the node does not accept the SDK certificate: it is of another agency";
  return [
    `${endpoint.text}: TCP connects, TLS does not: ${verdict}.`,
    `  TLS alert: ${alert ?? "none"}`,
    `  SDK certificate ${paths.cert}: issued by ${issuerText(own, agency)}`,
    `  certificate of the node: issued by ${issuerText(certificate, above)}`,
    `  ${paths.ca}: ${nameText(ca)}`,
    `Copy ca.crt, sdk.crt and sdk.key from the folder sdk of the node's agency into ` +
      `${dirname(paths.cert)}.`,
  ].join("\n");
}

/** By the chain's key, or by that of an agency which the SDK's file shows. */
function isIssuedUnder(
  certificate: X509Certificate,
  ca: X509Certificate,
  { cert }: CertificateTexts,
): boolean {
  const [, ...agencies] = certificatesOf(cert);
  const above = certificate.issuerCertificate;
  const chain = above === undefined ? [certificate] : [certificate, above];
  if (leadsTo(chain, ca)) return true;
  return agencies.some(
    (agency) => agency.verify(ca.publicKey) && certificate.verify(agency.publicKey),
  );
}

function nameText(ca: X509Certificate | undefined): string {
  return ca === undefined ? "unreadable" : `${nameLine(ca.subject)}, SHA-256 ${fingerprint(ca)}...`;
}

function issuerText(
  certificate: X509Certificate | undefined,
  above: X509Certificate | undefined,
): string {
  if (certificate === undefined) return "nobody that can be read";
  const print = above === undefined ? "" : `, SHA-256 ${fingerprint(above)}...`;
  return `${nameLine(certificate.issuer)}${print}`;
}
