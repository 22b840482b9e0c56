/** Does to the machines and the wire what an action says. */
import type { GroupOperation, SubmitOutcome } from "../../../../core/api/node-api.ts";
import { bare } from "../message-view.ts";
import type { Notice } from "../notice.ts";
import { type Action, type GroupOperationName, type Links, MAX_NODES } from "../scenario.ts";
import type { Agenda } from "./agenda.ts";
import { EPOCH_MS } from "./chain-setup.ts";
import type { Client, MemberMethod } from "./client.ts";
import type { LinkRules } from "./link-rules.ts";
import type { Machine } from "./machine.ts";
import { alignTimers, spreadTimers } from "./timers.ts";
import type { Wire } from "./wire.ts";

/** What actions are done to. */
export interface Scene {
  readonly protocol: "pbft" | "raft";
  readonly agenda: Agenda;
  readonly machines: readonly Machine[];
  readonly wire: Wire;
  readonly rules: LinkRules;
  readonly client: Client;
  addMachine(): Machine;
  notice(notice: Notice): void;
}

type Reason =
  | "noSuchNode"
  | "noSuchMessage"
  | "isOff"
  | "isOn"
  | "isPaused"
  | "isNotPaused"
  | "groupStopped"
  | "tooManyNodes"
  | "notInRaft"
  | "nobodyWaits"
  | "sameNode";

const OPERATIONS = {
  start: "startGroup",
  stop: "stopGroup",
  remove: "removeGroup",
  recover: "recoverGroup",
  generate: "generateGroup",
} as const satisfies Record<GroupOperationName, GroupOperation>;

type Of<Kind> = Extract<Action, { readonly kind: Kind }>;
type Doer<Kind> = (scene: Scene, action: Of<Kind>) => Reason | undefined;
type OfNode = Extract<Action, { readonly node: number }>;

/** Does something to the node that the action names. */
function atNode<One extends OfNode>(
  run: (machine: Machine, scene: Scene, action: One) => Reason | undefined,
) {
  return (scene: Scene, action: One): Reason | undefined => {
    const machine = scene.machines[action.node];
    return machine ? run(machine, scene, action) : "noSuchNode";
  };
}

const DOERS: { readonly [Kind in Action["kind"]]: Doer<Kind> } = {
  kill: atNode((machine, scene) => (machine.power === "off" ? "isOff" : kill(machine, scene))),
  restart: atNode((machine, scene) => {
    if (machine.power !== "off") kill(machine, scene);
    machine.start();
    return tell(scene, "started", machine.number);
  }),
  pause: atNode((machine, scene) => {
    if (machine.power === "off") return "isOff";
    if (machine.power === "paused") return "isPaused";
    machine.paused = true;
    return tell(scene, "paused", machine.number);
  }),
  resume: atNode((machine, scene) => {
    if (machine.power !== "paused") return "isNotPaused";
    tell(scene, "resumed", machine.number);
    machine.resume();
    return undefined;
  }),
  lie: atNode((machine, scene, { lie }) => {
    if (scene.protocol === "raft" && lie !== "silent") return "notInRaft";
    machine.lie = lie;
    machine.hasLied = true;
    return tell(scene, "lieBegan", machine.number, { lie });
  }),
  honest: atNode((machine, scene) => {
    machine.lie = undefined;
    return tell(scene, "lieEnded", machine.number);
  }),
  send: atNode((machine, scene, { count }) => send(machine, count, scene)),
  addSealer: atNode((machine, scene) => changeMember(machine, "addSealer", scene)),
  addObserver: atNode((machine, scene) => changeMember(machine, "addObserver", scene)),
  removeNode: atNode((machine, scene) => changeMember(machine, "remove", scene)),
  group: atNode((machine, scene, action) => manage(machine, action, scene)),
  addNode,
  partition: (scene, { sides }) => split(scene, sides, false),
  oneWay: (scene, { sides }) => split(scene, sides, true),
  cut: (scene, { from, to }) => {
    if (from === to) return "sameNode";
    scene.rules.cut(from, to);
    return linksChanged(scene, "linkCut", { from, to });
  },
  heal: (scene) => {
    scene.rules.heal();
    return linksChanged(scene, "healed");
  },
  delay: (scene, { fromMs, toMs, links }) => {
    scene.rules.set(links, { delayMs: { from: fromMs, to: toMs } });
    return ruleChanged(scene, links, { delayMs: `${fromMs}-${toMs}` });
  },
  loss: (scene, { percent, links }) => {
    scene.rules.set(links, { lossPercent: percent });
    return ruleChanged(scene, links, { lossPercent: percent });
  },
  duplicate: (scene, { percent, links }) => {
    scene.rules.set(links, { duplicatePercent: percent });
    return ruleChanged(scene, links, { duplicatePercent: percent });
  },
  hold: (scene, { message }) =>
    scene.wire.hold(message) ? tell(scene, "held", undefined, { message }) : "noSuchMessage",
  deliver: (scene, { message }) =>
    scene.wire.deliver(message) ? tell(scene, "released", undefined, { message }) : "noSuchMessage",
  drop: (scene, { message }) =>
    scene.wire.drop(message) ? tell(scene, "dropped", undefined, { message }) : "noSuchMessage",
  spread: (scene) =>
    spreadTimers(scene.machines, scene.agenda.now) ? tell(scene, "timersSpread") : "nobodyWaits",
  align: (scene) => (alignTimers(scene.machines) ? tell(scene, "timersAligned") : "nobodyWaits"),
};

