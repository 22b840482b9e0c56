/** Addresses of the page: `#/part/path?query`. Parts import this file; routes.ts imports parts. */

/** What an address says. */
export interface Address {
  /** Of the part; empty where none is named. */
  readonly name: string;
  /** What stands behind the name, split at slashes and decoded. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

/** Reads `#/name/path?query`. */
export function readAddress(hash: string): Address {
  const [text = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const [name = "", ...path] = text.split("/").map(decoded);
  return { name, path, query: new URLSearchParams(query) };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The address of a place. */
export function addressOf(name: string, path: readonly string[] = [], query = ""): string {
  const text = [name, ...path].map(encodeURIComponent).join("/");
  return `#/${text}${query && `?${query}`}`;
}

/** What a part is given. */
export interface PageProps {
  /** The address behind the part's name, split at slashes and decoded. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}
