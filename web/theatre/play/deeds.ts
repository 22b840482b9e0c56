/** What can be done to nodes and messages, with the words for it. */
import type { Frame, NodeView } from "../../../runtimes/shared/theatre/frame.ts";
import type { Action, GroupOperationName, Lie } from "../../../runtimes/shared/theatre/scenario.ts";
import { text } from "../../texts.ts";
import { isLeader } from "./standing.ts";

/** Something that can be done now. */
export interface Deed {
  /** Names it in the page, as for tests. */
  readonly id: string;
  readonly label: string;
  readonly action: Action;
}

const LIES: readonly Lie[] = ["equivocate", "silent", "forge"];
/** What `slow`, `lose` and `duplicate` of a menu mean; the links dialog sets any value. */
const SLOW_MS = { fromMs: 400, toMs: 600 };
const LOSS_PERCENT = 50;
const DUPLICATE_PERCENT = 50;

/** Everything that can be done to a node now. */
export function deedsOf(node: NodeView, frame: Frame): readonly Deed[] {
  const number = node.node;
  const deed = (id: string, action: Action, label = id): Deed => ({
    id,
    label: text(`do.${label}`),
    action,
  });
  const isUp = node.power !== "off";
  const power = isUp
    ? [
        deed("kill", { kind: "kill", node: number }),
        deed("restart", { kind: "restart", node: number }, "restart.running"),
        node.power === "paused"
          ? deed("resume", { kind: "resume", node: number })
          : deed("pause", { kind: "pause", node: number }),
      ]
    : [deed("restart", { kind: "restart", node: number })];
  if (!isUp) return power;
  return [
    ...power,
    deed("send", { kind: "send", node: number, count: 1 }),
    ...liesOf(node, frame).map((one) => deed(one.id, one.action)),
    deed("isolate", { kind: "partition", sides: [[number], othersOf(number, frame)] }),
    ...linkDeeds(number).map((one) => deed(one.id, one.action)),
    ...memberDeeds(node).map((one) => deed(one.id, one.action)),
    ...groupDeeds(node).map((one) => deed(one.id, one.action)),
  ];
}

/** What an operator may do with group 1 in the state that it is in. Source: groups 2 */
const OPERATIONS: Readonly<Record<string, readonly GroupOperationName[]>> = {
  RUNNING: ["stop"],
  STOPPED: ["start", "remove"],
  DELETED: ["recover"],
};

function groupDeeds({ node, groups }: NodeView): readonly Bare[] {
  const status = groups[0]?.status ?? "";
  return (OPERATIONS[status] ?? []).map((operation) => ({
    id: `group.${operation}`,
    action: { kind: "group", node, operation, group: 1 },
  }));
}

type Bare = Omit<Deed, "label">;

function liesOf({ node, lie }: NodeView, { protocol }: Frame): readonly Bare[] {
  if (lie) return [{ id: "honest", action: { kind: "honest", node } }];
  // Raft trusts its sealers: one that lies in another way is no fault that it survives.
  const lies = protocol === "raft" ? LIES.filter((one) => one === "silent") : LIES;
  return lies.map((one) => ({ id: `lie.${one}`, action: { kind: "lie", node, lie: one } }));
}

function linkDeeds(node: number): readonly Bare[] {
  const links = { of: "node", node } as const;
  return [
    { id: "slow", action: { kind: "delay", ...SLOW_MS, links } },
    { id: "lose", action: { kind: "loss", percent: LOSS_PERCENT, links } },
    { id: "double", action: { kind: "duplicate", percent: DUPLICATE_PERCENT, links } },
  ];
}

function memberDeeds({ node, role }: NodeView): readonly Bare[] {
  if (role === "sealer")
    return [
      { id: "addObserver", action: { kind: "addObserver", node } },
      { id: "removeNode", action: { kind: "removeNode", node } },
    ];
  const sealer: Bare = { id: "addSealer", action: { kind: "addSealer", node } };
  if (role === "none")
    return [sealer, { id: "addObserver", action: { kind: "addObserver", node } }];
  return [sealer, { id: "removeNode", action: { kind: "removeNode", node } }];
}

function othersOf(node: number, { nodes }: Frame): readonly number[] {
  return nodes.map((one) => one.node).filter((other) => other !== node);
}

/** The node that most running nodes take for the leader. */
export function leaderOf({ nodes }: Frame): number | undefined {
  return nodes.find((node) => node.power === "on" && isLeader(node))?.node;
}

/** Stops the leader, or restarts the node that is off. */
export function leaderDeed(frame: Frame): Action | undefined {
  const off = frame.nodes.find(({ power }) => power === "off");
  if (off) return { kind: "restart", node: off.node };
  const leader = leaderOf(frame);
  return leader === undefined ? undefined : { kind: "kill", node: leader };
}

/** Where a client's transaction goes: to the leader, else to a node that runs. */
export function clientDeed(frame: Frame): Action | undefined {
  const running = frame.nodes.find(({ power, role }) => power === "on" && role === "sealer");
  const node = leaderOf(frame) ?? running?.node;
  return node === undefined ? undefined : { kind: "send", node, count: 1 };
}
