/**
 * What a page remembers of its nodes outside of the storage that a browser may evict: a cookie
 * with the chains that ran here. When it stands and a chain is gone, the browser has deleted it.
 * Source: decision 25
 */
import { isNodeId } from "../../../core/bytes/hex.ts";

/** What ran here. */
export interface EvictionMark {
  readonly chain: string;
  /** Of the first node that ran here. */
  readonly nodeId: string;
  /** Of its first group when the mark was written. */
  readonly height: number;
}

const MARK_COOKIE = "chain-node";
const YEAR_SECONDS = 365 * 24 * 60 * 60;
/** A cookie has 4 KiB at most; the marks that were written last are kept. */
const MOST_MARKS = 8;
const CHAIN = /^[A-Za-z0-9.-]{1,64}$/;

function readMark(text: string): EvictionMark | undefined {
  const [chain = "", nodeId = "", height = ""] = text.split("_");
  const isMark = CHAIN.test(chain) && isNodeId(nodeId) && /^\d{1,15}$/.test(height);
  return isMark ? { chain, nodeId, height: Number(height) } : undefined;
}

/** The marks in the text of `document.cookie`, the newest first. */
export function readMarks(cookies: string): readonly EvictionMark[] {
  const start = `${MARK_COOKIE}=`;
  const found = cookies.split(/; */).find((cookie) => cookie.startsWith(start));
  return (found?.slice(start.length).split("!") ?? []).flatMap((text) => readMark(text) ?? []);
}

/** What to assign to `document.cookie` so that exactly these marks stand; secure on https. */
export function cookieOfMarks(marks: readonly EvictionMark[], isHttps: boolean): string {
  const kept = marks.slice(0, MOST_MARKS);
  const value = kept.map(({ chain, nodeId, height }) => `${chain}_${nodeId}_${height}`).join("!");
  const age = kept.length === 0 ? 0 : YEAR_SECONDS;
  const secure = isHttps ? "; Secure" : "";
  return `${MARK_COOKIE}=${value}; Max-Age=${age}; Path=/; SameSite=Strict${secure}`;
}

/** The marks with one that is new or newer. */
export function withMark(
  marks: readonly EvictionMark[],
  mark: EvictionMark,
): readonly EvictionMark[] {
  return [mark, ...withoutMark(marks, mark.chain)];
}

/** The marks without those of a chain: its user deleted it, or wants a new one under its name. */
export function withoutMark(
  marks: readonly EvictionMark[],
  chain: string,
): readonly EvictionMark[] {
  return marks.filter((mark) => mark.chain !== chain);
}

/** What the browser has deleted: marks whose chain is not there. */
export function evictedOf(
  marks: readonly EvictionMark[],
  chains: readonly { readonly name: string; readonly nodeIds: readonly string[] }[],
): readonly EvictionMark[] {
  const stands = ({ chain, nodeId }: EvictionMark) =>
    chains.some(({ name, nodeIds }) => name === chain && nodeIds.includes(nodeId));
  return marks.filter((mark) => !stands(mark));
}
