/**
 * Certificates of libp2p's TLS: a key pair that lives as long as the process, and an extension in
 * which the node's key says that it is its own. Nothing else of such a certificate counts.
 * The rules are "Peer Authentication" in tls/tls.md of the libp2p specifications.
 */
import {
  createPrivateKey,
  generateKeyPairSync,
  randomBytes,
  sign,
  X509Certificate,
} from "node:crypto";
import { publicKeyFromProtobuf, publicKeyToProtobuf } from "@libp2p/crypto/keys";
import type { PeerId, PrivateKey } from "@libp2p/interface";
import { peerIdFromPublicKey } from "@libp2p/peer-id";
import { concatBytes, equalBytes } from "../../../core/bytes/bytes.ts";
import { hexBytes } from "../../../core/bytes/hex.ts";
import { derElement } from "../../formats/certificates/parsed-certificate.ts";

const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  sequence: 0x30,
  utcTime: 0x17,
  generalizedTime: 0x18,
  version: 0xa0,
  extensions: 0xa3,
} as const;

/** 1.3.6.1.4.1.53594.1.1, whole. */
const EXTENSION_ID = hexBytes("060a2b0601040183a25a0101");
/** ECDSA with SHA-256, whole. */
const ECDSA_WITH_SHA256 = hexBytes("300a06082a8648ce3d040302");
const PREFIX = new TextEncoder().encode("libp2p-tls-handshake:");
const CURVE = "P-256";
const SERIAL_BYTES = 8;
/**
 * The key is as old as the process, but who began when is nobody's business here: a clock that is
 * hours off must not cut a node off, which could then not be told so. Two digits of the year.
 */
const BEGINNING = "700101000000Z";
/** In DER: what has no end. Source: RFC 5280 4.1.2.5 */
const NO_END = "99991231235959Z";
/** Certificates of peers that were found good: each is shown at every connection. */
const MAX_KNOWN = 64;

/** A certificate of a peer is not what libp2p asks for. */
function refused(reason: string): DOMException {
  return new DOMException(`the peer's TLS certificate ${reason}`, "NotAllowedError");
}

function time(tag: number, text: string): Uint8Array {
  return derElement(tag, new TextEncoder().encode(text));
}

