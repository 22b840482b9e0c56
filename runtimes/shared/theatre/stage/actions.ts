/** Does to the machines and the wire what an action says. */
import { unreachable } from "../../../../core/fault/invariant.ts";
import type { GroupOperation, SubmitOutcome } from "../../../../core/api/node-api.ts";
import { bare } from "../message-view.ts";
import type { Notice } from "../notice.ts";
import { type Action, type Links, MAX_NODES } from "../scenario.ts";
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
} as const satisfies Record<string, GroupOperation>;

/** Does it; why it could not be done, else undefined. What follows from it follows later. */
export function perform(action: Action, scene: Scene): Reason | undefined {
  const { wire, machines, agenda } = scene;
  switch (action.kind) {
    case "partition":
    case "oneWay":
    case "cut":
    case "heal":
    case "delay":
    case "loss":
    case "duplicate":
      return changeLinks(action, scene);
    case "hold":
      return message(scene, action, wire.hold(action.message));
    case "deliver":
      return message(scene, action, wire.deliver(action.message));
    case "drop":
      return message(scene, action, wire.drop(action.message));
    case "spread":
      if (!spreadTimers(machines, agenda.now)) return "nobodyWaits";
      return tell(scene, { id: "timersSpread", node: undefined, values: {} });
    case "align":
      if (!alignTimers(machines)) return "nobodyWaits";
      return tell(scene, { id: "timersAligned", node: undefined, values: {} });
    case "addNode":
      return addNode(scene);
    default: {
      const machine = machines[action.node];
      return machine ? performAt(machine, action, scene) : "noSuchNode";
    }
  }
}

type NodeAction = Extract<Action, { readonly node: number }>;

function performAt(machine: Machine, action: NodeAction, scene: Scene): Reason | undefined {
  const { power, number } = machine;
  switch (action.kind) {
    case "kill":
      return power === "off" ? "isOff" : kill(machine, scene);
    case "restart":
      if (power !== "off") kill(machine, scene);
      machine.start();
      return tell(scene, { id: "started", node: number, values: {} });
    case "pause":
      if (power === "off") return "isOff";
      if (power === "paused") return "isPaused";
      machine.paused = true;
      return tell(scene, { id: "paused", node: number, values: {} });
    case "resume":
      if (power !== "paused") return "isNotPaused";
      tell(scene, { id: "resumed", node: number, values: {} });
      machine.resume();
      return undefined;
    case "lie":
      if (scene.protocol === "raft" && action.lie !== "silent") return "notInRaft";
      machine.lie = action.lie;
      machine.hasLied = true;
      return tell(scene, { id: "lieBegan", node: number, values: { lie: action.lie } });
    case "honest":
      machine.lie = undefined;
      return tell(scene, { id: "lieEnded", node: number, values: {} });
    case "send":
      return send(machine, action.count, scene);
    case "addSealer":
    case "addObserver":
      return changeMember(machine, action.kind, scene);
    case "removeNode":
      return changeMember(machine, "remove", scene);
    case "group":
      return manage(machine, action, scene);
    default:
      return unreachable(action);
  }
}

function tell(scene: Scene, notice: Notice): undefined {
  scene.notice(notice);
}

function kill(machine: Machine, scene: Scene): undefined {
  machine.kill();
  scene.wire.leave(machine.number);
  tell(scene, { id: "killed", node: machine.number, values: {} });
}

// --- links

type LinkAction = Extract<
  Action,
  { readonly kind: "partition" | "oneWay" | "cut" | "heal" | "delay" | "loss" | "duplicate" }
>;

function changeLinks(action: LinkAction, scene: Scene): Reason | undefined {
  const { rules, wire } = scene;
  switch (action.kind) {
    case "partition":
    case "oneWay": {
      rules.split(action.sides, action.kind === "oneWay");
      const sides = action.sides.map((side) => side.join()).join("|");
      tell(scene, { id: "partitioned", node: undefined, values: { sides } });
      break;
    }
    case "cut": {
      const { from, to } = action;
      if (from === to) return "sameNode";
      rules.cut(from, to);
      tell(scene, { id: "linkCut", node: undefined, values: { from, to } });
      break;
    }
    case "heal":
      rules.heal();
      tell(scene, { id: "healed", node: undefined, values: {} });
      break;
    case "delay": {
      const { fromMs, toMs, links } = action;
      rules.set(links, { delayMs: { from: fromMs, to: toMs } });
      return ruleChanged(scene, links, { delayMs: `${fromMs}-${toMs}` });
    }
    case "loss":
      rules.set(action.links, { lossPercent: action.percent });
      return ruleChanged(scene, action.links, { lossPercent: action.percent });
    case "duplicate":
      rules.set(action.links, { duplicatePercent: action.percent });
      return ruleChanged(scene, action.links, { duplicatePercent: action.percent });
  }
  wire.rulesChanged();
  return undefined;
}

function ruleChanged(scene: Scene, links: Links, values: Notice["values"]): undefined {
  const node = links.of === "node" ? links.node : undefined;
  const ends = links.of === "link" ? { from: links.from, to: links.to } : {};
  scene.notice({ id: "ruleChanged", node, values: { ...values, ...ends } });
}

function message(
  scene: Scene,
  { kind, message: id }: { readonly kind: "hold" | "deliver" | "drop"; readonly message: number },
  done: boolean,
): Reason | undefined {
  if (!done) return "noSuchMessage";
  const ids = { hold: "held", deliver: "released", drop: "dropped" } as const;
  return tell(scene, { id: ids[kind], node: undefined, values: { message: id } });
}

// --- clients and operators

function send(machine: Machine, count: number, scene: Scene): Reason | undefined {
  if (machine.power !== "on") return machine.power === "paused" ? "isPaused" : "isOff";
  const group = machine.group();
  if (!group) return "groupStopped";
  tell(scene, { id: "transactionSent", node: machine.number, values: { count } });
  for (let sent = 0; sent < count; sent++)
    answered(scene.client.send(group), machine.number, scene);
  return undefined;
}

function answered(work: Promise<SubmitOutcome>, node: number, scene: Scene): void {
  const refused = (reason: string) =>
    scene.notice({ id: "transactionRefused", node, values: { reason } });
  work.then(
    (outcome) => {
      if (!outcome.ok) return refused(outcome.refusal);
      scene.notice({ id: "transactionTaken", node, values: { hash: bare(outcome.hash) } });
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
  const { number } = taker;
  tell(scene, { id: "transactionSent", node: number, values: { count: 1 } });
  answered(scene.client.changeMember(group, method, subject.nodeId), number, scene);
  return undefined;
}

function addNode(scene: Scene): Reason | undefined {
  if (scene.machines.length >= MAX_NODES) return "tooManyNodes";
  const machine = scene.addMachine();
  tell(scene, { id: "nodeAdded", node: machine.number, values: {} });
  machine.start();
  changeMember(machine, "addObserver", scene);
  return undefined;
}

function manage(
  machine: Machine,
  { operation, group }: Extract<Action, { readonly kind: "group" }>,
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
  const node = machine.number;
  const refused = (reason: string, code: number) =>
    scene.notice({ id: "actionRefused", node, values: { reason, code, action: "group" } });
  api.manageGroup(OPERATIONS[operation], group, isNew ? params : undefined).then(
    ({ code, message: reason }) => {
      if (code !== 0) refused(reason, code);
    },
    (cause: unknown) => refused(String(cause), 1),
  );
  return undefined;
}
