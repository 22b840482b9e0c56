/** Scenarios as texts that fit into a URL. The grammar stands at the head of `scenario.ts`. */
import { ACTION_WORDS, type ActionWord, readAction, writeAction } from "./action-words.ts";
import {
  type Action,
  DEFAULT_SCENARIO,
  MAX_ACTIONS,
  MAX_MS,
  MAX_NODES,
  MAX_STEP,
  MAX_TEXT,
  type MsRange,
  type ParsedScenario,
  type Scenario,
  type ScenarioFault,
  type ScenarioFaultCode,
  SCENARIO_VERSION,
  type TimedAction,
  type When,
} from "./scenario.ts";
import { numberPart, type Part, readNumber, Refused } from "./words.ts";

const SHOWN_OF_FIELD = 80;
const WHEN = /^([ts])(\d{1,9})(?:_(\d{1,9}))?$/;

function rangePart(least: number, most: number): Part {
  return {
    read: (words): MsRange => {
      const from = readNumber(words.shift(), least, most);
      return { from, to: readNumber(words.shift(), from, most) };
    },
    write: (value) => Object.values(value as MsRange).map(String),
  };
}

const SHOW: Part = {
  read: (words) => {
    const when = readWhen(words.shift() ?? "");
    if (!when) throw new Refused("badValue");
    return when;
  },
  write: (when) => (when === undefined ? [] : [whenText(when as When)]),
};

/** The settings in their order, each of this many words. */
const SETTINGS: Readonly<Record<string, readonly [keyof Scenario, Part, words?: number]>> = {
  nodes: ["nodes", numberPart(1, MAX_NODES)],
  sealers: ["sealers", numberPart(1, MAX_NODES)],
  seed: ["seed", numberPart(0, 0xffff_ffff)],
  execute: ["executeMs", numberPart(0, 60_000)],
  disk: ["diskMs", numberPart(0, 10_000)],
  block: ["blockMs", numberPart(1, 10_000)],
  load: ["loadMs", numberPart(0, MAX_MS)],
  delay: ["delayMs", rangePart(1, 60_000), 2],
  elect: ["electMs", rangePart(50, 60_000), 2],
  show: ["show", SHOW],
};

/** Writes a scenario; what is as by default is left out. */
export function formatScenario(scenario: Scenario): string {
  const fields = [String(SCENARIO_VERSION), scenario.protocol];
  const usual = { ...DEFAULT_SCENARIO, sealers: scenario.nodes };
  for (const [word, [field, part]] of Object.entries(SETTINGS)) {
    const values = part.write(scenario[field]).join("-");
    if (values !== part.write(usual[field]).join("-")) fields.push(`${word}-${values}`);
  }
  for (const { when, action } of scenario.actions)
    fields.push([whenText(when), ...writeAction(action)].join("-"));
  return fields.join(".");
}

/** Reads a scenario; a text that is none gets a fault that names the field. */
export function parseScenario(text: string): ParsedScenario {
  if (text.length > MAX_TEXT) return refused("tooLong", 0, text);
  const fields = text.trim().split(".");
  let position = 0;
  try {
    if (fields[0] !== String(SCENARIO_VERSION)) throw new Refused("version");
    position = 1;
    const protocol = fields[1];
    if (protocol !== "pbft" && protocol !== "raft") throw new Refused("protocol");
    const draft = new Draft(protocol);
    for (position = 2; position < fields.length; position++) draft.take(fields[position] ?? "");
    const scenario = draft.finish();
    const fault = faultOfActions(scenario, fields);
    return fault ? { ok: false, fault } : { ok: true, scenario };
  } catch (cause) {
    if (!(cause instanceof Refused)) throw cause;
    return refused(cause.code, position, fields[position] ?? "");
  }
}

/** What is wrong with an action in a scenario of this many nodes; undefined: nothing. */
export function faultOfAction(
  action: Action,
  { protocol, nodes }: { readonly protocol: "pbft" | "raft"; readonly nodes: number },
): ScenarioFaultCode | undefined {
  if (protocol === "raft" && action.kind === "lie" && action.lie !== "silent") return "notInRaft";
  const named = nodesOf(action);
  if (named.some((node) => node >= nodes)) return "noSuchNode";
  if (action.kind === "addNode" && nodes >= MAX_NODES) return "outOfRange";
  return undefined;
}

