/**
 * Answers of many megabytes: their text is made in pieces, between which others have a turn, and
 * one after the other, since what is made is held in memory while others have theirs.
 */
import type { NodeApi } from "../api/node-api.ts";
import { isObject, type Json } from "./json.ts";
import type { Pace } from "../limits/pace.ts";

/** The end of the last long answer of a node. */
const lastOf = new WeakMap<NodeApi, Promise<void>>();

/** Does work when all earlier work of the node is done. */
export async function oneByOne<Result>(
  node: NodeApi,
  work: () => Promise<Result>,
): Promise<Result> {
  const mine = (lastOf.get(node) ?? Promise.resolve()).then(work);
  const end = (): void => undefined;
  lastOf.set(node, mine.then(end, end));
  return await mine;
}

/** Items of a list that are written at once. */
const PIECE_ITEMS = 16;

async function addList(pieces: string[], list: readonly Json[], pace: Pace): Promise<void> {
  pieces.push("[");
  for (let at = 0; at < list.length; at += PIECE_ITEMS) {
    if (at > 0) pieces.push(",");
    await pace();
    pieces.push(JSON.stringify(list.slice(at, at + PIECE_ITEMS)).slice(1, -1));
  }
  pieces.push("]");
}

/** What `JSON.stringify` gives, in turns: for long lists, also as members of an object. */
export async function jsonText(value: Json, pace: Pace): Promise<string> {
  const pieces: string[] = [];
  if (Array.isArray(value)) {
    await addList(pieces, value, pace);
  } else if (isObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      pieces.push(pieces.length === 0 ? "{" : ",", JSON.stringify(name), ":");
      if (Array.isArray(member)) await addList(pieces, member, pace);
      else pieces.push(JSON.stringify(member));
    }
    pieces.push(pieces.length === 0 ? "{}" : "}");
  } else {
    pieces.push(JSON.stringify(value));
  }
  return pieces.join("");
}
