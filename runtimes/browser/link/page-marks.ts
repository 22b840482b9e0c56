/**
 * The marks of this origin in the cookie of the page: what ran here, so that data which the browser
 * has thrown away are missed. Ports share their cookies, so that each has marks of its own.
 */
import type { TabStatus } from "./api.ts";
import {
  cookieOfMarks,
  type EvictionMark,
  readMarks,
  withMark,
  withoutMark,
} from "../store/eviction-mark.ts";

/** Between two notes of a height that grows. */
const NOTE_MS = 5_000;

/** What a page has of a document; a worker has none. */
interface CookieJar {
  cookie: string;
}

function cookieJar(): CookieJar | undefined {
  return (globalThis as { readonly document?: CookieJar }).document;
}

/** Tells the ports of a host apart. */
function place(): string {
  return `.${location.port || location.protocol.replace(":", "")}`;
}

/** The marks of this origin. */
export function ownMarks(): readonly EvictionMark[] {
  const end = place();
  return readMarks(cookieJar()?.cookie ?? "").flatMap((mark) =>
    mark.chain.endsWith(end) ? [{ ...mark, chain: mark.chain.slice(0, -end.length) }] : [],
  );
}

/** Keeps the marks as the chain that is kept is; for the page that has the worker. */
export class MarkStore {
  #noted: { readonly text: string; readonly at: number } | undefined;

  note({ phase, chain, nodes }: TabStatus): void {
    const jar = cookieJar();
    if (!jar) return;
    const marks = readMarks(jar.cookie);
    const isHttps = location.protocol === "https:";
    if (!chain && phase === "off") {
      const left = ownMarks().reduce(
        (all, { chain: gone }) => withoutMark(all, gone + place()),
        marks,
      );
      if (left.length !== marks.length) jar.cookie = cookieOfMarks(left, isHttps);
      this.#noted = undefined;
      return;
    }
    const height = nodes[0]?.groups[0]?.height;
    const [nodeId] = chain?.nodeIds ?? [];
    if (!chain || nodeId === undefined || height === undefined) return;
    const text = `${chain.name} ${nodeId}`;
    const now = Date.now();
    if (this.#noted?.text === text && now - this.#noted.at < NOTE_MS) return;
    this.#noted = { text, at: now };
    const mark = { chain: chain.name + place(), nodeId, height };
    jar.cookie = cookieOfMarks(withMark(marks, mark), isHttps);
  }
}
