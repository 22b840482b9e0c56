/** Locks, their certificates, and justifications: making and checking. Source: pbft 16.1, 16.3 */
import type { CertificateEntry, Lock, LockClaim, ViewChange } from "./message.ts";
import { signedBy, voterKey, type PbftState, type VoterKey } from "./state.ts";

/** Whether Q sealers signed what a lock claims, in a view before. Source: pbft 16.1 */
export function isLockCertified(state: PbftState, lock: Lock, below: number): boolean {
  if (lock.view >= below) return false;
  if (!state.rules.certificateCheck) return true;
  return hasQuorum(state, lock) && areDistinctSealers(state, lock.certificate);
}

/** Whether a lock comes with as many signatures as it needs, whoever made them. */
export function hasQuorum({ rules, quorum, config }: PbftState, { certificate }: Lock): boolean {
  if (!rules.certificateCheck) return true;
  return certificate.length >= quorum && certificate.length <= config.sealers.length;
}

/** Whether each signature is by the sealer at its index, no index twice. Source: pbft 16.1 */
function areDistinctSealers(state: PbftState, entries: readonly CertificateEntry[]): boolean {
  const seen = new Set<VoterKey>();
  for (const entry of entries) {
    if (!signedBy(state, entry.index, entry.signer)) return false;
    seen.add(voterKey(state, entry));
  }
  return seen.size === entries.length;
}

/** The lock of the highest view among view changes. Source: pbft 16.3.2 */
export function highestLock(viewChanges: readonly ViewChange[]): Lock | undefined {
  let best: Lock | undefined;
  for (const { lock } of viewChanges) {
    if (!lock || (best && lock.view < best.view)) continue;
    // Of locks of one view the one that shows its certificate: the others were stripped.
    if (!best || lock.view > best.view || lock.certificate.length > best.certificate.length)
      best = lock;
  }
  return best;
}

/** Whether a lock claims something else in the view of the highest: both cannot be certified. */
function contradicts({ rules }: PbftState, { lock }: ViewChange, best?: LockClaim): boolean {
  if (!lock || !best || lock.view !== best.view || !rules.certificateCheck) return false;
  return lock.proposal !== best.proposal || lock.executed !== best.executed;
}

/**
 * Whether a justification shows that Q sealers at this height left for the view, and that its
 * highest lock is what they say it is. View 0 needs none and has none: no node examined its parts.
 * Source: pbft 16.1, 16.3.7
 */
export function isJustified(
  state: PbftState,
  justification: readonly ViewChange[],
  view: number,
): boolean {
  if (!state.rules.justificationCheck) return true;
  const { length } = justification;
  if (view === 0) return length === 0;
  if (length < state.quorum || length > state.config.sealers.length) return false;
  const seen = new Set<VoterKey>();
  const best = highestLock(justification);
  for (const item of justification) {
    if (item.height !== state.height || item.view !== view || item.head !== state.head)
      return false;
    if (!signedBy(state, item.index, item.signer)) return false;
    if (contradicts(state, item, best)) return false;
    seen.add(voterKey(state, item));
  }
  return seen.size === length && (!best || isLockCertified(state, best, view));
}

/** Q view changes for one view; only the highest lock has its certificate. Source: pbft 16.1 */
export function buildJustification(
  viewChanges: Iterable<ViewChange>,
  quorum: number,
): readonly ViewChange[] {
  const chosen = [...viewChanges].sort((left, right) => left.index - right.index).slice(0, quorum);
  const best = highestLock(chosen);
  return chosen.map((item) =>
    item.lock && item.lock !== best ? { ...item, lock: { ...item.lock, certificate: [] } } : item,
  );
}
