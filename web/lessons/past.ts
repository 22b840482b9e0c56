/** What lessons remember of the frames that went by, so that a claim can speak of all of them. */
import type { Frame, MessageKind, NodeView } from "../../runtimes/shared/theatre/frame.ts";

/** A frame and what went before it. */
export interface Past {
  readonly frame: Frame;
  /** Where the current step of the lesson began. */
  readonly began: Frame;
  /** Hashes of the blocks that any node had at a height. */
  readonly hashes: ReadonlyMap<number, ReadonlySet<string>>;
  /** Numbers of the leaders of each term. */
  readonly leaders: ReadonlyMap<number, ReadonlySet<number>>;
  /** Kinds of messages that were sent since the step of the lesson began. */
  readonly flown: ReadonlySet<MessageKind>;
  /** States that a node was in since then: `node/chart/path`. */
  readonly lit: ReadonlySet<string>;
}

/** Gathers a past from frames in their order. */
export class PastRecorder {
  readonly #hashes = new Map<number, Set<string>>();
  readonly #leaders = new Map<number, Set<number>>();
  #flown = new Set<MessageKind>();
  #lit = new Set<string>();
  #began: Frame;
  #frame: Frame;

  constructor(first: Frame) {
    this.#began = first;
    this.#frame = first;
    this.add(first);
  }

  /** A step of the lesson begins here. */
  begin(): void {
    this.#began = this.#frame;
    this.#flown = new Set();
    this.#lit = new Set();
  }

  add(frame: Frame): void {
    this.#frame = frame;
    for (const node of frame.nodes) this.#note(node);
    for (const { kind } of frame.sent) this.#flown.add(kind);
  }

  get past(): Past {
    return {
      frame: this.#frame,
      began: this.#began,
      hashes: this.#hashes,
      leaders: this.#leaders,
      flown: this.#flown,
      lit: this.#lit,
    };
  }

  #note({ node, blocks, consensus, actors }: NodeView): void {
    for (const { number, hash } of blocks) into(this.#hashes, number, hash);
    if (consensus?.kind === "raft" && consensus.role === "leader")
      into(this.#leaders, consensus.term, node);
    for (const { chart, active } of actors)
      for (const path of active) this.#lit.add(`${node}/${chart}/${path}`);
  }
}

function into<Value>(sets: Map<number, Set<Value>>, key: number, value: Value): void {
  const set = sets.get(key) ?? new Set();
  set.add(value);
  sets.set(key, set);
}
