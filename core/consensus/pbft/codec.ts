/** Messages as bytes, and the digests that are signed. Source: pbft 16.1 */
import { idBytes } from "../../bytes/hex.ts";
import { encodeRlp, openRlpList, type RlpInput, type RlpReader } from "../../bytes/rlp.ts";
import type { CryptoSuite } from "../../crypto/suite.ts";
import { unreachable } from "../../fault/invariant.ts";
import {
  type CertificateEntry,
  type Lock,
  type LockClaim,
  type Message,
  type SignedContent,
  UNVERIFIED,
  type ViewChange,
} from "./message.ts";
import type { Signer } from "./state.ts";

/** Larger messages are refused unread: a thousand sealers' justification is far smaller. */
export const MAX_MESSAGE_BYTES = 1024 * 1024;
/** Keeps these signatures apart from every other use of the key. */
const DOMAIN = Uint8Array.from("chain-node/pbft/1", (character) => character.charCodeAt(0));
/** Type numbers, on the wire and in digests. */
const TYPES = ["prepare", "sign", "commit", "viewChange", "status", "viewCertificate"] as const;
const MAX_INDEX = 65_535;

/** What binds messages to one group of one chain. */
export interface CodecOptions {
  readonly suite: Pick<CryptoSuite, "hash" | "signatureBytes">;
  readonly chainId: number;
  readonly groupId: number;
}

/** Reads and writes messages of one group. */
export interface PbftCodec {
  encode(message: Message): Uint8Array;
  /** The message, its signers {@link UNVERIFIED}; undefined when the bytes are not one. */
  decode(bytes: Uint8Array): Message | undefined;
  /** The 32 bytes that are signed: of a seal the block hash, else what no block hash equals. */
  digestOf(content: SignedContent): Uint8Array;
}

/** Creates the codec of a group. */
export function createCodec(options: CodecOptions): PbftCodec {
  const { signatureBytes } = options.suite;
  return {
    encode: (message) => encodeRlp(itemsOf(message)),
    decode: (bytes) => decode(bytes, signatureBytes),
    digestOf: (content) => digestOf(content, options),
  };
}

/** Signs with a private key what the core says. */
export function createSigner(
  codec: PbftCodec,
  suite: Pick<CryptoSuite, "sign">,
  privateKey: Uint8Array,
): Signer {
  return { sign: (content) => suite.sign(codec.digestOf(content), privateKey) };
}

/** H(RLP([domain, type, chainId, groupId, height, view, idx, H(body)])). Source: pbft 16.1 */
function digestOf(content: SignedContent, options: CodecOptions): Uint8Array {
  if (content.type === "seal") return idBytes(content.executed);
  const { suite, chainId, groupId } = options;
  const { height, view, index } = content;
  const body = suite.hash(encodeRlp(bodyOf(content)));
  const type = TYPES.indexOf(content.type);
  return suite.hash(encodeRlp([DOMAIN, type, chainId, groupId, height, view, index, body]));
}

/** What is signed besides the place. Justifications and certificates prove themselves. */
function bodyOf(content: Exclude<SignedContent, { type: "seal" }>): RlpInput[] {
  switch (content.type) {
    case "prepare":
      return [idBytes(content.proposal)];
    case "sign":
      return [idBytes(content.proposal), idBytes(content.executed)];
    case "commit":
      return [idBytes(content.proposal), idBytes(content.executed), content.seal];
    case "viewChange":
      return [idBytes(content.head), content.lock ? claimItems(content.lock) : []];
    case "status":
      return [idBytes(content.head), content.toView];
    default:
      return unreachable(content);
  }
}

function claimItems({ view, proposal, executed }: LockClaim): RlpInput[] {
  return [view, idBytes(proposal), idBytes(executed)];
}

function itemsOf(message: Message): RlpInput {
  const { height, view } = message;
  const type = TYPES.indexOf(message.type);
  if (message.type === "viewCertificate") {
    return [type, height, view, justificationItems(message.justification)];
  }
  const place = [type, height, view, message.index, message.signature];
  switch (message.type) {
    case "prepare":
      return [...place, ...bodyOf(message), justificationItems(message.justification)];
    case "viewChange":
      return [...place, idBytes(message.head), lockItems(message.lock)];
    default:
      return [...place, ...bodyOf(message)];
  }
}

