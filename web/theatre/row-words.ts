/** What happened, in words of the chosen language. */
import type { EndedFlight, Flight, TheatreEvent } from "../../runtimes/shared/theatre/frame.ts";
import { text } from "../texts.ts";
import { lookOf } from "./play/kinds.ts";
import type { Row } from "./play/reel.ts";

/** Values of events that are numbers of nodes, which people count from 1. */
const NODES = new Set(["from", "to", "peer", "candidate"]);
const HASH_DIGITS = 8;

/** Virtual time as people read it: seconds with three digits. */
export function timeWord(ms: number): string {
  return (ms / 1_000).toFixed(3);
}

/** A message in one line: what it is, and what it speaks about. */
export function messageWord({ kind, height, view, hash, lie }: Flight): string {
  const { speakers } = lookOf(kind);
  const parts = [
    text(`kind.${kind}`),
    height === undefined ? "" : `#${height}`,
    view === undefined ? "" : text(speakers === "raft" ? "word.term" : "word.view", { view }),
    hash ? short(hash) : "",
    lie ? text("word.lie") : "",
  ];
  return parts.filter(Boolean).join(" ");
}

/** How a message ended, in a sentence. */
export function endedSentence({ flight, how }: EndedFlight): string {
  const values = {
    from: flight.from + 1,
    to: flight.to + 1,
    message: messageWord(flight),
  };
  return text(`ended.${how}`, values);
}

/** An event in a sentence. */
export function eventSentence({ id, node, values }: TheatreEvent): string {
  const shown: Record<string, string | number> = { node: node === undefined ? "" : node + 1 };
  for (const [name, value] of Object.entries(values)) shown[name] = valueWord(name, value);
  // Blocks are fetched up to a height, not to a node.
  if (id === "syncBegan") shown["to"] = values["to"] ?? "";
  return text(wordsOf(id, values), shown);
}

/** Some events are told in more than one way. */
function wordsOf(id: TheatreEvent["id"], values: TheatreEvent["values"]): string {
  if (id === "proposed" && values["transactions"] === 0) return "event.proposed.empty";
  if (id !== "ruleChanged") return `event.${id}`;
  return ["delayMs", "lossPercent", "duplicatePercent"]
    .filter((name) => values[name] !== undefined)
    .map((name) => `event.ruleChanged.${name}`)
    .join("");
}

function valueWord(name: string, value: string | number): string | number {
  if (typeof value === "number") return NODES.has(name) ? value + 1 : value;
  if (/^[0-9a-f]{16,}$/.test(value)) return short(value);
  switch (name) {
    case "lie":
    case "role":
      return text(`${name}.${value}`);
    case "status":
      return text(`group.${value}`);
    case "reason":
      return reasonWord(value);
    case "sides":
      return value.replace(/\d+/g, (node) => String(Number(node) + 1)).replaceAll("|", " | ");
    default:
      return value;
  }
}

/** Why something was not done; the node's own word where the page has none. */
function reasonWord(reason: string): string {
  const key = `reason.${reason}`;
  const words = text(key);
  return words === key ? reason : words;
}

/** A row in a sentence. */
export function rowSentence(row: Row): string {
  return row.event ? eventSentence(row.event) : endedSentence(row.ended);
}

/** The beginning of a hash. */
export function short(hash: string): string {
  return hash.slice(0, HASH_DIGITS);
}
