/**
 * Pages of anybody say what shall run: what is not a request is refused before anything is kept.
 */
import type { JoinKeyRequest, StartRequest } from "./link/api.ts";
import { MOST_TAB_NODES, TabFault } from "./tab-request.ts";

type Named = Readonly<Record<string, unknown>>;

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText);
}

function isMaybe(is: (value: unknown) => boolean): (value: unknown) => boolean {
  return (value) => value === undefined || is(value);
}

function isFlag(value: unknown): boolean {
  return typeof value === "boolean";
}

/** Members that every request may have. */
const ANY = { sm: isMaybe(isFlag), passphrase: isMaybe(isText), isNew: isMaybe(isFlag) };
type Members = Readonly<Record<string, typeof isText>>;
const OF_KEY: Members = { privateKey: isMaybe(isText), ...ANY };
const MEMBERS: Readonly<Record<StartRequest["kind"], Members>> = {
  chain: { consensus: (value) => value === "pbft" || value === "raft", ...ANY },
  join: {
    chainId: (value) => typeof value === "number",
    certificate: isText,
    authority: isText,
    peers: isTextList,
    groups: isTextList,
    supportedVersion: isMaybe(isText),
    ...OF_KEY,
  },
};

function requireNodes(nodes: unknown): void {
  const count = Number(nodes);
  if (Number.isInteger(nodes) && count >= 1 && count <= MOST_TAB_NODES) return;
  throw new TabFault(`a tab runs 1 to ${MOST_TAB_NODES} nodes, not ${String(nodes)}`);
}

/** Takes what a page asks for as a request. @throws TabFault with the member that is wrong */
export function requireRequest(asked: unknown): asserts asked is StartRequest {
  const request = (typeof asked === "object" && asked !== null ? asked : {}) as Named;
  const { kind } = request;
  if (kind !== "chain" && kind !== "join")
    throw new TabFault('what shall run has the kind "chain" or "join"');
  if (kind === "chain") requireNodes(request["nodes"]);
  requireMembers("what shall run", request, MEMBERS[kind]);
}

/**
 * Takes what a page asks a key with as a request. @throws TabFault with the member that is wrong
 */
export function requireKeyRequest(asked: unknown): asserts asked is JoinKeyRequest {
  if (typeof asked !== "object" || asked === null)
    throw new TabFault("a key is asked for with an object");
  requireMembers("a key", asked as Named, OF_KEY);
}

/** Takes what a page gives as a passphrase. @throws TabFault */
export function requirePassphrase(given: unknown): asserts given is string | undefined {
  if (!ANY.passphrase(given)) throw new TabFault("a passphrase is a text");
}

function requireMembers(what: string, request: Named, members: Members): void {
  for (const [name, isRight] of Object.entries(members))
    if (!isRight(request[name]))
      throw new TabFault(`${what} cannot have this ${name}: ${shown(request[name])}`);
}

const SHOWN_CHARACTERS = 60;

function shown(value: unknown): string {
  // A message between threads carries it; JSON does not.
  if (typeof value === "bigint") return `${value}n`.slice(0, SHOWN_CHARACTERS);
  return (JSON.stringify(value) ?? "none").slice(0, SHOWN_CHARACTERS);
}
