/** What the pages of the explorer are called: in tabs of the browser, its history, bookmarks. */
import { shortText } from "../format.ts";
import { text } from "../texts.ts";
import { identifierOf, isReadable, PAGES, soughtBy, wantedBy } from "./read/addresses.ts";
import "./texts.ts";
import "./trust-texts.ts";

/** What stands before the identifier. */
const WITH_IDENTIFIER = new Map([
  ["block", "explorer.block"],
  ["tx", "explorer.tx.title"],
  ["address", "explorer.address"],
]);

/** The name of the page at an address behind the explorer's name. */
export function titleOfPath(path: readonly string[]): string {
  const { name, rest } = wantedBy(path);
  const [given = ""] = rest;
  const key = WITH_IDENTIFIER.get(name);
  if (key !== undefined) {
    const sought = soughtBy(given);
    if (!isReadable(name, sought)) return text("explorer.misread");
    return `${text(key)} ${shortText(identifierOf(sought))}`;
  }
  if (name === "overview") return text("nav.explorer");
  const isPage = PAGES.some((page) => page === name);
  return text(isPage ? `explorer.page.${name}` : "explorer.noPage");
}
