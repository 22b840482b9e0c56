/** What must hold in every schedule, watched from outside the nodes. Source: pbft 15 */
import type { Hash, NodeId } from "../../core/bytes/ids.ts";
import { verifySeals } from "../../core/consensus/certificate.ts";
import type { Message } from "../../core/consensus/pbft/message.ts";
import type { PbftRecord } from "../../core/consensus/pbft/record.ts";
import type { PbftState } from "../../core/consensus/pbft/state.ts";
import { pbftStatus } from "../../core/consensus/pbft/status.ts";
import type { Seal } from "../../core/model/header.ts";
import type { Options } from "./options.ts";
import type { Signatures } from "./signatures.ts";
import { checkPbftInvariants } from "../support/world/invariants.ts";

/** A property that does not hold: the schedule ends. */
export class Violation extends Error {
  override readonly name = "Violation";
}

/** Status is projected every this many steps of a node. */
const STATUS_EVERY = 64;

interface Watched {
  height: number;
  view: number;
  toView: number;
  steps: number;
}

/** A block about to be written. */
export interface WatchedBlock {
  readonly height: number;
  readonly executed: Hash;
  readonly seals: readonly Seal[];
  /** In force at that height. */
  readonly sealers: readonly NodeId[];
}

/** Watches all honest nodes of a schedule. */
export class Checkers {
  readonly #options: Options;
  readonly #signatures: Signatures;
  readonly #agreed: (Hash | undefined)[] = [];
  /** What each node reported, by kind and round; survives crashes. */
  readonly #said: Map<string, string>[];
  /** Below this view the node is silent, at that height. */
  readonly #promised: { height: number; view: number }[];
  readonly #watched: Watched[];
  /** Objects that were checked before: most messages leave more than once. */
  readonly #known = new Set<Message>();

  constructor(options: Options, signatures: Signatures) {
    this.#options = options;
    this.#signatures = signatures;
    const nodes = Array.from({ length: options.nodes });
    this.#said = nodes.map(() => new Map<string, string>());
    this.#promised = nodes.map(() => ({ height: 0, view: 0 }));
    this.#watched = nodes.map(() => ({ height: 0, view: 0, toView: 0, steps: 0 }));
  }

  /** A node begins again: its memory is gone. */
  restarted(node: number): void {
    this.#watched[node] = { height: 0, view: 0, toView: 0, steps: 0 };
  }

  /** Height and views only grow, but for the reset at a new block. */
  stepped(node: number, state: PbftState): void {
    checkPbftInvariants(state);
    const last = this.#watched[node] as Watched;
    const { height, view, toView } = state;
    if (height < last.height) throw new Violation(`node ${node} went down to height ${height}`);
    if (height === last.height && (view < last.view || toView < last.toView)) {
      throw new Violation(`node ${node} went back to view ${view}, ${toView}`);
    }
    last.height = height;
    last.view = view;
    last.toView = toView;
    if (++last.steps % STATUS_EVERY === 0) this.#checkStatus(node, state);
  }

  #checkStatus(node: number, state: PbftState): void {
    const status = pbftStatus(state);
    const listed = status.sealers[status.nodeIndex];
    const wellFormed =
      status.toView >= status.currentView &&
      status.leaderFailed === status.toView > status.currentView &&
      status.consensusedBlockNumber === status.highestblockNumber + 1 &&
      status.views.length <= status.sealers.length &&
      (status.accountType === 1) === (listed === state.config.self) &&
      (status.cfgErr || status.views.some(({ nodeId }) => nodeId === state.config.self));
    if (!wellFormed) throw new Violation(`node ${node} reports ${JSON.stringify(status)}`);
  }

  /** One hash per height, and a signature list that proves it. */
  written(node: number, { height, executed, seals, sealers }: WatchedBlock): void {
    const agreed = this.#agreed[height];
    if (agreed !== undefined && agreed !== executed) {
      throw new Violation(
        `FORK at height ${height}: node ${node} writes ${executed}, not ${agreed}`,
      );
    }
    this.#agreed[height] = executed;
    const recovered = seals.map(({ index, signature }) => ({
      index,
      signer: this.#signatures.recover({ type: "seal", executed }, signature),
    }));
    const verdict = verifySeals(recovered, sealers);
    if (verdict !== "ok") throw new Violation(`node ${node} writes a block with ${verdict}`);
  }

  /**
   * An honest message leaves: nothing is sent twice in different messages, nor before it is on
   * disk.
   */
  left(node: number, message: Message, durable: PbftRecord | undefined): void {
    if (message.type === "status" || message.type === "viewCertificate") return;
    if (this.#known.has(message)) return;
    this.#known.add(message);
    const said = this.#said[node] as Map<string, string>;
    const round = `${message.type}/${message.height}/${message.view}`;
    const words = wordsOf(message);
    const before = said.get(round);
    if (before === words) return;
    if (before !== undefined) {
      throw new Violation(`node ${node} says ${round} twice: ${before}, then ${words}`);
    }
    said.set(round, words);
    this.#checkAbstention(node, message);
    if (message.type === "viewChange" && !this.#signatures.verify(message))
      throw new Violation(`node ${node} claims a lock that is not certified`);
    if (this.#options.mutation !== "durable" && !isDurable(message, durable)) {
      throw new Violation(`node ${node} says ${round} before it is on disk`);
    }
  }

  #checkAbstention(node: number, message: Message): void {
    const reserved = this.#promised[node] as { height: number; view: number };
    if (message.type === "viewChange") {
      const height = message.height + 1;
      if (height > reserved.height || message.view > reserved.view) {
        this.#promised[node] = { height, view: message.view };
      }
      return;
    }
    const broken = message.height === reserved.height && message.view < reserved.view;
    if (broken && this.#options.mutation !== "durable") {
      throw new Violation(`node ${node} says ${message.type} in view ${message.view} it had left`);
    }
  }
}

function wordsOf(message: Message): string {
  switch (message.type) {
    case "prepare":
      return message.proposal;
    case "sign":
    case "commit":
      return `${message.proposal}/${message.executed}`;
    case "viewChange": {
      const { lock } = message;
      return lock ? `${lock.view}/${lock.proposal}/${lock.executed}` : "none";
    }
    default:
      return "";
  }
}

function isDurable(message: Message, record: PbftRecord | undefined): boolean {
  if (!record) return false;
  const { height, view, type } = message;
  if (type === "viewChange") return record.height === height + 1 && record.toView >= view;
  if (record.height !== height || record.toView < view) return false;
  switch (type) {
    case "prepare":
      return record.prepare?.view === view
        ? record.prepare.proposal === message.proposal
        : record.toView > view;
    case "sign":
      return record.sign?.view === view && record.sign.proposal === message.proposal;
    case "commit":
      return record.lock?.view === view && record.lock.executed === message.executed;
    default:
      return true;
  }
}
