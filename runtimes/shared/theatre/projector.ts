/** Makes the frames of a stage: looks at what a step has touched, and shares the rest. */
import type { WrittenBlock } from "../../../core/node/options/group-options.ts";
import type { GroupApi } from "../../../core/api/node-api.ts";
import {
  type BlockView,
  BLOCKS_SHOWN,
  type Cause,
  type Frame,
  type NodeView,
  type TheatreEvent,
} from "./frame.ts";
import { bare } from "./message-view.ts";
import { actorsOf, consensusOf, coresOf, groupsOf, syncOf } from "./node-view.ts";
import { type Notice, noticesOf } from "./notice.ts";
import { share } from "./share.ts";
import { GROUP_ID } from "./stage/chain-setup.ts";
import type { LinkRules } from "./stage/link-rules.ts";
import type { Machine } from "./stage/machine.ts";
import type { Wire } from "./stage/wire.ts";

/** What a projector looks at besides machines. */
export interface ProjectorOptions {
  readonly protocol: "pbft" | "raft";
  readonly wire: Wire;
  readonly rules: LinkRules;
  /** Numbers by node ID. */
  readonly numbers: ReadonlyMap<string, number>;
}

/** A step that is to be shown. */
export interface ShownStep
  extends Pick<Frame, "step" | "timeMs" | "cause" | "sent" | "ended" | "trace"> {
  readonly machines: readonly Machine[];
  readonly notices: readonly Notice[];
  readonly before: Frame | undefined;
}

/** Shows steps; remembers the newest blocks of each node. */
export class Projector {
  readonly #with: ProjectorOptions;
  readonly #blocks = new Map<Machine, readonly BlockView[]>();
  /** What honest nodes have, by height; the first one counts. */
  readonly #agreed = new Map<number, string>();
  #forks: readonly number[] = [];

  /** Numbers by the beginnings of node IDs, which sessions are named after. */
  readonly #prefixes: ReadonlyMap<string, number>;

  constructor(options: ProjectorOptions) {
    this.#with = options;
    const prefixes = [...options.numbers].map(([id, number]) => [id.slice(0, 8), number] as const);
    this.#prefixes = new Map(prefixes);
  }

  /** A node wrote a block. */
  written(machine: Machine, { number, hash, transactions, sealer }: WrittenBlock): void {
    const block = { number, hash: bare(hash), transactions, sealer, seals: 0 };
    this.#add(machine, block);
    const group = machine.group();
    // What cannot be read any more, as of a group that is removed, is not shown.
    if (group) void this.#addSeals(machine, group, block).catch(() => undefined);
  }

  /** A node serves: what it has on disk is shown. */
  refill(machine: Machine): void {
    const group = machine.group();
    if (!group) return;
    const { number } = group.ledger.head();
    this.#blocks.set(machine, []);
    const from = Math.max(0, number - BLOCKS_SHOWN + 1);
    void this.#read(machine, group, from).catch(() => undefined);
  }

