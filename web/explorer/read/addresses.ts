/** Addresses within the explorer: `#/explorer/GROUP/page/...`. */
import { addressOf } from "../../address.ts";

/** The pages that the explorer's own navigation names, in its order. */
export const PAGES = [
  "overview",
  "blocks",
  "transactions",
  "contracts",
  "nodes",
  "trust",
  "pool",
  "groups",
] as const;

/** The address of a page of the explorer. */
export function placeOf(groupId: number, ...path: readonly string[]): string {
  return addressOf("explorer", [String(groupId), ...path]);
}

/** What the address says. */
export interface Wanted {
  /** Undefined when the address names none. */
  readonly groupId: number | undefined;
  readonly name: string;
  readonly rest: readonly string[];
}

/** Reads the address behind the explorer's name. */
export function wantedBy(path: readonly string[]): Wanted {
  const [first = "", ...others] = path;
  const hasGroup = /^\d{1,5}$/.test(first);
  const [name = "", ...rest] = hasGroup ? others : path;
  return {
    groupId: hasGroup ? Number(first) : undefined,
    name: name === "" ? "overview" : name,
    rest,
  };
}

/** What somebody may have meant by what they typed. */
type Sought =
  | { readonly kind: "block"; readonly id: string }
  | { readonly kind: "hash"; readonly hash: string }
  | { readonly kind: "address"; readonly address: string }
  | { readonly kind: "digits" }
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "nothing" };

const HASH = /^(0x)?([0-9a-f]{64})$/i;
const ADDRESS = /^(0x)?([0-9a-f]{40})$/i;
/** Too many digits for a number, or with their middle left out, as lists show a hash. */
const DIGITS = /^(0x[0-9a-f]{13,}|(0x)?[0-9a-f]+(…|\.{2,3})[0-9a-f]*)$/i;
const NUMBER = /^(\d{1,15}|0x[0-9a-f]{1,12})$/i;

/** Tells a number, a hash, an address, digits that are none of them, and a name apart. */
export function soughtBy(typed: string): Sought {
  const text = typed.trim().replaceAll(",", "");
  if (text === "") return { kind: "nothing" };
  const hash = HASH.exec(text)?.[2];
  if (hash !== undefined) return { kind: "hash", hash: `0x${hash.toLowerCase()}` };
  if (NUMBER.test(text)) return { kind: "block", id: String(Number(text)) };
  const address = ADDRESS.exec(text)?.[2];
  if (address !== undefined) return { kind: "address", address: `0x${address.toLowerCase()}` };
  return DIGITS.test(text) ? { kind: "digits" } : { kind: "name", name: text };
}

/** What each page with an identifier can look for. */
const READABLE: Readonly<Record<string, readonly Sought["kind"][]>> = {
  block: ["block", "hash"],
  tx: ["hash"],
  address: ["address"],
};

/** Whether the page of this name can look for it; pages without an identifier take anything. */
export function isReadable(name: string, { kind }: Sought): boolean {
  return !Object.hasOwn(READABLE, name) || READABLE[name]?.includes(kind) === true;
}

/** As pages and requests write it. */
export function identifierOf(sought: Sought): string {
  if (sought.kind === "hash") return sought.hash;
  if (sought.kind === "address") return sought.address;
  return sought.kind === "block" ? sought.id : "";
}
