/** URLs of upstreams: which are the same, and what they are called. */
import { UsageFault } from "../client/client-fault.ts";

interface UrlParts {
  readonly scheme: string;
  /** User and password with their `@`, or nothing. */
  readonly user: string;
  /** Host, with the port where it is not the usual one. */
  readonly host: string;
  readonly path: string;
}

/** A port is of digits: what a comma cut off a password is none. */
const URL_FORM =
  /^(https?):\/\/([^/?#]*@)?((?:\[[0-9a-f:.]+\]|[^/?#@:[\]]+)(?::\d*)?)(?![^/?#])([^#]*)/i;
const USUAL_PORT: Readonly<Record<string, RegExp>> = { http: /:0*80$/, https: /:0*443$/ };

/** @throws UsageFault, which reports nothing of the URL: all of it may be secret */
function partsOf(url: string, index: number): UrlParts {
  const [, rawScheme = "", user = "", rawHost, path = ""] = URL_FORM.exec(url.trim()) ?? [];
  if (rawHost === undefined) {
    throw new UsageFault(`an upstream is a URL of http or https: number ${index + 1} is not`);
  }
  const scheme = rawScheme.toLowerCase();
  const bare = rawHost.toLowerCase().replace(USUAL_PORT[scheme] ?? "", "");
  // A name that ends with a dot is the same name.
  const host = bare.replace(/:$/, "").replace(/\.(?=:\d+$|$)/, "");
  return { scheme, user, host, path };
}

/** One spelling for all spellings of a URL. */
function plainUrl({ scheme, user, host, path }: UrlParts): string {
  const [, place = "", query = ""] = /^([^?]*)(.*)$/s.exec(path) ?? [];
  return `${scheme}://${user}${host}${place.replace(/\/+$/, "")}${query}`;
}

/** Names of URLs: their hosts, with a number where several are alike. @throws UsageFault */
export function namesOf(urls: readonly string[]): readonly string[] {
  // Neither user nor path: they may be secrets.
  const hosts = urls.map((url, index) => partsOf(url, index).host);
  return hosts.map((host, index) => {
    const isAlone = hosts.indexOf(host) === hosts.lastIndexOf(host);
    return isAlone ? host : `${host}#${index}`;
  });
}

/** What may be shown of URLs: neither user nor path. @throws UsageFault */
export function shownUrls(urls: readonly string[]): readonly string[] {
  return urls.map((url, index) => {
    const { scheme, host } = partsOf(url, index);
    return `${scheme}://${host}`;
  });
}

/** Names that tell the public nothing: positions in the list of upstreams, from 1 on. */
export function numbersOf(urls: readonly string[]): readonly string[] {
  return urls.map((_, index) => `upstream-${index + 1}`);
}

/** @throws UsageFault when two are the same */
export function requireDistinct(urls: readonly string[]): void {
  const plain = urls.map((url, index) => plainUrl(partsOf(url, index)));
  for (const [index, it] of plain.entries()) {
    const first = plain.indexOf(it);
    if (first === index) continue;
    const which = `upstreams ${first + 1} and ${index + 1} are one`;
    throw new UsageFault(`${which}, named twice: its word would count twice`);
  }
}
