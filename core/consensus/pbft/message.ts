/** Messages between sealers, what is signed, what must be verified first. Source: pbft 16.1 */
import type { Hash, NodeId, SealerIndex } from "../../bytes/ids.ts";

/** Who speaks about which round. The index counts in the sealer list in force at that height. */
interface Place {
  readonly height: number;
  readonly view: number;
  readonly index: SealerIndex;
}

/** A signature of the envelope and who made it. */
interface Authorship {
  readonly signature: Uint8Array;
  /** Recovered from the signature by the shell; {@link UNVERIFIED} until then. */
  readonly signer: NodeId;
}

/** Signer of a message that was decoded but not verified: equal to no sealer. */
export const UNVERIFIED = "" as NodeId;

/** What the leader signs: the proposal by R, the hash of its unexecuted header. */
export interface PrepareContent extends Place {
  readonly type: "prepare";
  readonly proposal: Hash;
}

/** What a sign vote says: executing R gives E. */
export interface SignContent extends Place, ExecutedClaim {
  readonly type: "sign";
}

/** What a commit vote says; its seal is covered by the envelope. */
export interface CommitContent extends Place, ExecutedClaim {
  readonly type: "commit";
  /** Signature of the bare 32 bytes of E: one entry of the block's signature list. */
  readonly seal: Uint8Array;
}

/** E as somebody found it for R. */
export interface ExecutedClaim {
  readonly proposal: Hash;
  readonly executed: Hash;
}

/** The part of a lock that its owner signs; the certificate speaks for itself. */
export interface LockClaim extends ExecutedClaim {
  readonly view: number;
}

/** A view change: the sender at committed height `height` wants `view`, holding this lock. */
export interface ViewChangeContent extends Place {
  readonly type: "viewChange";
  /** Hash of the block at the committed height. */
  readonly head: Hash;
  readonly lock: LockClaim | undefined;
}

/** Where a node stands: committed height, its view, the view it tries. Not a vote. */
export interface StatusContent extends Place {
  readonly type: "status";
  readonly head: Hash;
  readonly toView: number;
}

/** Everything a sealer signs. */
export type SignedContent =
  | PrepareContent
  | SignContent
  | CommitContent
  | ViewChangeContent
  | StatusContent
  /** What a seal says: the bare block hash. */
  | { readonly type: "seal"; readonly executed: Hash };

/** One sign vote of a certificate; the round and the hashes are those of the lock. */
export interface CertificateEntry extends Authorship {
  readonly index: SealerIndex;
}

/** Q sign votes for (R, E) in one view; a justification may leave them out. */
export interface Lock extends LockClaim {
  readonly certificate: readonly CertificateEntry[];
}

/** A leader's proposal. The block itself travels next to it and is known here by R. */
export interface Prepare extends PrepareContent, Authorship {
  /** J: empty at view 0, else Q view changes for (h, view). */
  readonly justification: readonly ViewChange[];
}

/** A sign vote. */
export interface Sign extends SignContent, Authorship {}

/** A commit vote. */
export interface Commit extends CommitContent, Authorship {
  /** Who made the seal. */
  readonly sealSigner: NodeId;
}

/** A vote for a view. */
export interface ViewChange extends ViewChangeContent, Authorship {
  readonly lock: Lock | undefined;
}

/** A status message. */
export interface Status extends StatusContent, Authorship {}

/** A justification forwarded to a node that is behind; only its parts are signed. */
export interface ViewCertificate {
  readonly type: "viewCertificate";
  readonly height: number;
  readonly view: number;
  readonly justification: readonly ViewChange[];
}

/** Any message of the protocol. */
export type Message = Prepare | Sign | Commit | ViewChange | Status | ViewCertificate;

/** One signature that must be verified before its message enters the core. */
export interface Claim {
  readonly content: SignedContent;
  readonly signature: Uint8Array;
}

/** Every signature in a message, in the order of {@link withSigners}. Source: pbft 16.1 */
export function claimsOf(message: Message): Claim[] {
  const claims: Claim[] = [];
  if (message.type !== "viewCertificate") {
    claims.push({ content: message, signature: message.signature });
  }
  if (message.type === "commit") {
    const content = { type: "seal", executed: message.executed } as const;
    claims.push({ content, signature: message.seal });
  }
  if (message.type === "viewChange") pushLockClaims(claims, message);
  if (message.type === "prepare" || message.type === "viewCertificate") {
    for (const viewChange of message.justification) {
      claims.push({ content: viewChange, signature: viewChange.signature });
      pushLockClaims(claims, viewChange);
    }
  }
  return claims;
}

function pushLockClaims(claims: Claim[], { lock, height }: ViewChange): void {
  if (!lock) return;
  const { view, proposal, executed } = lock;
  for (const { index, signature } of lock.certificate) {
    const content = { type: "sign", height: height + 1, view, index, proposal, executed } as const;
    claims.push({ content, signature });
  }
}

/**
 * The message with its signers filled in.
 * @param signers who made each signature of {@link claimsOf}, in that order
 * @returns undefined when one of them is invalid
 */
export function withSigners(
  message: Message,
  signers: readonly (NodeId | undefined)[],
): Message | undefined {
  const valid = signers.filter((signer) => signer !== undefined);
  if (valid.length !== claimsOf(message).length || valid.length !== signers.length)
    return undefined;
  const rest = valid.values();
  const take = (): NodeId => rest.next().value ?? UNVERIFIED;
  const named = (items: readonly ViewChange[]) =>
    items.map((item) => viewChangeWithSigners(item, take));
  switch (message.type) {
    case "commit":
      return { ...message, signer: take(), sealSigner: take() };
    case "viewChange":
      return viewChangeWithSigners(message, take);
    case "prepare":
      return { ...message, signer: take(), justification: named(message.justification) };
    case "viewCertificate":
      return { ...message, justification: named(message.justification) };
    default:
      return { ...message, signer: take() };
  }
}

function viewChangeWithSigners(message: ViewChange, take: () => NodeId): ViewChange {
  const signer = take();
  if (!message.lock) return { ...message, signer };
  const certificate = message.lock.certificate.map((entry) => ({ ...entry, signer: take() }));
  return { ...message, signer, lock: { ...message.lock, certificate } };
}
