/** Makes the frames of a stage: examines what a step has touched, and shares the rest. */
import type { AnyActor } from "xstate";
import type { WrittenBlock } from "../../../core/node/options/group-options.ts";
import { watchTransitions } from "./charts.ts";
import type { BlockView, Frame, NodeView, TakenView } from "./frame.ts";
import { actorsOf, BlockList, groupsOf, groupView, prefixesOf, shownName } from "./node-view.ts";
import { type Notice, noticesOf } from "./notice.ts";
import { share } from "./share.ts";
import { GROUP_ID } from "./stage/chain-setup.ts";
import type { LinkRules } from "./stage/link-rules.ts";
import type { Machine } from "./stage/machine.ts";
import type { Wire } from "./stage/wire.ts";

interface ProjectorOptions {
  readonly protocol: "pbft" | "raft";
  readonly wire: Wire;
  readonly rules: LinkRules;
  /** Numbers by node ID. */
  readonly numbers: ReadonlyMap<string, number>;
}

interface ShownStep extends Pick<Frame, "step" | "timeMs" | "cause" | "sent" | "ended" | "trace"> {
  readonly machines: readonly Machine[];
  readonly notices: readonly Notice[];
  readonly before: Frame | undefined;
}

/** Shows steps; remembers the newest blocks of each node. */
export class Projector {
  readonly #with: ProjectorOptions;
  readonly #blocks = new Map<Machine, BlockList>();
  /** What honest nodes have, by height; the first one counts. */
  readonly #agreed = new Map<number, string>();
  #forks: readonly number[] = [];
  /** Since the last frame. */
  #taken: TakenView[] = [];

  readonly #prefixes: ReadonlyMap<string, number>;

  constructor(options: ProjectorOptions) {
    this.#with = options;
    this.#prefixes = prefixesOf(options.numbers);
  }

  /** A node wrote a block. */
  written(machine: Machine, block: WrittenBlock): void {
    this.#blocksOf(machine).written(block, machine.group()?.ledger);
  }

  /** A node serves: what it has on disk is shown. */
  refill(machine: Machine): void {
    const group = machine.group();
    if (group) this.#blocksOf(machine).refill(group.ledger);
  }

  /** Notes what the actors of a node do from now on, while it has power. */
  watch(node: number, root: AnyActor, isAlive: () => boolean): void {
    watchTransitions(root, (name, taken) => {
      const actor = shownName(name, this.#prefixes);
      if (isAlive()) this.#taken.push({ node, actor, ...taken });
    });
  }

  /** The frame of a step; each field is named, as copies of all that are there cost more. */
  show(shown: ShownStep): Frame {
    const { machines, before, step, timeMs, cause, sent, ended, trace } = shown;
    const { protocol, wire, rules } = this.#with;
    const touched = touchedBy(shown);
    const earlier = before?.nodes ?? [];
    const nodes = machines.map((machine, number) => {
      const known = earlier[number];
      if (known && touched && !touched.has(number)) return known;
      return share(known, this.#nodeView(machine));
    });
    const areSame =
      nodes.length === earlier.length && nodes.every((node, at) => node === earlier[at]);
    const flights = wire.flights();
    const events = this.#noticesOf(shown, nodes).map(({ id, node, values }) => ({
      step,
      timeMs,
      id,
      node,
      values,
    }));
    // What nodes did to start belongs to no step.
    const taken = before ? this.#taken : [];
    this.#taken = [];
    return {
      step,
      timeMs,
      cause,
      sent,
      ended,
      trace,
      protocol,
      nodes: before && areSame ? before.nodes : nodes,
      flights,
      cuts: share(before?.cuts, rules.cuts()),
      rules: share(before?.rules, rules.special()),
      events: share(before?.events, events),
      taken: share(before?.taken, taken),
      forks: this.#forks,
      skipped: wire.flying - flights.length,
    };
  }

  /** What was reported of a step, and what its nodes show. */
  #noticesOf({ notices, before }: ShownStep, nodes: readonly NodeView[]): readonly Notice[] {
    const found = nodes.flatMap((node, number) => noticesOf(before?.nodes[number], node));
    const forks = this.#forks.filter((height) => !before?.forks.includes(height));
    const forked = forks.map(
      (height): Notice => ({ id: "fork", node: undefined, values: { height } }),
    );
    return [...notices, ...found, ...forked];
  }

  #nodeView(machine: Machine): NodeView {
    const { numbers, wire } = this.#with;
    const { actors, number, nodeId, power, lie } = machine;
    const { blocks } = this.#blocksOf(machine);
    const sight = {
      numberOf: (id: string) => numbers.get(id),
      timeOf: (ms: number) => machine.timeOf(ms),
    };
    return {
      node: number,
      nodeId,
      power,
      lie,
      groups: groupsOf(actors),
      peers: wire.peersOf(number),
      actors: actorsOf(actors, this.#prefixes),
      ...groupView({ actors, groupId: GROUP_ID, group: machine.group(), blocks, sight }),
    };
  }

  #blocksOf(machine: Machine): BlockList {
    const list = this.#blocks.get(machine) ?? new BlockList((block) => this.#agree(machine, block));
    this.#blocks.set(machine, list);
    return list;
  }

  #agree({ hasLied }: Machine, { number, hash }: BlockView): void {
    if (hasLied) return;
    const agreed = this.#agreed.get(number) ?? hash;
    this.#agreed.set(number, agreed);
    if (agreed !== hash && !this.#forks.includes(number))
      this.#forks = [...this.#forks, number].sort((left, right) => left - right);
  }
}

/** Numbers of the nodes that a step may have changed; undefined: all. */
function touchedBy({ cause, ended }: ShownStep): ReadonlySet<number> | undefined {
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