/** A lock with its certificate; the empty list for none. */
export function lockItems(lock: Lock | undefined): RlpInput[] {
  if (!lock) return [];
  return [...claimItems(lock), lock.certificate.map(({ index, signature }) => [index, signature])];
}

/** View changes of one height, view and head, which are written once; the empty list for none. */
export function justificationItems(justification: readonly ViewChange[]): RlpInput[] {
  const [first] = justification;
  if (!first) return [];
  const items = justification.map(({ index, signature, lock }) => [
    index,
    signature,
    lockItems(lock),
  ]);
  return [idBytes(first.head), items];
}

function decode(bytes: Uint8Array, signatureBytes: number): Message | undefined {
  if (bytes.length > MAX_MESSAGE_BYTES) return undefined;
  const items = openRlpList(bytes);
  if (!items) return undefined;
  const message = readMessage(items, signatureBytes);
  return items.complete() ? message : undefined;
}

function readMessage(items: RlpReader, signatureBytes: number): Message | undefined {
  const type = TYPES[items.safe()];
  const height = items.safe();
  const view = items.safe();
  if (type === "viewCertificate") {
    const place = { height, view, signatureBytes };
    return { type, height, view, justification: readJustification(items, place) };
  }
  const index = readIndex(items);
  const signature = items.fixed(signatureBytes);
  const signed = { height, view, index, signature, signer: UNVERIFIED };
  switch (type) {
    case "prepare": {
      const proposal = items.hash();
      if (height === 0) return undefined;
      const place = { height: height - 1, view, signatureBytes };
      return { type, ...signed, proposal, justification: readJustification(items, place) };
    }
    case "sign":
      return { type, ...signed, proposal: items.hash(), executed: items.hash() };
    case "commit": {
      const hashes = { proposal: items.hash(), executed: items.hash() };
      const seal = items.fixed(signatureBytes);
      return { type, ...signed, ...hashes, seal, sealSigner: UNVERIFIED };
    }
    case "viewChange":
      return { type, ...signed, head: items.hash(), lock: readLock(items, signatureBytes) };
    case "status":
      return { type, ...signed, head: items.hash(), toView: items.safe() };
    default:
      return undefined;
  }
}

function readIndex(items: RlpReader): number {
  const index = items.safe();
  if (index > MAX_INDEX) items.fail();
  return index;
}

/** The next item as a lock or none, its signers unverified. */
export function readLock(items: RlpReader, signatureBytes: number): Lock | undefined {
  return items.optional((lock) => {
    const claim = { view: lock.safe(), proposal: lock.hash(), executed: lock.hash() };
    const entries = lock.list();
    const certificate = entries.all((item): CertificateEntry => {
      const entry = item.list();
      const index = readIndex(entry);
      const signature = entry.fixed(signatureBytes);
      if (!entry.complete()) item.fail();
      return { index, signature, signer: UNVERIFIED };
    });
    if (!entries.complete()) lock.fail();
    return { ...claim, certificate };
  });
}

/** Where the view changes of a justification belong. */
interface JustifiedPlace {
  readonly height: number;
  readonly view: number;
  readonly signatureBytes: number;
}

/** The next item as a justification, its signers unverified. */
export function readJustification(items: RlpReader, place: JustifiedPlace): ViewChange[] {
  const { height, view, signatureBytes } = place;
  const read = items.optional((outer) => {
    const head = outer.hash();
    const list = outer.list();
    const justification = list.all((item): ViewChange => {
      const parts = item.list();
      const index = readIndex(parts);
      const signature = parts.fixed(signatureBytes);
      const lock = readLock(parts, signatureBytes);
      if (!parts.complete()) item.fail();
      return { type: "viewChange", height, view, index, signature, signer: UNVERIFIED, head, lock };
    });
    if (!list.complete() || justification.length === 0) outer.fail();
    return justification;
  });
  return read ?? [];
}
