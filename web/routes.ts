/**
 * The parts of the page and their addresses. An address is a path behind `#`, so that the page
 * works from any folder of any static server, and a link to it can be shared.
 */
import type { PageProps } from "./address.ts";
import type { ComponentType } from "preact";
import { readAddress } from "./address.ts";

/** What a part brings. */
export interface PartModule {
  readonly Page: ComponentType<PageProps>;
  /** What its page at an address is called, undefined where there is none; absent: as the part. */
  readonly titleOf?: (place: PageProps) => string | undefined;
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

/** Where an address leads: without a name to the first part, with an unknown one nowhere. */
export function placeOf(hash: string, routes: readonly Route[] = ROUTES): Place | undefined {
  const { name, path, query } = readAddress(hash);
  const route = name === "" ? routes[0] : routes.find((it) => it.name === name);
  return route && { route, path, query };
}
