/**
 * Who asks over HTTP, as far as web pages are concerned: one function decides, and every interface
 * of every runtime asks it.
 * Source: decision 24
 */
import { LOCAL_MANAGEMENT, type Management, mayManage } from "./management.ts";
import { type RequestHeaders, textOf } from "./request-headers.ts";

/** What an operator lists, and whom he lets change groups and peers. */
export interface PageLists {
  /** `rpc.allowed_hosts`: names of the node next to the local ones; `*` for every name. */
  readonly allowedHosts: readonly string[];
  /** `rpc.allowed_origins`: pages that may do what the node's own may; `*` for every page. */
  readonly allowedOrigins: readonly string[];
  /** {@link LOCAL_MANAGEMENT} when absent. */
  readonly management?: Management | undefined;
}

/** What a caller may do: all, all that changes nothing, or not even ask. */
export type Leave = "all" | "reads" | "nothing";

/** Who asks. */
export interface Caller {
  readonly leave: Leave;
  /** `Host`: name and port that the request was sent to. */
  readonly host: string | undefined;
  /**
   * False where `host` may be anybody's name. A page may pose as a program, and a GET of its own
   * origin shows nothing else of it: the live view is kept from it by this.
   */
  readonly isSentHere: boolean;
  /** Whether this caller may change groups and peers. Source: decision 31 */
  readonly mayManage: () => boolean;
  /** What lets a page of another origin read the answer. */
  readonly cors: Readonly<Record<string, string>>;
}

/** No name of the node is listed, and no page. */
export const NOTHING_LISTED: PageLists = { allowedHosts: [], allowedOrigins: [] };

/** Where nobody can ask but those who may do all: pages of the tab that a node runs in. */
export const ALL_MANAGE: PageLists = { ...NOTHING_LISTED, management: { mode: "open" } };

/** Of every answer: a browser must take none for something else than it says it is. */
export const NO_SNIFFING = { "X-Content-Type-Options": "nosniff" } as const;

const ALL = "*";
/** A name or an address, and a port. */
const HOST = /^(\[[0-9a-f:.]+\]|[\w.-]+)(?::\d+)?$/i;
const ADDRESS = /^(\[.*\]|\d{1,3}(\.\d{1,3}){3})$/;
/** Zones that no public name lies in; names of a Kubernetes cluster end so too. */
const LOCAL_ZONE = /\.(local|internal)$/;
const FETCH_METADATA = "sec-fetch-";

/** What the headers do not tell of a request. */
export interface Delivery {
  /** Where a browser sent it to, when `Host` alone does not tell. */
  readonly hostOf?: () => string | undefined;
  /** Whether it comes from the node's own host; it does not when absent. */
  readonly isOfThisHost?: () => boolean;
}

/** Who sent a request with these headers. */
export function callerOf(
  headers: RequestHeaders,
  lists: PageLists,
  { hostOf = () => textOf(headers["host"]), isOfThisHost = () => false }: Delivery = {},
): Caller {
  const isBrowser = isOfBrowser(headers);
  const host = isBrowser ? hostOf() : textOf(headers["host"]);
  const isSentHere = host === undefined ? !isBrowser : isOwnHost(host, lists.allowedHosts);
  const leave = isBrowser ? leaveOf(headers, lists, isSentHere ? host : undefined) : "all";
  return {
    leave,
    host,
    isSentHere,
    mayManage: () => mayManage(lists.management ?? LOCAL_MANAGEMENT, headers, isOfThisHost),
    cors: corsOf(textOf(headers["origin"]), lists),
  };
}

/** Who sent a request of the web's own form. */
export function callerOfRequest({ headers, url }: Request, lists: PageLists): Caller {
  const named: Record<string, string> = {};
  headers.forEach((value, name) => {
    named[name] = value;
  });
  return callerOf(named, lists, { hostOf: () => named["host"] ?? new URL(url).host });
}

/**
 * Of a browser's request.
 *
 * @param host when it is the node's own
 */
function leaveOf(headers: RequestHeaders, lists: PageLists, host: string | undefined): Leave {
  if (host === undefined) return "nothing";
  const origin = textOf(headers["origin"]);
  if (origin === undefined) return isOfOtherSite(headers) ? "reads" : "all";
  if (isListed(origin, lists.allowedOrigins)) return "all";
  return isOwnOrigin(origin, host) ? "all" : "reads";
}

/** Browsers leave the origin out of most reads; newer ones say whether the page is another's. */
function isOfOtherSite(headers: RequestHeaders): boolean {
  return ["cross-site", "same-site"].includes(textOf(headers["sec-fetch-site"]) ?? "");
}

/** Programs send none of these. */
function isOfBrowser(headers: RequestHeaders): boolean {
  if (headers["origin"] !== undefined) return true;
  const agent = textOf(headers["user-agent"]);
  if (agent?.startsWith("Mozilla/")) return true;
  const metadata = Object.keys(headers).filter((name) => name.startsWith(FETCH_METADATA));
  // fetch of Node.js sends the mode alone, under its own name; browsers send all of them or none.
  const isNode = agent === "node" || agent === "undici";
  const isProgram = isNode && metadata.every((name) => name === "sec-fetch-mode");
  return metadata.length > 0 && !isProgram;
}

/**
 * A name that the DNS decides about may have been pointed here by the page that asks: only local
 * names and listed ones are the node's.
 */
function isOwnHost(host: string, allowedHosts: readonly string[]): boolean {
  const name = nameIn(host);
  if (name === undefined) return false;
  if (ADDRESS.test(name) || !name.includes(".") || LOCAL_ZONE.test(name)) return true;
  return allowedHosts.some((listed) => listed === ALL || nameIn(listed) === name);
}

/** The name in `Host`, in lower case and without the dot of the root. */
function nameIn(host: string): string | undefined {
  const name = HOST.exec(host)?.[1]?.toLowerCase().replace(/\.$/, "");
  return name === "" ? undefined : name;
}

function isListed(origin: string, allowedOrigins: readonly string[]): boolean {
  return allowedOrigins.some((listed) => listed === ALL || listed === origin);
}

/** @param host one that is the node's own */
function isOwnOrigin(origin: string, host: string): boolean {
  return ["http", "https"].some((scheme) => {
    const own = `${scheme}://${host}`;
    return URL.canParse(own) && origin === new URL(own).origin;
  });
}

function corsOf(origin: string | undefined, { allowedOrigins }: PageLists) {
  if (allowedOrigins.includes(ALL)) return { "Access-Control-Allow-Origin": ALL };
  if (origin === undefined || !isListed(origin, allowedOrigins)) return {};
  return { "Access-Control-Allow-Origin": origin, Vary: "Origin" };
}

/** What is reported, with 403, to a caller without leave. */
export function hostRefusal({ host = "" }: Caller): string {
  const name = nameIn(host) ?? "none";
  return (
    `the name of this request's host (${name.slice(0, 253)}) is none of this node's: ` +
    "list it under [rpc] allowed_hosts in config.ini (chain-node dev: --allow-host)\n"
  );
}

/** What is reported, with 403, to a page that may only read. */
export const ORIGIN_REFUSAL =
  "web pages of this origin may only read: list it under [rpc] allowed_origins in config.ini " +
  "(chain-node dev: --cors)\n";
