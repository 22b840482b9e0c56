/** Addresses of the page: `#/part/path?query`. Parts import this file; routes.ts imports parts. */

/** The address of a place. */
export function addressOf(name: string, path: readonly string[] = [], query = ""): string {
  const text = [name, ...path].map(encodeURIComponent).join("/");
  return `#/${text}${query && `?${query}`}`;
}
