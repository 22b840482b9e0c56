/**
 * The keys of a network file as data: the reader and the reference in docs/network.md are made from
 * it.
 */
import { isCertificateName } from "../../formats/certificates/certificate-terms.ts";
import { IP, integer, type Kind, oneOf, TEXT } from "../../formats/config/config-kinds.ts";
import { FolderFault } from "../../folder/folder-fault.ts";
import { type NodePorts, parseBasePorts, parseHost } from "../../folder/chain-layout.ts";

/** A key of a section. */
export interface FileKey {
  /** What it is for: a sentence. */
  readonly help: string;
  /** Of one value, or of each item of a list. */
  readonly kind: Kind<unknown>;
  /** What holds when the key is absent, as documentation shows it. */
  readonly fallback?: string;
  readonly required?: true;
  /** A list of values, or the word `all`. */
  readonly many?: "all";
}

/** A section of the file. */
export interface FileSection {
  readonly help: string;
  /** One map of keys, a list of such maps, or a list of values. */
  readonly form: "map" | "maps" | "values";
  readonly required?: true;
  /** What holds when the section is absent. */
  readonly fallback?: string;
  readonly keys: Readonly<Record<string, FileKey>>;
}

/** Group ids are positive 16-bit numbers. Source: groups 1 */
const HIGHEST_GROUP = 32_767;
/** What becomes part of names of services and files on all engines. */
const LONGEST_NAME = 40;
const CHAIN_NAME = /^[a-z]([a-z0-9-]*[a-z0-9])?$/;
const IMAGE = /^[a-z0-9][a-z0-9._/:@-]{0,254}$/;

/** A reader of the folder rung as a kind: its fault says what is allowed. */
function folderKind<T>(allowed: string, parse: (text: string) => T): Kind<T> {
  return {
    allowed,
    read(text) {
      try {
        return parse(text);
      } catch (error) {
        if (error instanceof FolderFault) return undefined;
        throw error;
      }
    },
    write: String,
  };
}

const NAME: Kind<string> = {
  allowed: "letters, digits, `.`, `_` and `-`, 64 at most",
  read: (text) => (isCertificateName(text) ? text : undefined),
  write: (value) => value,
};

const CHAIN: Kind<string> = {
  allowed: `lower-case letters, digits and \`-\`, a letter first, ${LONGEST_NAME} at most`,
  read: (text) => (CHAIN_NAME.test(text) && text.length <= LONGEST_NAME ? text : undefined),
  write: (value) => value,
};

const HOST = folderKind("an IPv4 or IPv6 address, or a name", parseHost);

const PORTS_ALLOWED = "`RPC,CHANNEL,P2P` or `RPC,CHANNEL,P2P,WS`, ports from 1024 to 65535";
const BASE_PORTS: Kind<NodePorts> = folderKind(PORTS_ALLOWED, parseBasePorts);
const PORTS: Kind<NodePorts | "auto"> = {
  allowed: `\`auto\`, ${PORTS_ALLOWED}`,
  read: (text) => (text === "auto" ? text : BASE_PORTS.read(text)),
  write: String,
};

const IMAGE_NAME: Kind<string> = {
  allowed: "the name of a container image",
  read: (text) => (IMAGE.test(text) ? text : undefined),
  write: (value) => value,
};

const MEMBERS = { kind: NAME, many: "all" } as const;

/** The file. */
export const NETWORK_SCHEMA = {
  chain: {
    help: "The chain.",
    form: "map",
    required: true,
    keys: {
      name: {
        help: "Name of the chain, also in names of units and services.",
        kind: CHAIN,
        required: true,
      },
      suite: {
        help: "Algorithms: secp256k1 and Keccak-256, or SM2 and SM3; never changes.",
        kind: oneOf("standard", "national"),
        fallback: "standard",
      },
      folder: {
        help: "Where certificates and nodes are, from the folder of the file on.",
        kind: TEXT,
        fallback: "the chain's name",
      },
      host: {
        help: "Address or name at which peers reach nodes that name none of their own.",
        kind: HOST,
        fallback: "127.0.0.1",
      },
      ports: {
        help: "Where automatic ports begin.",
        kind: BASE_PORTS,
        fallback: "8645,20200,30300",
      },
      management: {
        help: "Who changes groups and peers over HTTP: callers of a node's host, or with a token.",
        kind: oneOf("local", "token"),
        fallback: "local",
      },
      image: {
        help: "Container image in manifests.",
        kind: IMAGE_NAME,
        fallback: "chain-node:VERSION",
      },
    },
  },
  agencies: {
    help: "Organisations: each issues the certificates of its nodes and SDKs.",
    form: "values",
    required: true,
    keys: { "<i>": { help: "Name of an agency.", kind: NAME, required: true } },
  },
  nodes: {
    help: "Nodes.",
    form: "maps",
    required: true,
    keys: {
      name: { help: "Its folder, and the name in its certificate.", kind: NAME, required: true },
      agency: { help: "Agency that it belongs to.", kind: NAME, required: true },
      host: {
        help: "Address or name at which peers reach it.",
        kind: HOST,
        fallback: "`chain.host`",
      },
      ports: { help: "Where it listens.", kind: PORTS, fallback: "auto" },
      rpc_ip: {
        help: "Address to listen on for JSON-RPC, which knows no users.",
        kind: IP,
        fallback: "127.0.0.1",
      },
      channel_ip: {
        help: "Address to listen on for SDKs.",
        kind: IP,
        fallback: "127.0.0.1 where `host` is, else all",
      },
      role: {
        help: "What it is in groups that list no members: an observer follows without a vote.",
        kind: oneOf("sealer", "observer"),
        fallback: "sealer; observer of a tab or edge",
      },
      runtime: {
        help: "Where it runs: a process, a browser tab, an edge function; the last two join.",
        kind: oneOf("node", "tab", "edge"),
        fallback: "node",
      },
      public_key: {
        help: "Of a tab or edge: file of its public key in PEM, or its node ID.",
        kind: TEXT,
        fallback: "none yet",
      },
    },
  },
  groups: {
    help: "Groups: each has a ledger and members of its own.",
    form: "maps",
    fallback: "one PBFT group 1 of all nodes",
    keys: {
      id: { help: "Number of the group.", kind: integer(1, HIGHEST_GROUP), required: true },
      consensus: {
        help: "Protocol of the group; never changes.",
        kind: oneOf("pbft", "raft"),
        fallback: "pbft",
      },
      sealers: {
        ...MEMBERS,
        help: "Nodes that decide about blocks, by name.",
        fallback: "`all` whose role is sealer",
      },
      observers: {
        ...MEMBERS,
        help: "Nodes that follow without a vote, by name.",
        fallback: "`all` whose role is observer",
      },
    },
  },
} as const satisfies Readonly<Record<string, FileSection>>;

/** What may stand in the place of a list of members. */
export const ALL_MEMBERS = "all";
