/** What the nodes of one Raft schedule share: time, chance, network, blocks, checkers, the log. */
import { decodeMessage, encodeMessage } from "../../../core/consensus/raft/codec.ts";
import type { ReportEvent } from "../../../core/consensus/raft/effect.ts";
import type { Message } from "../../../core/consensus/raft/message.ts";
import { Violation } from "../checkers.ts";
import { Random } from "../random.ts";
import { Sights } from "../sights.ts";
import { Timeline } from "../timeline.ts";
import { Blocks } from "./blocks.ts";
import { Checkers } from "./checkers.ts";
import { Network } from "./network.ts";
import type { RaftNode } from "./node.ts";
import type { RaftOptions } from "./options.ts";

/** Longest time a crashed node stays down. */
const DOWN_MS = 8_000;

/** The world of one schedule. */
export class World {
  readonly options: RaftOptions;
  readonly random: Random;
  readonly timeline = new Timeline();
  readonly sights = new Sights();
  readonly blocks: Blocks;
  readonly network: Network;
  readonly checkers: Checkers;
  readonly nodes: RaftNode[] = [];
  /** Packets that reached a node. */
  delivered = 0;
  /** The faults have stopped. */
  calm = false;
  readonly #slowNode: number;
  readonly #write: ((line: string) => void) | undefined;

  constructor(options: RaftOptions, write?: (line: string) => void) {
    this.options = options;
    this.random = new Random(options.seed ^ 0x5bd1e995);
    this.blocks = new Blocks(options, this.random);
    this.checkers = new Checkers(options.nodes, options.mutation);
    this.network = new Network(options, {
      random: this.random,
      timeline: this.timeline,
      deliver: (from, to, packet) => this.nodes[to]?.receive(from, packet),
    });
    this.#slowNode = this.random.below(options.nodes);
    this.#write = write;
  }

  /** Whether somebody reads the log: texts are not made otherwise. */
  get logs(): boolean {
    return this.#write !== undefined;
  }

  /** Writes a line of the log. */
  log(text: string): void {
    this.#write?.(`${this.timeline.now.toFixed(3)} ${text}`);
  }

  /** What arrives of a message: through the real codec where the schedule says so. */
  received(message: Message): Message {
    if (!this.options.realCodec) return message;
    const decoded = decodeMessage(encodeMessage(message));
    if (!decoded) throw new Violation(`a ${message.type} cannot be read`);
    return decoded;
  }

  /** How many times slower a node is. */
  slowness(node: number): number {
    return !this.calm && node === this.#slowNode ? this.options.slowness : 1;
  }

  /** Chance of dying before an effect. */
  cutChance(): number {
    return this.calm ? 0 : this.options.cut;
  }

  /** Chance that a leader dies at the worst moment. */
  leaderCutChance(): number {
    return this.calm ? 0 : this.options.leaderCut;
  }

  /** Chance that a leader has transactions soon. */
  busyChance(): number {
    return this.calm ? 1 : this.options.busy;
  }

  /** A crashed node comes back after a while. */
  restartLater(node: RaftNode): void {
    this.timeline.after(this.random.between(10, DOWN_MS), () => this.restart(node));
  }

  /** A node that is down begins again. */
  restart(node: RaftNode): void {
    if (!node.isUp && !node.frozen) node.start();
  }

  reported(report: ReportEvent): void {
    if (report.event === "leaderElected") this.sights.add("leaderElected");
    if (report.event === "committed") this.sights.blocks++;
    if (report.event === "proposalDropped") this.sights.add("proposalDropped");
    if (report.event === "steppedDown") this.sights.add(report.cause);
    if (report.event !== "ignored") return;
    if (report.reason === "stale" && report.type === "append") this.sights.add("staleLeader");
  }
}