/** Makes the certificate that a node shows as long as its process runs; key and it in PEM. */
export async function createTlsIdentity(privateKey: PrivateKey) {
  const pair = generateKeyPairSync("ec", {
    namedCurve: CURVE,
    publicKeyEncoding: { type: "spki", format: "der" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const spki = new Uint8Array(pair.publicKey);
  const proof = await privateKey.sign(concatBytes(PREFIX, spki));
  const keyAndProof = derElement(
    TAG.sequence,
    derElement(TAG.octets, publicKeyToProtobuf(privateKey.publicKey)),
    derElement(TAG.octets, proof),
  );
  const critical = derElement(TAG.boolean, Uint8Array.of(0xff));
  const extension = derElement(
    TAG.sequence,
    EXTENSION_ID,
    critical,
    derElement(TAG.octets, keyAndProof),
  );
  const serial = randomBytes(SERIAL_BYTES);
  // Positive, and without a leading zero.
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40;
  const nobody = derElement(TAG.sequence);
  const signed = derElement(
    TAG.sequence,
    derElement(TAG.version, derElement(TAG.integer, Uint8Array.of(2))),
    derElement(TAG.integer, serial),
    ECDSA_WITH_SHA256,
    nobody,
    derElement(TAG.sequence, time(TAG.utcTime, BEGINNING), time(TAG.generalizedTime, NO_END)),
    nobody,
    spki,
    derElement(TAG.extensions, derElement(TAG.sequence, extension)),
  );
  const key = createPrivateKey(pair.privateKey);
  const signature = derElement(TAG.bits, Uint8Array.of(0), sign("sha256", signed, key));
  const cert = derElement(TAG.sequence, signed, ECDSA_WITH_SHA256, signature);
  return { key: pair.privateKey, cert: new X509Certificate(cert).toString() };
}

/** One DER element: its tag, its content, and all of it. */
interface Element {
  readonly tag: number;
  readonly content: Uint8Array;
  readonly whole: Uint8Array;
}

/** The elements that bytes consist of; of what OpenSSL has read already. */
function elementsOf(bytes: Uint8Array): readonly Element[] {
  const found: Element[] = [];
  for (let at = 0; at < bytes.length; ) {
    const [tag = 0, first = 0] = bytes.subarray(at, at + 2);
    const sizeBytes = first < 0x80 ? 0 : first & 0x7f;
    if (sizeBytes > 2 || first === 0x80) throw refused("has a length that is none");
    const from = at + 2 + sizeBytes;
    const long = bytes.subarray(at + 2, from).reduce((sum, byte) => sum * 256 + byte, 0);
    const end = from + (first < 0x80 ? first : long);
    if (end > bytes.length) throw refused("ends too early");
    const [content, whole] = [bytes.subarray(from, end), bytes.subarray(at, end)];
    found.push({ tag, content, whole });
    at = end;
  }
  return found;
}

function partsOf(part: Element | undefined, tag: number): readonly Element[] {
  if (part?.tag !== tag) throw refused("has parts in another order");
  return elementsOf(part.content);
}

/**
 * What the one extension that is known here holds. Of others none may be critical: a node that
 * marks one asks to be refused where it is not understood.
 */
function valueIn(extensions: readonly Element[]): Element | undefined {
  const read = extensions.map((extension) => partsOf(extension, TAG.sequence));
  const isOwn = ([id]: readonly Element[]) =>
    id !== undefined && equalBytes(id.whole, EXTENSION_ID);
  const [own, ...more] = read.filter(isOwn);
  if (!own) throw refused("has no extension with the key of a peer");
  if (more.length > 0) throw refused("has more than one key of a peer");
  if (read.some((parts) => !isOwn(parts) && isCritical(parts)))
    throw refused("has a critical extension that nobody knows here");
  return own.at(-1);
}

function isCritical([, mark]: readonly Element[]): boolean {
  return mark?.tag === TAG.boolean && mark.content.some((byte) => byte !== 0);
}

/** What counts of a certificate; the key of the node is as libp2p writes it. */
function shownBy(raw: Uint8Array) {
  const [certificate] = elementsOf(raw);
  const [signed] = partsOf(certificate, TAG.sequence);
  const [, , , issuer, , subject, spki, ...rest] = partsOf(signed, TAG.sequence);
  if (!issuer || !subject || !spki) throw refused("is not whole");
  const extensions = rest.find(({ tag }) => tag === TAG.extensions);
  const [list] = partsOf(extensions, TAG.extensions);
  const value = valueIn(partsOf(list, TAG.sequence));
  const [keyAndProof] = partsOf(value, TAG.octets);
  const [peerKey, proof] = partsOf(keyAndProof, TAG.sequence);
  if (peerKey?.tag !== TAG.octets || proof?.tag !== TAG.octets)
    throw refused("holds no key of a peer with its proof");
  return {
    issuer: issuer.whole,
    subject: subject.whole,
    spki: spki.whole,
    peerKey: peerKey.content,
    proof: proof.content,
  };
}

/** Judges certificates of peers; a class because it remembers those that it found good. */
export class TlsJudge {
  readonly #known = new Map<string, PeerId>();

  /**
   * Whose certificate it is.
   * @param raw in DER, as the handshake had it
   * @param now milliseconds since 1970
   * @throws DOMException when it is none that libp2p takes
   */
  async peerOf(raw: Uint8Array, now: number): Promise<PeerId> {
    const certificate = new X509Certificate(raw);
    // Of a time that cannot be read neither holds.
    if (!(Date.parse(certificate.validFrom) <= now)) throw refused(earlyText(certificate, now));
    if (!(Date.parse(certificate.validTo) >= now)) throw refused("has expired");
    const known = this.#known.get(certificate.fingerprint512);
    if (known) return known;
    const peer = await peerIn(certificate);
    const [oldest] = this.#known.keys();
    if (oldest !== undefined && this.#known.size >= MAX_KNOWN) this.#known.delete(oldest);
    this.#known.set(certificate.fingerprint512, peer);
    return peer;
  }
}

/** Certificates of older versions begin with their process: one of the clocks is wrong. */
function earlyText({ validFrom }: X509Certificate, now: number): string {
  const seconds = Math.ceil((Date.parse(validFrom) - now) / 1_000);
  const text = "is not valid yet";
  if (Number.isNaN(seconds)) return text;
  return `${text} for ${seconds} s by this host's clock: set the clocks of both hosts by NTP`;
}

async function peerIn(certificate: X509Certificate): Promise<PeerId> {
  const { issuer, subject, spki, peerKey, proof } = shownBy(new Uint8Array(certificate.raw));
  if (!equalBytes(issuer, subject) || !certificate.verify(certificate.publicKey))
    throw refused("is not signed by itself");
  const key = publicKeyFromProtobuf(peerKey);
  if (!(await key.verify(concatBytes(PREFIX, spki), proof)))
    throw refused("is not of the key that it names");
  return peerIdFromPublicKey(key);
}
