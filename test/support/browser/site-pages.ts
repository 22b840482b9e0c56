/** Every page of the site, for checks that all of them have to pass. */
import type { Seen } from "./explorer-chain.ts";

/** A page: its name, its address, and what stands on it once it is whole. */
export interface SitePage {
  readonly name: string;
  readonly address: string;
  /** A selector. */
  readonly whole: string;
}

/** A moment with a sealer that is off, one that lies, votes and messages in flight. */
const PLAYED = "#/theatre?play=1.pbft.load-400.t900-kill-2.t1000-lie-0-equivocate.show-t2000";

/** All pages, of a chain with a history. */
export function sitePages(seen: Seen): readonly SitePage[] {
  const explorer = (name: string, path: string, whole: string): SitePage => ({
    name: `explorer-${name}`,
    address: `#/explorer/1${path}`,
    whole,
  });
  return [
    explorer("overview", "", ".latest .numeric"),
    explorer("blocks", "/blocks", ".virtual-row time"),
    explorer("block", "/block/2", ".checks"),
    explorer("transactions", "/transactions", ".virtual-row"),
    explorer("transaction", `/tx/${seen.greeted}`, "[data-proofs] .checks"),
    explorer("failed", `/tx/${seen.reverted}`, "[data-proofs] .checks"),
    explorer("contract", `/address/${seen.address}`, "h2"),
    explorer("contracts", "/contracts?name=Nothing", ".empty"),
    explorer("nodes", "/nodes", "tbody tr"),
    explorer("trust", "/trust", "[data-trust]"),
    explorer("pool", "/pool", ".empty"),
    explorer("groups", "/groups", "tbody tr"),
    explorer("unknown", "/block/999", "[role=alert]"),
    { name: "workbench", address: "#/workbench", whole: "main h1" },
    { name: "theatre", address: "#/theatre", whole: "main h1" },
    { name: "theatre-play", address: PLAYED, whole: ".stage[data-step]" },
    { name: "theatre-live", address: "#/theatre/live", whole: ".stage[data-step]" },
    { name: "lessons", address: "#/lessons", whole: "main h1" },
    { name: "lesson", address: "#/lessons/group-life/2", whole: "[data-holds]" },
    { name: "lesson-proof", address: "#/lessons/merkle-proof/5", whole: "[data-place]" },
    { name: "node", address: "#/node", whole: "main .badge.warn" },
  ];
}