  /** The frame of a step. */
  show(shown: ShownStep): Frame {
    const { machines, notices, before, ...step } = shown;
    const { protocol, wire, rules } = this.#with;
    const touched = touchedBy(shown);
    const earlier = before?.nodes ?? [];
    const nodes = machines.map((machine, number) => {
      const known = earlier[number];
      if (known && touched && !touched.has(number)) return known;
      return share(known, this.#nodeView(machine));
    });
    const found = nodes.flatMap((node, number) => noticesOf(earlier[number], node));
    const forks = this.#forks.filter((height) => !before?.forks.includes(height));
    const all = [...notices, ...found, ...forks.map(forkNotice)];
    const flights = wire.flights();
    const frame: Frame = {
      ...step,
      protocol,
      nodes,
      flights,
      cuts: rules.cuts(),
      rules: rules.special(),
      events: all.map((notice) => eventOf(notice, shown)),
      forks: this.#forks,
      skipped: wire.flying - flights.length,
    };
    if (!before) return frame;
    const { cuts, rules: special, events } = frame;
    return {
      ...frame,
      nodes: nodes.every((node, at) => node === earlier[at] && nodes.length === earlier.length)
        ? before.nodes
        : nodes,
      cuts: share(before.cuts, cuts),
      rules: share(before.rules, special),
      events: share(before.events, events),
    };
  }

  #nodeView(machine: Machine): NodeView {
    const { numbers, wire } = this.#with;
    const { actors, number, nodeId } = machine;
    const cores = coresOf(actors, GROUP_ID);
    const sight = {
      numberOf: (id: string) => numbers.get(id),
      timeOf: (ms: number) => machine.timeOf(ms),
    };
    const { view, index } = consensusOf(cores, sight);
    const group = machine.group();
    const blocks = this.#blocks.get(machine) ?? [];
    const newest = blocks.at(-1);
    return {
      node: number,
      nodeId,
      power: machine.power,
      lie: machine.lie,
      role: index !== undefined ? "sealer" : group?.isMember() ? "observer" : "none",
      sealerIndex: index,
      groups: groupsOf(actors),
      height: newest?.number ?? 0,
      head: newest?.hash,
      blocks,
      pool: group?.pendingCount() ?? 0,
      consensus: view,
      sync: syncOf(cores),
      peers: wire.peersOf(number),
      actors: actorsOf(actors, (prefix) => this.#prefixes.get(prefix)),
      seenFromOutside: false,
    };
  }

  // --- blocks

  #add(machine: Machine, block: BlockView): void {
    const known = this.#blocks.get(machine) ?? [];
    const below = known.filter(({ number }) => number < block.number);
    const above = known.filter(({ number }) => number > block.number);
    this.#blocks.set(machine, [...below, block, ...above].slice(-BLOCKS_SHOWN));
    if (machine.hasLied) return;
    const agreed = this.#agreed.get(block.number) ?? block.hash;
    this.#agreed.set(block.number, agreed);
    if (agreed !== block.hash && !this.#forks.includes(block.number))
      this.#forks = [...this.#forks, block.number].sort((left, right) => left - right);
  }

  async #addSeals(machine: Machine, { ledger }: GroupApi, block: BlockView): Promise<void> {
    const hash = await ledger.hashOf(block.number);
    const seals = hash ? (await ledger.header(hash))?.seals.length : undefined;
    if (seals) this.#add(machine, { ...block, seals });
  }

  async #read(machine: Machine, { ledger }: GroupApi, from: number): Promise<void> {
    for (let number = from; number <= ledger.head().number; number++) {
      const hash = await ledger.hashOf(number);
      const block = hash && (await ledger.block(hash));
      const seals = hash && (await ledger.header(hash))?.seals.length;
      if (!hash || !block) return;
      const sealer = number === 0 ? undefined : block.header.sealer;
      const transactions = block.transactions.length;
      this.#add(machine, { number, hash: bare(hash), transactions, sealer, seals: seals ?? 0 });
    }
  }
}

function forkNotice(height: number): Notice {
  return { id: "fork", node: undefined, values: { height } };
}

function eventOf(notice: Notice, { step, timeMs }: ShownStep): TheatreEvent {
  return { step, timeMs, ...notice };
}

/** Numbers of the nodes that a step may have changed; undefined: all. */
function touchedBy({ cause, ended }: ShownStep): ReadonlySet<number> | undefined {
  return touchedByCause(cause, ended);
}

function touchedByCause(cause: Cause, ended: Frame["ended"]): ReadonlySet<number> | undefined {
  switch (cause.kind) {
    case "delivery":
      return new Set(ended.map(({ flight }) => flight.to));
    case "timer":
    case "disk":
    case "execution":
    case "load":
      return new Set([cause.node]);
    case "connection":
      return new Set([cause.from, cause.to]);
    default:
      return undefined;
  }
}
