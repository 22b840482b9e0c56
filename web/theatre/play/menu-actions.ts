/** What can be done to nodes and messages, with the words for it. */
import type { Frame, NodeView } from "../../../runtimes/shared/theatre/frame.ts";
import type { Action, GroupOperationName, Lie } from "../../../runtimes/shared/theatre/scenario.ts";
import { text } from "../../texts.ts";
import { isLeader } from "./standing.ts";

/** Something that can be done now. */
export interface MenuAction {
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

/** What an operator may do with group 1 in the state that it is in. Source: groups 2 */
const OPERATIONS: Readonly<Record<string, readonly GroupOperationName[]>> = {
  RUNNING: ["stop"],
  STOPPED: ["start", "remove"],
  DELETED: ["recover"],
};

/** Everything that can be done to a node now. */
export function menuActionsOf(view: NodeView, frame: Frame): readonly MenuAction[] {
  const { node, power, groups } = view;
  if (power === "off") return [menuAction("restart", { kind: "restart", node })];
  const others = frame.nodes.map((one) => one.node).filter((other) => other !== node);
  const links = { of: "node", node } as const;
  return [
    menuAction("kill", { kind: "kill", node }),
    menuAction("restart", { kind: "restart", node }, "restart.running"),
    simple(power === "paused" ? "resume" : "pause", node),
    menuAction("send", { kind: "send", node, count: 1 }),
    ...liesOf(view, frame),
    menuAction("isolate", { kind: "partition", sides: [[node], others] }),
    menuAction("slow", { kind: "delay", ...SLOW_MS, links }),
    menuAction("lose", { kind: "loss", percent: LOSS_PERCENT, links }),
    menuAction("double", { kind: "duplicate", percent: DUPLICATE_PERCENT, links }),
    ...MEMBER_ACTIONS[view.role].map((kind) => simple(kind, node)),
    ...(OPERATIONS[groups[0]?.status ?? ""] ?? []).map((operation) =>
      menuAction(`group.${operation}`, { kind: "group", node, operation, group: 1 }),
    ),
  ];
}

function menuAction(id: string, action: Action, label = id): MenuAction {
  return { id, label: text(`do.${label}`), action };
}

type SimpleKind = "resume" | "pause" | "honest" | "addSealer" | "addObserver" | "removeNode";

/** An action that needs no more than the node. */
function simple(kind: SimpleKind, node: number): MenuAction {
  return menuAction(kind, { kind, node });
}

function liesOf({ node, lie }: NodeView, { protocol }: Frame): readonly MenuAction[] {
  if (lie) return [simple("honest", node)];
  // Raft trusts its sealers: one that lies in another way is no fault that it survives.
  const lies = protocol === "raft" ? LIES.filter((one) => one === "silent") : LIES;
  return lies.map((one) => menuAction(`lie.${one}`, { kind: "lie", node, lie: one }));
}

/** How a node's part in the group may change. */
const MEMBER_ACTIONS = {
  sealer: ["addObserver", "removeNode"],
  observer: ["addSealer", "removeNode"],
  none: ["addSealer", "addObserver"],
} as const satisfies Record<NodeView["role"], readonly SimpleKind[]>;

/** The node that most running nodes take for the leader. */
export function leaderOf({ nodes }: Frame): number | undefined {
  return nodes.find((node) => node.power === "on" && isLeader(node))?.node;
}

/** Stops the leader, or restarts the node that is off. */
export function leaderAction(frame: Frame): Action | undefined {
  const off = frame.nodes.find(({ power }) => power === "off");
  if (off) return { kind: "restart", node: off.node };
  const leader = leaderOf(frame);
  return leader === undefined ? undefined : { kind: "kill", node: leader };
}

/** Where a client's transaction goes: to the leader, else to a node that runs. */
export function clientAction(frame: Frame): Action | undefined {
  const running = frame.nodes.find(({ power, role }) => power === "on" && role === "sealer");
  const node = leaderOf(frame) ?? running?.node;
  return node === undefined ? undefined : { kind: "send", node, count: 1 };
}
