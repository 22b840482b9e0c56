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

const URL_FORM = /^(https?):\/\/([^/?#]*@)?([^/?#@]+)([^#]*)/i;
const USUAL_PORT: Readonly<Record<string, RegExp>> = { http: /:0*80$/, https: /:0*443$/ };

/** @throws UsageFault */
function partsOf(url: string): UrlParts {
  const [, rawScheme = "", user = "", rawHost, path = ""] = URL_FORM.exec(url.trim()) ?? [];
  if (rawHost === undefined) {
    throw new UsageFault(`an upstream is a URL of http or https: ${url}`);
  }
  const scheme = rawScheme.toLowerCase();
  const bare = rawHost.toLowerCase().replace(USUAL_PORT[scheme] ?? "", "");
  // A name that ends with a dot is the same name.
  const host = bare.replace(/:$/, "").replace(/\.(?=:\d+$|$)/, "");
  return { scheme, user, host, path };
}

/** One spelling for all spellings of a URL. @throws UsageFault */
export function plainUrl(url: string): string {
  const { scheme, user, host, path } = partsOf(url);
  const [, place = "", query = ""] = /^([^?]*)(.*)$/s.exec(path) ?? [];
  return `${scheme}://${user}${host}${place.replace(/\/+$/, "")}${query}`;
}

/** Names of URLs: their hosts, with a number where several are alike. @throws UsageFault */
export function namesOf(urls: readonly string[]): readonly string[] {
  // Neither user nor path: they may be secrets.
  const hosts = urls.map((url) => partsOf(url).host);
  return hosts.map((host, index) => {
    const isAlone = hosts.indexOf(host) === hosts.lastIndexOf(host);
    return isAlone ? host : `${host}#${index}`;
  });
}

/** Names that tell the public nothing: positions in the list of upstreams, from 1 on. */
export function numbersOf(urls: readonly string[]): readonly string[] {
  return urls.map((_, index) => `upstream-${index + 1}`);
}

/** @throws UsageFault when two are the same */
export function requireDistinct(urls: readonly string[]): void {
  const seen = new Map<string, string>();
  for (const url of urls) {
    const plain = plainUrl(url);
    const first = seen.get(plain);
    seen.set(plain, url);
    if (first === undefined) continue;
    const [name = ""] = namesOf([url]);
    const why = first === url ? "" : " in two spellings";
    throw new UsageFault(`the upstream ${name} is named twice${why}: its word would count twice`);
  }
}