/** Does it; why it could not be done, else undefined. What follows from it follows later. */
export function perform(action: Action, scene: Scene): Reason | undefined {
  return (DOERS[action.kind] as Doer<Action["kind"]>)(scene, action);
}

function tell(
  scene: Scene,
  id: Notice["id"],
  node?: number,
  values: Notice["values"] = {},
): undefined {
  scene.notice({ id, node, values });
}

function kill(machine: Machine, scene: Scene): undefined {
  machine.kill();
  scene.wire.leave(machine.number);
  tell(scene, "killed", machine.number);
}

function split(scene: Scene, sides: readonly (readonly number[])[], oneWay: boolean): undefined {
  scene.rules.split(sides, oneWay);
  const words = sides.map((side) => side.join()).join("|");
  return linksChanged(scene, "partitioned", { sides: words });
}

function linksChanged(scene: Scene, id: Notice["id"], values?: Notice["values"]): undefined {
  tell(scene, id, undefined, values);
  scene.wire.rulesChanged();
}

function ruleChanged(scene: Scene, links: Links, values: Notice["values"]): undefined {
  const node = links.of === "node" ? links.node : undefined;
  const ends = links.of === "link" ? { from: links.from, to: links.to } : {};
  tell(scene, "ruleChanged", node, { ...values, ...ends });
}

// --- clients and operators

function send(machine: Machine, count: number, scene: Scene): Reason | undefined {
  if (machine.power !== "on") return machine.power === "paused" ? "isPaused" : "isOff";
  const group = machine.group();
  if (!group) return "groupStopped";
  tell(scene, "transactionSent", machine.number, { count });
  for (let sent = 0; sent < count; sent++)
    answered(scene.client.send(group), machine.number, scene);
  return undefined;
}

function answered(work: Promise<SubmitOutcome>, node: number, scene: Scene): void {
  const refused = (reason: string) => tell(scene, "transactionRefused", node, { reason });
  work.then(
    (outcome) => {
      if (!outcome.ok) return refused(outcome.refusal);
      tell(scene, "transactionTaken", node, { hash: bare(outcome.hash) });
    },
    // The group ended meanwhile.
    () => refused("groupStopped"),
  );
}

/** The list of members is changed by a transaction, which some node that runs takes. */
function changeMember(subject: Machine, method: MemberMethod, scene: Scene): Reason | undefined {
  const taker = scene.machines.find(
    (machine) => machine.power === "on" && machine.group()?.isMember() && !machine.lie,
  );
  const group = taker?.group();
  if (!taker || !group) return "isOff";
  tell(scene, "transactionSent", taker.number, { count: 1 });
  answered(scene.client.changeMember(group, method, subject.nodeId), taker.number, scene);
  return undefined;
}

function addNode(scene: Scene): Reason | undefined {
  if (scene.machines.length >= MAX_NODES) return "tooManyNodes";
  const machine = scene.addMachine();
  tell(scene, "nodeAdded", machine.number);
  machine.start();
  changeMember(machine, "addObserver", scene);
  return undefined;
}

function manage(
  machine: Machine,
  { operation, group }: Of<"group">,
  scene: Scene,
): Reason | undefined {
  if (machine.power === "paused") return "isPaused";
  const api = machine.node()?.api;
  if (!api) return "isOff";
  const sealers = scene.machines
    .filter(({ power }) => power === "on")
    .map(({ nodeId }) => nodeId)
    .sort();
  const params = { timestamp: BigInt(EPOCH_MS), sealers, freeStorage: false };
  const isNew = operation === "generate";
  const refused = (reason: string, code: number) =>
    tell(scene, "actionRefused", machine.number, { reason, code, action: "group" });
  api.manageGroup(OPERATIONS[operation], group, isNew ? params : undefined).then(
    ({ code, message: reason }) => {
      if (code !== 0) refused(reason, code);
    },
    (cause: unknown) => refused(String(cause), 1),
  );
  return undefined;
}