function refused(code: ScenarioFaultCode, position: number, field: string): ParsedScenario {
  return { ok: false, fault: { code, position, field: field.slice(0, SHOWN_OF_FIELD) } };
}

function faultOfActions(scenario: Scenario, fields: readonly string[]): ScenarioFault | undefined {
  const { actions, protocol } = scenario;
  // Nodes that are added may be named anywhere: what comes first is known only when it is played.
  const added = actions.filter(({ action }) => action.kind === "addNode").length;
  const nodes = scenario.nodes + added;
  const position = fields.length - actions.length;
  if (nodes > MAX_NODES) {
    const field = fields.find((text) => text.endsWith("addNode")) ?? "";
    return { code: "outOfRange", position: fields.indexOf(field), field };
  }
  const isAction = (text: string) => WHEN.test(text.split("-")[0] ?? "");
  const positions = fields.flatMap((text, at) => (isAction(text) ? [at] : []));
  for (const [index, { action }] of actions.entries()) {
    const code = action.kind === "addNode" ? undefined : faultOfAction(action, { protocol, nodes });
    const at = positions[index] ?? position;
    if (code) return { code, position: at, field: (fields[at] ?? "").slice(0, SHOWN_OF_FIELD) };
  }
  return undefined;
}

function nodesOf(action: Action): readonly number[] {
  switch (action.kind) {
    case "partition":
    case "oneWay":
      return action.sides.flat();
    case "cut":
      return [action.from, action.to];
    case "delay":
    case "loss":
    case "duplicate": {
      const { links } = action;
      if (links.of === "node") return [links.node];
      return links.of === "link" ? [links.from, links.to] : [];
    }
    default:
      return "node" in action ? [action.node] : [];
  }
}

function whenText(when: When): string {
  if (!("afterStep" in when)) return `t${when.atMs}`;
  return when.atMs === undefined ? `s${when.afterStep}` : `s${when.afterStep}_${when.atMs}`;
}

function readWhen(text: string): When | undefined {
  const [, letter, digits = "", later] = WHEN.exec(text) ?? [];
  if (letter === undefined || (letter === "t" && later !== undefined)) return undefined;
  if (letter === "t") return { atMs: readNumber(digits, 0, MAX_MS) };
  const afterStep = readNumber(digits, 0, MAX_STEP);
  return later === undefined ? { afterStep } : { afterStep, atMs: readNumber(later, 0, MAX_MS) };
}

/** A scenario that is being read. */
class Draft {
  readonly #settings: Record<string, unknown> = {};
  readonly #seen = new Set<string>();
  readonly #actions: TimedAction[] = [];
  readonly #protocol: "pbft" | "raft";

  constructor(protocol: "pbft" | "raft") {
    this.#protocol = protocol;
  }

  take(field: string): void {
    const [word = "", ...values] = field.split("-");
    const when = readWhen(word);
    if (when) return this.#takeAction(when, values);
    if (this.#seen.has(word)) throw new Refused("twice");
    this.#seen.add(word);
    const setting = Object.hasOwn(SETTINGS, word) ? SETTINGS[word] : undefined;
    if (!setting) throw new Refused("unknownSetting");
    const [name, part, words = 1] = setting;
    if (values.length !== words) throw new Refused("badValue");
    this.#settings[name] = part.read(values);
  }

  finish(): Scenario {
    const given: Scenario = { ...DEFAULT_SCENARIO, ...this.#settings, protocol: this.#protocol };
    const { sealers = given.nodes } = this.#settings as Partial<Scenario>;
    if (sealers > given.nodes) throw new Refused("outOfRange");
    return { ...given, sealers, actions: this.#actions };
  }

  #takeAction(when: When, [kind = "", ...values]: readonly string[]): void {
    if (!Object.hasOwn(ACTION_WORDS, kind)) throw new Refused("unknownAction");
    if (this.#actions.length >= MAX_ACTIONS) throw new Refused("tooManyActions");
    this.#actions.push({ when, action: readAction(kind as ActionWord, values) });
  }
}
