/**
 * Checks blocks that peers sent, before anything of them is executed: body, root, the signature of
 * every transaction, the certificate. Source: sync 4; pbft 8
 */
import type { NodeId } from "../../bytes/ids.ts";
import { type RecoveredSeal, recoverSeals, verifySeals } from "../../consensus/certificate.ts";
import type { SyncedBlock } from "../../consensus/exchange.ts";
import { type Header, unexecuted } from "../../model/header.ts";
import { type RootRules, transactionsRoot } from "../../model/roots.ts";
import type { SignedTransaction } from "../../model/transaction.ts";
import type { Compute } from "../../ports/compute.ts";
import type { BlockDefect, FoundDefect } from "../../sync/planner/input.ts";
import { decodeSyncBlock, type SyncBlock } from "../../sync/sync-message.ts";
import type { SenderRecovery } from "../txpool/sender-recovery.ts";

/** A block whose content is known to be true to its header; seals are good where they count. */
export interface VerifiedBlock extends Pick<SyncedBlock, "executed" | "seals"> {
  /** As it was proposed: the roots that execution fills are zero. */
  readonly header: Header;
  readonly transactions: readonly SignedTransaction[];
}

/** What the verifier works with. */
export interface SyncVerifierOptions {
  readonly rules: RootRules;
  readonly recovery: SenderRecovery;
  readonly compute: Compute;
}

/** What a run of blocks is checked against. */
export interface VerifyRequest {
  readonly blocks: readonly SyncBlock[];
  /** Sealers in force. */
  readonly sealers: readonly NodeId[];
  readonly certified: boolean;
}

/** Remembers what it has verified for as long as the planner holds the block. */
export class SyncVerifier {
  readonly #options: SyncVerifierOptions;
  readonly #verified = new WeakMap<SyncBlock, VerifiedBlock>();

  constructor(options: SyncVerifierOptions) {
    this.#options = options;
  }

  /** The content of a block that passed. */
  verified(block: SyncBlock): VerifiedBlock | undefined {
    return this.#verified.get(block);
  }

  /** Checks a run of blocks, all at once: the signatures of all of them keep every core busy. */
  async verify({ blocks, ...against }: VerifyRequest): Promise<FoundDefect | undefined> {
    const defects = await Promise.all(blocks.map((block) => this.#check(block, against)));
    const found = blocks.flatMap(({ number }, index) => {
      const reason = defects[index];
      return reason ? { number, reason } : [];
    });
    return found[0];
  }

  /**
   * What costs little comes first: no Byzantine node makes this node recover what has no effect.
   * The cache of proposals compares the root again when consensus is given the block.
   */
  async #check(block: SyncBlock, against: Sealed): Promise<BlockDefect | undefined> {
    // Verified before, for other sealers: only the certificate is examined again.
    const known = this.#verified.get(block);
    if (known) return isSealed(known.seals, against) ? undefined : "badCertificate";
    const { recovery, rules, compute } = this.#options;
    const parts = decodeSyncBlock(block.bytes);
    if (!parts) return "badBody";
    const { header, seals: raw } = parts;
    if (raw.length > header.sealerList.length) return "badCertificate";
    const executed = block.hash;
    const seals = await recoverSeals(raw, executed, compute);
    if (!isSealed(seals, against)) return "badCertificate";
    const decoded = await recovery.decodeAll(parts.transactions);
    if (!decoded) return "badBody";
    if (transactionsRoot(decoded, rules) !== header.transactionsRoot) return "wrongRoot";
    const transactions = await recovery.recoverAll(decoded);
    if (!transactions) return "badBody";
    this.#verified.set(block, { header: unexecuted(header), transactions, executed, seals });
    return undefined;
  }
}

/** What a certificate is examined with. */
type Sealed = Pick<VerifyRequest, "sealers" | "certified">;

function isSealed(seals: readonly RecoveredSeal[], { sealers, certified }: Sealed): boolean {
  return !certified || verifySeals(seals, sealers) === "ok";
}
