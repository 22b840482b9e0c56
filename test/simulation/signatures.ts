/**
 * Signatures without curves: a registry of who signed what. Sound, because a signature counts only
 * for the content and the key it was issued for, and a Byzantine node is handed no key but its own.
 */
import type { NodeId } from "../../core/bytes/ids.ts";
import {
  claimsOf,
  type LockClaim,
  type Message,
  type SignedContent,
  withSigners,
} from "../../core/consensus/pbft/message.ts";
import type { Signer } from "../../core/consensus/pbft/state.ts";

/** Length of a signature here; the real codec is told. */
export const SIGNATURE_BYTES = 8;

interface Issued {
  readonly signer: NodeId;
  readonly content: SignedContent;
}

/** All signatures of one schedule. */
export class Signatures {
  readonly #issued: Issued[] = [];
  readonly #sealsApart: boolean;

  /**
   * @param sealsApart false: a sign vote is signed as a bare block hash, as in the reference (a
   * mutation)
   */
  constructor(sealsApart: boolean) {
    this.#sealsApart = sealsApart;
  }

  /** The only hand that signs as this node. */
  signerFor(signer: NodeId): Signer {
    let ofStatus: Uint8Array | undefined;
    return {
      sign: (content) => {
        if (content.type !== "status") return this.#issue(signer, content);
        // A status is no vote: one signature for all of them saves a third of the time.
        ofStatus ??= this.#issue(signer, content);
        return ofStatus;
      },
    };
  }

  #issue(signer: NodeId, content: SignedContent): Uint8Array {
    const signature = new Uint8Array(SIGNATURE_BYTES);
    const id = this.#issued.push({ signer, content });
    signature[0] = id & 255;
    signature[1] = (id >>> 8) & 255;
    signature[2] = (id >>> 16) & 255;
    return signature;
  }

  /** Who signed this content with that signature; undefined when no node did. */
  recover(content: SignedContent, signature: Uint8Array): NodeId | undefined {
    const id = (signature[0] ?? 0) | ((signature[1] ?? 0) << 8) | ((signature[2] ?? 0) << 16);
    const issued = this.#issued[id - 1];
    return issued && this.#covers(issued.content, content) ? issued.signer : undefined;
  }

  /** The shell's part: verifies every signature of a message. */
  verify(message: Message): Message | undefined {
    const signers = claimsOf(message).map((claim) => this.recover(claim.content, claim.signature));
    return withSigners(message, signers);
  }

  #covers(signed: SignedContent, claimed: SignedContent): boolean {
    if (signed === claimed) return true;
    if (!this.#sealsApart && isAboutBlock(signed) && isAboutBlock(claimed)) {
      return signed.executed === claimed.executed;
    }
    return sameContent(signed, claimed);
  }
}

function isAboutBlock(
  content: SignedContent,
): content is Extract<SignedContent, { readonly executed: unknown }> {
  return content.type === "sign" || content.type === "commit" || content.type === "seal";
}

function sameContent(left: SignedContent, right: SignedContent): boolean {
  if (left.type === "seal") return right.type === "seal" && left.executed === right.executed;
  if (right.type === "seal") return false;
  if (left.type === "status") return right.type === "status";
  if (left.type !== right.type || left.height !== right.height) return false;
  if (left.view !== right.view || left.index !== right.index) return false;
  return sameBody(left, right);
}

function sameBody(left: SignedContent, right: SignedContent): boolean {
  if (left.type === "prepare" && right.type === "prepare") return left.proposal === right.proposal;
  if (left.type === "sign" && right.type === "sign") return sameBlock(left, right);
  if (left.type === "commit" && right.type === "commit") {
    return sameBlock(left, right) && left.seal.join() === right.seal.join();
  }
  if (left.type === "viewChange" && right.type === "viewChange") {
    return left.head === right.head && sameClaim(left.lock, right.lock);
  }
  return false;
}

interface AboutBlock {
  readonly proposal: string;
  readonly executed: string;
}

function sameBlock(left: AboutBlock, right: AboutBlock): boolean {
  return left.proposal === right.proposal && left.executed === right.executed;
}

function sameClaim(left: LockClaim | undefined, right: LockClaim | undefined): boolean {
  if (!left || !right) return left === right;
  return left.view === right.view && sameBlock(left, right);
}
