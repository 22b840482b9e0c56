/**
 * The parts of the page and their addresses. An address is a path behind `#`, so that the page
 * works from any folder of any static server, and a link to it can be shared.
 */
import type { ComponentType } from "preact";

/** What a part is given. */
export interface PageProps {
  /** The address behind the part's name, split at slashes and decoded. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

/** What a part brings. */
export interface PartModule {
  readonly Page: ComponentType<PageProps>;
  /** What its page at an address is called; absent: as the part. */
  readonly titleOf?: (place: PageProps) => string;
}

/** A part of the page: its name stands first in the address. */
export interface Route {
  readonly name: string;
  /** Key of the text in the navigation. */
  readonly title: string;
  readonly load: () => Promise<PartModule>;
}

/** All parts, in the order of the navigation. */
export const ROUTES: readonly Route[] = [
  { name: "explorer", title: "nav.explorer", load: () => import("./explorer/page.tsx") },
  { name: "workbench", title: "nav.workbench", load: () => import("./workbench/page.tsx") },
  { name: "theatre", title: "nav.theatre", load: () => import("./theatre/page.tsx") },
  { name: "lessons", title: "nav.lessons", load: () => import("./lessons/page.tsx") },
  { name: "node", title: "nav.node", load: () => import("./node/page.tsx") },
];

/** Where an address leads. */
export interface Place extends PageProps {
  readonly route: Route;
}

/** Reads `#/name/path?query`; an unknown name leads to the first part. */
export function placeOf(hash: string, routes: readonly Route[] = ROUTES): Place | undefined {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const [name = "", ...rest] = path.split("/").map(decoded);
  const known = routes.find((route) => route.name === name);
  const route = known ?? routes[0];
  if (!route) return undefined;
  return { route, path: known ? rest : [], query: new URLSearchParams(query) };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
