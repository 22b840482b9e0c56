/** Where messages of PBFT come in, and what of them is passed on. Source: pbft 11, 16.1 */
import type { PbftTypes } from "../../consensus/pbft/effect.ts";
import type { Hash } from "../../bytes/ids.ts";
import { lockedIn, mayPassOn } from "../../consensus/pbft/passable.ts";
import type { PbftState } from "../../consensus/pbft/state.ts";
import { ConsensusInbox, type InboxOptions, type RelayEnd } from "./consensus-inbox.ts";
import type { PbftGate } from "./pbft-gate.ts";
import type { ConsensusOptions, ShellEnd } from "./protocol.ts";
import { RelayService } from "./relay-service.ts";

/** The relay service of a group. */
export function makeRelay({ options, ports }: ConsensusOptions): RelayService {
  const { groupId, self, suite, tuning } = options;
  const { network, clock } = ports;
  const { hash } = suite;
  return new RelayService({ groupId, self, network, clock, hash, tuning: tuning.relay });
}

/** What the inbox of a group is made with. */
export interface PbftInboxOptions extends Pick<InboxOptions, "codec" | "onRejected"> {
  readonly with: ConsensusOptions;
  readonly pbft: PbftState;
  readonly gate: PbftGate;
  readonly relay: RelayService;
  readonly end: ShellEnd<PbftTypes>;
  /** A quorum has locked this proposal, by a message that is passed on. */
  readonly onLocked: (proposal: Hash) => void;
}

/** The inbox of a group: what is irrelevant stays outside, what helps others goes on. */
export function makeInbox(made: PbftInboxOptions): ConsensusInbox {
  const { codec, pbft, gate, end, onRejected } = made;
  const { ports, group } = made.with;
  return new ConsensusInbox({
    codec,
    compute: ports.compute,
    sealerCount: () => pbft.config.sealers.length,
    relay: relayEnd(made),
    isOfUse: (origin, decoded) => {
      if (end.isStopped()) return false;
      const verdict = gate.judge(origin, decoded);
      if (verdict === "behind") end.input({ type: "stale", from: origin.from });
      return verdict === "verify";
    },
    onMessage: (verified) => end.onMessage(verified),
    onRejected,
    onError: (cause) => group.fail(cause),
  });
}

/** What the inbox knows of passing on. A justification is no node's: it proves itself to each. */
function relayEnd({ relay, pbft, onLocked }: PbftInboxOptions): RelayEnd {
  return {
    look: (copy, origin) => relay.look(copy, origin),
    speakerOf: (from, message) => {
      if (message.type === "viewCertificate") return from;
      return pbft.config.sealers[message.index] ?? from;
    },
    verified: (copy, from, message) => {
      const isPassed = message !== undefined && mayPassOn(pbft, message);
      const author = message?.type === "viewCertificate" ? from : message?.signer;
      relay.verified(copy, isPassed ? author : undefined);
      const locked = isPassed ? lockedIn(message) : undefined;
      if (locked !== undefined) onLocked(locked);
    },
  };
}
