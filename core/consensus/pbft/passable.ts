/**
 * Which verified messages of others a sealer passes on. A receiver may hold it against the node
 * that passed on what is not so: so only what can be judged here goes on. Source: pbft 11
 */
import { decidedHeight } from "./future.ts";
import type { RoundMessage } from "./input.ts";
import { highestLock, isJustified, isLockCertified } from "./justification.ts";
import type { Message } from "./message.ts";
import { listedIndex, type PbftState, signedBy } from "./state.ts";
import { type Hash, NOT_A_SEALER } from "../../bytes/ids.ts";

/** Messages about blocks that are that much older are not passed on. Source: pbft 11 */
const OLDEST = 10;
/** Nor are those further ahead than anybody keeps. Source: pbft 16.3.10 */
const NEWEST = 2;

/**
 * Whether a message, signers filled in, may be passed on. A sealer that keeps quiet passes on too:
 * others count on all that are in the list. Source: pbft 11
 */
export function mayPassOn(state: PbftState, message: Message): boolean {
  if (state.phase === "stopped" || listedIndex(state) === NOT_A_SEALER) return false;
  const { height } = state;
  if (message.type === "viewCertificate")
    return message.height === height && isJustified(state, message.justification, message.view);
  if (!state.indexes.has(message.signer)) return false;
  if (message.type === "status") return message.height > height - OLDEST;
  const decided = decidedHeight(message);
  if (decided <= height - OLDEST || decided > height + NEWEST) return false;
  if (decided !== height + 1) return provesNothing(message);
  return signedBy(state, message.index, message.signer) && isSound(state, message);
}

/** The proposal that a quorum has locked, by a message that may be passed on. */
export function lockedIn(message: Message): Hash | undefined {
  switch (message.type) {
    case "viewChange":
      return message.lock?.proposal;
    case "prepare":
    case "viewCertificate":
      return highestLock(message.justification)?.proposal;
    default:
      return undefined;
  }
}

/** Whether the signature covers all of it: what is not covered cannot be judged at any height. */
function provesNothing(message: RoundMessage): boolean {
  switch (message.type) {
    case "prepare":
      return message.justification.length === 0;
    case "viewChange":
      return message.lock === undefined;
    case "sign":
    case "commit":
      return true;
    default:
      return message satisfies never;
  }
}

/** Whether what goes with a message of the height being decided is what it says. */
function isSound(state: PbftState, message: RoundMessage): boolean {
  switch (message.type) {
    case "prepare":
      return isJustified(state, message.justification, message.view);
    case "viewChange":
      return (
        message.head === state.head &&
        (!message.lock || isLockCertified(state, message.lock, message.view))
      );
    case "commit":
      return signedBy(state, message.index, message.sealSigner);
    case "sign":
      return true;
    default:
      return message satisfies never;
  }
}
