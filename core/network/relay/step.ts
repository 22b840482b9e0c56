/**
 * Passing on what others report, so that sealers without a session hear each other: each message
 * once per receiver, verified before, bounded for each peer that brings it and each sealer that
 * speaks. By list (who has not been reached) or by ttl (hops that are left). Pure: the shell
 * verifies and sends. Source: pbft 11; decision 34
 */
import type { NodeId } from "../../bytes/ids.ts";
import { unreachable } from "../../fault/invariant.ts";
import type { RelayHeader } from "./header.ts";
import {
  forgetCarrier,
  known,
  newMessage,
  type RelayState,
  remember,
  takesShare,
  type RelayedMessage,
} from "./state.ts";

/** Names a message: a hash over all of its bytes, so that no changed copy stands for it. */
export type MessageName = string;

/** What happens. */
export type RelayInput = { readonly now: number } & Readonly<
  /** Who there is: all of the lists again. `links`: those of `connected` that pass on. */
  | {
      type: "peers";
      sealers: readonly NodeId[];
      connected: readonly NodeId[];
      links: readonly NodeId[];
    }
  /**
   * An own message leaves for everybody, or (`again`) for somebody who may have missed it: then not
   * within the time in which it counts as the same.
   */
  | { type: "send"; id: MessageName; again: boolean }
  /** A copy with a header came. */
  | {
      type: "copy";
      id: MessageName;
      from: NodeId;
      /** Who is named as the author, unverified. */
      speaker: NodeId;
      header: RelayHeader;
      bytes: number;
    }
  /** What was to be verified: by whom it is; undefined: no node passes it on. */
  | { type: "verified"; id: MessageName; author: NodeId | undefined }
>;

type InputOf<Type extends RelayInput["type"]> = Extract<RelayInput, { readonly type: Type }>;
type Effects = readonly RelayEffect[];

/** What is to be done. */
export type RelayEffect = Readonly<
  /** Verify it, then say `verified`; a node that wants to hear it does so then. */
  | { type: "verify"; id: MessageName }
  | { type: "send"; id: MessageName; to: NodeId; header: RelayHeader }
>;

/** Takes one input; the state is changed in place. Source: pbft 11 */
export function step(state: RelayState, input: RelayInput): readonly RelayEffect[] {
  switch (input.type) {
    case "peers":
      return onPeers(state, input);
    case "send":
      return onSend(state, input);
    case "copy":
      return onCopy(state, input);
    case "verified":
      return onVerified(state, input);
    default:
      return unreachable(input);
  }
}

/** What goes before an own message; undefined: all are reached, or no node passes on. */
export function ownHeader({ tuning, sealers, connected, links, self }: RelayState) {
  if (links.size === 0 || !sealers.has(self)) return undefined;
  if (!tuning.byList) return tuning.ttl > 1 ? { ttl: tuning.ttl, missing: undefined } : undefined;
  const missing = [...sealers].filter((id) => id !== self && !connected.has(id));
  return missing.length > 0 ? { ttl: 1, missing } : undefined;
}

/** Whether a sealer hears this node only through others. */
export function isDistant({ sealers, connected, self }: RelayState, node: NodeId): boolean {
  return node !== self && sealers.has(node) && !connected.has(node);
}

/** Whether somebody would get a copy with this header from here. */
export function hasReceivers(
  state: RelayState,
  { ttl, missing }: RelayHeader,
  holders: readonly NodeId[],
): boolean {
  if (!missing) return ttl > 1 && [...state.links].some((id) => !holders.includes(id));
  return missing.some((id) => state.links.has(id) && !holders.includes(id));
}

function onPeers(state: RelayState, { sealers, connected, links }: InputOf<"peers">): Effects {
  state.sealers = new Set(sealers);
  state.connected = new Set(connected);
  state.links = new Set(links);
  for (const carrier of [...state.carried.keys(), ...state.shares.keys()])
    if (carrier !== state.self && !state.links.has(carrier)) forgetCarrier(state, carrier);
  for (const ofCarrier of state.shares.values())
    for (const speaker of [...ofCarrier.keys()])
      if (!state.sealers.has(speaker)) ofCarrier.delete(speaker);
  return [];
}

function onSend(state: RelayState, { id, again, now }: InputOf<"send">): Effects {
  const header = ownHeader(state);
  if (!header || (again && known(state, id, now))) return [];
  const { self, links } = state;
  const message = newMessage(now, self);
  join(message, header);
  Object.assign(message, { verdict: "good", author: self, holders: new Set(links) });
  remember(state, id, message);
  return [...links].map((to) => ({ type: "send", id, to, header }));
}

function onCopy(
  state: RelayState,
  { id, from, speaker, header, bytes, now }: InputOf<"copy">,
): Effects {
  if (!state.links.has(from) || !state.sealers.has(speaker)) return [];
  const message = known(state, id, now);
  if (!message) {
    if (!takesShare(state, { carrier: from, speaker }, { now, bytes })) return [];
    const fresh = newMessage(now, from);
    join(fresh, header);
    fresh.holders.add(from);
    remember(state, id, fresh);
    return [{ type: "verify", id }];
  }
  message.holders.add(from);
  join(message, header);
  return message.verdict === "good" ? passOn(state, id, message) : [];
}

function onVerified(state: RelayState, { id, author }: InputOf<"verified">): Effects {
  const message = state.messages.get(id);
  if (message?.verdict !== "pending") return [];
  const isGood = author !== undefined && author !== state.self;
  message.verdict = isGood ? "good" : "bad";
  message.author = author;
  return isGood ? passOn(state, id, message) : [];
}

/** What any copy says counts: one of them may have come a longer way. */
function join(message: RelayedMessage, { ttl, missing }: RelayHeader): void {
  if (missing) message.byList = true;
  else message.ttl = Math.max(message.ttl, ttl);
  for (const id of missing ?? []) message.missing.add(id);
}

/** Everybody who is to have it from here and has not. */
function passOn(state: RelayState, id: MessageName, message: RelayedMessage): Effects {
  const { links, connected, self } = state;
  const { author, holders, missing } = message;
  const isWanted = (to: NodeId) => message.ttl > 1 || missing.has(to);
  const receivers = [...links].filter((to) => to !== author && !holders.has(to) && isWanted(to));
  for (const to of receivers) holders.add(to);
  const left = [...missing].filter((it) => it !== self && it !== author && !connected.has(it));
  const header: RelayHeader = message.byList
    ? { ttl: 1, missing: left }
    : { ttl: message.ttl - 1, missing: undefined };
  return receivers.map((to) => ({ type: "send", id, to, header }));
}
