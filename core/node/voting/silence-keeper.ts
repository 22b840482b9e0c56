/**
 * Whether a group's node may vote: silent while its store may be older than its votes.
 * Source: decision 25
 */
import type { NodeId } from "../../bytes/ids.ts";
import type { Voice } from "../../consensus/exchange.ts";
import { majority, quorum } from "../../consensus/quorum.ts";
import {
  createSilence,
  hearHead,
  isPast,
  learnReach,
  seeOwnBlock,
  type Silence,
  type SilenceCause,
  type SilenceRecord,
  type SilenceSight,
  type SilenceView,
  silenceView,
} from "../../consensus/silence.ts";
import type { GroupConfig } from "../../model/config.ts";
import type { Voting } from "../../model/voting.ts";
import type { GroupOptions, GroupPorts, ParentBlock } from "../options/group-options.ts";
import { writeSilence } from "./silence-store.ts";

/** What the operator is told when it begins. */
const LINES: Readonly<Record<SilenceCause, string>> = {
  copied: "this group's data is a copy or was restored: the node follows it without a vote",
  lostVotes: "this group's data is older than the votes of this node: it follows without a vote",
  twin: "another node seals blocks with this node's key: this one follows without a vote",
};

/** What ends it by hand. */
const NEXT = "until it is past its old votes, or chain-node confirm says that no other copy runs";

/** What the keeper works with. */
export interface SilenceKeeperOptions {
  /**
   * With `isMuted` the node keeps quiet of its own accord, as in a browser tab that nobody looks
   * at. Its record stays as it is, so that it may vote again at once: then nothing was lost. Until
   * then it looks for what was lost as it does when it votes.
   */
  readonly options: Pick<GroupOptions, "self" | "raft" | "isMuted">;
  readonly ports: Pick<GroupPorts, "store" | "log" | "clock">;
  /** As the group was opened. */
  readonly record: SilenceRecord | undefined;
  /** Where the group stands. */
  readonly chain: { config(): GroupConfig; parent(): ParentBlock };
}

/** One per running group. */
export class SilenceKeeper {
  readonly #options: SilenceKeeperOptions;
  #silence: Silence | undefined;

  constructor(options: SilenceKeeperOptions) {
    this.#options = options;
    this.#silence = options.record && createSilence(options.record);
  }

  /** The group begins: an operator hears of a silence with each start. */
  begin(): void {
    if (this.#silence?.mode !== "silent") return;
    const { cause, since } = this.#silence;
    this.#options.ports.log.write("warning", LINES[cause], { number: since, next: NEXT });
  }

  /** What consensus must know. */
  voice(): Voice | undefined {
    const mode = this.#silence?.mode;
    if (!this.#options.options.isMuted?.()) return mode;
    return mode === undefined ? "muted" : "silent";
  }

  /** What statuses say of it. Source: decision 34 */
  voting(): Voting {
    const { options, chain } = this.#options;
    if (!chain.config().sealers.includes(options.self)) return "observer";
    const voice = this.voice();
    return voice === undefined || voice === "confirmed" ? "votes" : voice;
  }

  /** Undefined while nothing is the matter. */
  view(): SilenceView | undefined {
    const silence = this.#silence;
    return silence && silenceView(silence, this.#sight());
  }

  /** A node has said where it stands. */
  heard(from: NodeId, head: number): void {
    const silence = this.#silence;
    if (!silence) return;
    const sight = this.#sight();
    hearHead(silence, { from, head }, sight);
    const before = silence.until;
    learnReach(silence, sight);
    if (silence.until === before || silence.until === undefined) return;
    const fields = { mode: silence.mode, until: silence.until };
    this.#options.ports.log.write(
      "info",
      "the votes of this node reach no further than this",
      fields,
    );
  }

  /** Consensus has a seal or a block under the own key before it that this node never gave. */
  async lost(): Promise<void> {
    const { log, store } = this.#options.ports;
    if (this.#silence?.mode === "silent") return;
    const since = this.#sight().head;
    const record: SilenceRecord = { mode: "silent", cause: "lostVotes", since };
    this.#silence = createSilence(record);
    log.write("error", LINES.lostVotes, { number: since, next: NEXT });
    await writeSilence(store, record);
  }

  /** A verified block with a seal of this node, or proposed under its key. */
  async sawOwnBlock(number: number): Promise<void> {
    const silence = this.#silence;
    const news = silence && seeOwnBlock(silence, number);
    if (!silence || news === "none") return;
    const { log, store } = this.#options.ports;
    if (news === "suspicious") {
      const line = "a new block is sealed with this node's key: it stays silent for some more";
      return log.write("warning", line, { number, until: silence.until });
    }
    log.write("error", LINES.twin, { number, next: "stop the other one, then chain-node confirm" });
    const { mode, cause, since } = silence;
    await writeSilence(store, { mode, cause, since });
  }

  /** The group stands on another block. Gives what is still to be done about the disk. */
  advanced(): Promise<void> | undefined {
    const silence = this.#silence;
    if (!silence) return undefined;
    const { log, store } = this.#options.ports;
    const now = this.#sight();
    learnReach(silence, now);
    if (!isPast(silence, now)) return undefined;
    this.#silence = undefined;
    const fields = { number: now.head, until: silence.until };
    if (silence.mode === "silent")
      log.write("info", "the node is past its old votes: it votes again", fields);
    return writeSilence(store, undefined);
  }

  /** The operator says that no other copy runs. Gives whether that was the question. */
  async confirm(): Promise<boolean> {
    const silence = this.#silence;
    if (silence?.mode !== "silent") return false;
    const { log, store } = this.#options.ports;
    const { head } = this.#sight();
    // Whatever the proof was: the operator has stopped the other one.
    const cause = silence.cause === "twin" ? "lostVotes" : silence.cause;
    const record: SilenceRecord = { mode: "confirmed", cause, since: head };
    await writeSilence(store, record);
    // What others said before may be old news by now.
    this.#silence = createSilence(record);
    log.write("warning", "the operator confirms that no other copy runs: the node votes again", {
      number: head,
    });
    return true;
  }

  /** How the group stands now. */
  #sight(): SilenceSight {
    const { options, ports, chain } = this.#options;
    const { self, raft } = options;
    const sealers = [...chain.config().sealers].sort();
    const { length } = sealers;
    return {
      self,
      head: chain.parent().number,
      sealers,
      quorum: raft ? majority(length) : quorum(length),
      now: ports.clock.steady(),
      // A candidate that has this node's lost vote gives up within an election.
      patienceMs: raft ? 2 * raft.maxElectMs : 0,
    };
  }
}
