/**
 * What the nodes of one schedule share: time, chance, network, blocks, signatures, checkers, and
 * the log.
 */
import type { Hash, NodeId } from "../../core/bytes/ids.ts";
import type { RecoveredSeal } from "../../core/consensus/certificate.ts";
import { createCodec, type PbftCodec } from "../../core/consensus/pbft/codec.ts";
import type { ReportEvent } from "../../core/consensus/pbft/effect.ts";
import type { Message } from "../../core/consensus/pbft/message.ts";
import type { Seal } from "../../core/model/header.ts";
import { Checkers, Violation } from "./checkers.ts";
import { isTornBetweenLocks } from "./losses.ts";
import { Network, type Packet } from "./network.ts";
import type { SimNode } from "./node.ts";
import type { Options } from "./options.ts";
import { Random } from "./random.ts";
import { Sights } from "./sights.ts";
import { SIGNATURE_BYTES, Signatures } from "./signatures.ts";
import { Timeline } from "./timeline.ts";
import { nodeNumber, Workload } from "./workload.ts";

/** Longest time a crashed node stays down. */
const DOWN_MS = 8_000;

/** The world of one schedule. */
export class World {
  readonly options: Options;
  readonly random: Random;
  readonly timeline = new Timeline();
  readonly sights = new Sights();
  readonly signatures: Signatures;
  readonly workload: Workload;
  readonly network: Network;
  readonly checkers: Checkers;
  readonly nodes: SimNode[] = [];
  readonly #codec: PbftCodec;
  readonly #write: ((line: string) => void) | undefined;
  /** The faults have stopped. */
  calm = false;

  constructor(options: Options, write?: (line: string) => void) {
    this.options = options;
    this.random = new Random(options.seed ^ 0x5bd1e995);
    this.signatures = new Signatures(options.mutation !== "seal");
    this.workload = new Workload(options, this.random);
    this.checkers = new Checkers(options, this.signatures);
    this.network = new Network(options, {
      random: this.random,
      timeline: this.timeline,
      deliver: (from, to, packet) => this.nodes[to]?.receive(from, packet),
    });
    const suite = { hash: cheapHash, signatureBytes: SIGNATURE_BYTES };
    this.#codec = createCodec({ suite, chainId: 1, groupId: 1 });
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

  /** Position of a node ID. */
  numberOf(id: NodeId): number {
    return nodeNumber(id);
  }

  /** Sends a message; the header of a prepare goes with it. */
  send(from: number, to: NodeId, message: Message, content?: Hash): void {
    const own = message.type === "prepare" ? message.proposal : undefined;
    const packet: Packet = { kind: "message", message, content: content ?? own };
    this.network.send(from, this.numberOf(to), packet);
  }

  /** What arrives of a message: through the real codec where the schedule says so. */
  received(message: Message): Message | undefined {
    if (!this.options.realCodec) return message;
    const decoded = this.#codec.decode(this.#codec.encode(message));
    return decoded && this.signatures.verify(decoded);
  }

  recoverSeals(
    executed: Hash,
    seals: readonly Seal[],
  ): (RecoveredSeal & { readonly signature: Uint8Array })[] {
    return seals.map(({ index, signature }) => ({
      index,
      signature,
      signer: this.signatures.recover({ type: "seal", executed }, signature),
    }));
  }

  /** Chance of dying before an effect. */
  cutChance(): number {
    return this.calm ? 0 : this.options.cut;
  }

  /** Chance that a leader has transactions. */
  busyChance(): number {
    return this.calm ? 1 : this.options.busy;
  }

  /** Somebody came, went, or was cut off. */
  topologyChanged(): void {
    this.timeline.after(1, () => {
      for (const node of this.nodes) node.updateConnected();
    });
  }

  /** A crashed node comes back after a while. */
  restartLater(node: SimNode): void {
    this.timeline.after(this.random.between(10, DOWN_MS), () => this.restart(node));
  }

  /** A node that is down begins again. */
  restart(node: SimNode): void {
    if (node.isUp || node.frozen) return;
    node.start();
    this.topologyChanged();
  }

  reported(node: number, report: ReportEvent): void {
    // No disk of a schedule loses what was sent.
    if (report.event === "lostVote")
      throw new Violation(`node ${node} finds messages for ${report.height} that it never said`);
    if (report.event === "viewLeft" && report.cause !== "empty") this.sights.add("viewChange");
    if (report.event === "equivocation") this.sights.add("equivocationSeen");
    if (report.event === "executionOutlived") this.sights.add("executionOutlived");
    if (report.event !== "committed") return;
    this.sights.blocks++;
    if (isTornBetweenLocks(this.nodes)) this.sights.add("twoLocks");
  }
}

/** Not a hash: the digests of the codec are not signed here. */
function cheapHash(): Uint8Array {
  return new Uint8Array(32);
}
