/** The command line of build_chain.sh. Source: generator 10.1 */
import { UsageFault } from "../flags.ts";

/** What a letter does here. */
export type Letter =
  /** It is obeyed; with a value where one follows. */
  | { readonly kind: "switch" | "value"; readonly help: string; readonly shown?: string }
  /** It has no meaning here and is reported to be left out. */
  | { readonly kind: "idleSwitch" | "idleValue"; readonly help: string }
  /** It asks for what there is not. */
  | { readonly kind: "refused"; readonly help: string };

/** All letters of the classic script. */
export const LETTERS: Readonly<Record<string, Letter>> = {
  l: { kind: "value", shown: "IP:N,...", help: "nodes on each address" },
  f: { kind: "value", shown: "FILE", help: "lines: IP:N AGENCY GROUP[,GROUP] [P2P,CHANNEL,RPC]" },
  e: { kind: "value", shown: "FILE", help: "program of the nodes; that of this tool when absent" },
  o: { kind: "value", shown: "DIR", help: "where to write; must not exist (nodes)" },
  p: { kind: "value", shown: "P2P,CHANNEL,RPC", help: "first ports (30300,20200,8545)" },
  v: { kind: "value", shown: "X.Y.Z", help: "compatibility version of the chain" },
  i: { kind: "switch", help: "JSON-RPC on all addresses; 127.0.0.1 when absent" },
  c: { kind: "value", shown: "NAME", help: "consensus: pbft or raft (pbft)" },
  s: {
    kind: "value",
    shown: "NAME",
    help: "storage: rocksdb, which means the node's own (rocksdb)",
  },
  C: { kind: "value", shown: "ID", help: "number of the chain (1)" },
  k: {
    kind: "value",
    shown: "DIR",
    help: "folder with ca.crt and ca.key of a chain to go on with",
  },
  K: { kind: "value", shown: "DIR", help: "the same with gmca.crt and gmca.key, for -g" },
  g: { kind: "switch", help: "national algorithms: SM2 and SM3" },
  X: { kind: "value", shown: "DAYS", help: "validity of certificates (36500)" },
  D: { kind: "switch", help: "folders named node_IP_PORT, each with the program" },
  T: { kind: "switch", help: "log at level debug" },
  S: { kind: "switch", help: "statistics in the log" },
  F: { kind: "switch", help: "do not flush the log after each line" },
  E: { kind: "switch", help: "free storage: no gas for growing state" },
  "6": { kind: "switch", help: "listen on IPv6" },
  h: { kind: "switch", help: "print this help" },
  R: { kind: "idleSwitch", help: "certificates of SDK ports are ECDSA in any case" },
  t: { kind: "idleValue", help: "certificates are made without openssl and its settings" },
  G: { kind: "refused", help: "SM TLS for SDKs is not offered: leave -G out" },
  d: { kind: "refused", help: "start scripts for containers come from chain-node network" },
  q: { kind: "refused", help: "npm view chain-node versions lists the releases" },
  z: { kind: "refused", help: "pack with scripts/pack.sh -p -d DIR after it is written" },
};

/** Letters that were given, with their values; empty for a switch. */
export type Words = ReadonlyMap<string, string>;

/** Words taken apart. */
export interface ReadWords {
  readonly words: Words;
  /** What is left out, each with the reason. */
  readonly notes: readonly string[];
}

function takesValue({ kind }: Letter): boolean {
  return kind === "value" || kind === "idleValue";
}

/**
 * Reads letters as getopts does: several behind one dash, a value behind its letter or as the next
 * word.
 * @throws UsageFault
 */
export function readWords(args: readonly string[]): ReadWords {
  const words = new Map<string, string>();
  const notes: string[] = [];
  const rest = [...args];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (!/^-./.test(word)) throw new UsageFault(`${word} is no option`);
    for (let at = 1; at < word.length; at++) {
      const name = word.charAt(at);
      const letter = Object.hasOwn(LETTERS, name) ? LETTERS[name] : undefined;
      if (!letter) throw new UsageFault(`-${name} is no option`);
      if (letter.kind === "refused") throw new UsageFault(`-${name}: ${letter.help}`);
      const behind = word.slice(at + 1);
      const value = takesValue(letter) ? behind || rest.shift() : "";
      if (value === undefined) throw new UsageFault(`-${name} needs a value`);
      if (/^idle/.test(letter.kind)) notes.push(`-${name} is left out: ${letter.help}`);
      else words.set(name, value);
      if (takesValue(letter)) break;
    }
  }
  return { words, notes };
}

const HEAD_WIDTH = 24;

/** The help; options that are left out or refused are in it, with the reason. */
export function buildChainUsage(): string {
  const rows = Object.entries(LETTERS).map(([name, letter]) => {
    const shown = "shown" in letter ? ` ${letter.shown}` : "";
    const help = letter.kind === "refused" ? `not here: ${letter.help}` : letter.help;
    return `${`  -${name}${shown}`.padEnd(HEAD_WIDTH)}${help}`;
  });
  return ["usage: build_chain.sh -l IP:N,... [OPTION]...", "", ...rows, ""].join("\n");
}
