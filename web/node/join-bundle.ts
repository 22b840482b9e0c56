/** The files that somebody hands in to join a network, distinguished by what stands in them. */

/** A file that was read. */
export interface HandedFile {
  readonly name: string;
  readonly text: string;
}

/** What is known so far. */
export interface JoinBundle {
  readonly certificate: string;
  readonly authority: string;
  /** Genesis files. */
  readonly groups: readonly string[];
  /** PEM of a private key. */
  readonly privateKey: string | undefined;
}

/** Nothing yet. */
export const EMPTY_BUNDLE: JoinBundle = {
  certificate: "",
  authority: "",
  groups: [],
  privateKey: undefined,
};

/** JoinBundle with more files, and the names of those that are none. */
interface Sorted {
  readonly bundle: JoinBundle;
  readonly unknown: readonly string[];
}

/** Names of chain certificates: ca.crt, gmca.crt. */
const AUTHORITY_NAME = /(^|[^a-z])(gm)?ca\.(crt|pem)$/i;
const GENESIS = /^\s*\[group\]/m;

/** The group of a genesis file, for people. */
export function groupOf(genesis: string): string {
  return /^\s*\[group\][^[]*?^\s*id\s*=\s*(\d+)/m.exec(genesis)?.[1] ?? "?";
}

/** Adds files; a later one of a kind takes the place of an earlier one. */
export function sortFiles(known: JoinBundle, files: readonly HandedFile[]): Sorted {
  let bundle = known;
  const unknown: string[] = [];
  for (const { name, text } of files) {
    if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text)) bundle = { ...bundle, privateKey: text };
    else if (text.includes("-----BEGIN CERTIFICATE-----")) {
      const kind = AUTHORITY_NAME.test(name) ? "authority" : "certificate";
      bundle = { ...bundle, [kind]: text };
    } else if (GENESIS.test(text)) {
      const others = bundle.groups.filter((other) => groupOf(other) !== groupOf(text));
      bundle = { ...bundle, groups: [...others, text] };
    } else unknown.push(name);
  }
  return { bundle, unknown };
}
