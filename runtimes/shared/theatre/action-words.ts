/** Actions as words: `kill-0`, `partition-0_1-2_3`, `delay-100-200-n2`. */
import { type Action, MAX_NODES, MAX_STEP, type Links } from "./scenario.ts";
import { numberPart, type Part, readNumber, Refused } from "./words.ts";

const MOST_MS = 60_000;
const MOST_SENT = 100;

function wordPart(allowed: readonly string[]): Part {
  return {
    read: (words) => {
      const word = words.shift() ?? "";
      if (!allowed.includes(word)) throw new Refused("badValue");
      return word;
    },
    write: (value) => [String(value)],
  };
}

const NODE = numberPart(0, MAX_NODES - 1);
const MS = numberPart(1, MOST_MS);
const PERCENT = numberPart(0, 100);
/** Messages are counted as steps are, and more of them are sent. */
const MESSAGE = numberPart(0, MAX_STEP * MAX_NODES);

const SIDES: Part = {
  read: (words) => {
    const sides = words.splice(0).map((side) => side.split("_").map(readNode));
    const all = sides.flat();
    if (sides.length < 2) throw new Refused("badValue");
    if (new Set(all).size !== all.length) throw new Refused("twice");
    return sides;
  },
  write: (value) => (value as readonly (readonly number[])[]).map((side) => side.join("_")),
};

/** Nothing: all links; `n2`: of a node; `0_2`: from one to another. */
const LINKS: Part = {
  read: (words): Links => {
    const word = words.shift();
    if (word === undefined) return { of: "all" };
    if (word.startsWith("n")) return { of: "node", node: readNode(word.slice(1)) };
    const [from, to, ...more] = word.split("_").map(readNode);
    if (from === undefined || to === undefined || more.length > 0 || from === to)
      throw new Refused("badValue");
    return { of: "link", from, to };
  },
  write: (value) => {
    const links = value as Links;
    if (links.of === "all") return [];
    return links.of === "node" ? [`n${links.node}`] : [`${links.from}_${links.to}`];
  },
};

function readNode(text: string): number {
  return readNumber(text, 0, MAX_NODES - 1);
}

/** The parts of each action, in their order. */
export const ACTION_WORDS = {
  kill: { node: NODE },
  restart: { node: NODE },
  pause: { node: NODE },
  resume: { node: NODE },
  partition: { sides: SIDES },
  oneWay: { sides: SIDES },
  cut: { from: NODE, to: NODE },
  heal: {},
  delay: { fromMs: MS, toMs: MS, links: LINKS },
  loss: { percent: PERCENT, links: LINKS },
  duplicate: { percent: PERCENT, links: LINKS },
  hold: { message: MESSAGE },
  deliver: { message: MESSAGE },
  drop: { message: MESSAGE },
  lie: { node: NODE, lie: wordPart(["equivocate", "silent", "forge"]) },
  honest: { node: NODE },
  send: { node: NODE, count: numberPart(1, MOST_SENT, 1) },
  spread: {},
  align: {},
  addSealer: { node: NODE },
  addObserver: { node: NODE },
  removeNode: { node: NODE },
  addNode: {},
  group: {
    node: NODE,
    operation: wordPart(["start", "stop", "remove", "recover", "generate"]),
    group: numberPart(1, 2, 1),
  },
} as const satisfies Record<Action["kind"], Readonly<Record<string, Part>>>;

/** The first word of an action. */
export type ActionWord = keyof typeof ACTION_WORDS;

/** Reads an action from its words. @throws Refused */
export function readAction(kind: ActionWord, values: readonly string[]): Action {
  const words = [...values];
  const action: Record<string, unknown> = { kind };
  const parts: Readonly<Record<string, Part>> = ACTION_WORDS[kind];
  for (const [name, part] of Object.entries(parts)) action[name] = part.read(words);
  if (words.length > 0) throw new Refused("badValue");
  const read = action as unknown as Action;
  if (read.kind === "delay" && read.toMs < read.fromMs) throw new Refused("outOfRange");
  return read;
}

/** The words of an action. */
export function writeAction(action: Action): string[] {
  const parts: Readonly<Record<string, Part>> = ACTION_WORDS[action.kind];
  const values: Readonly<Record<string, unknown>> = { ...action };
  const words = Object.entries(parts).map(([name, part]) => part.write(values[name]));
  return [action.kind, ...words.flat()];
}
