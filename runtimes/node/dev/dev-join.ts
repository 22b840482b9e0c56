/**
 * Tabs that join a development chain: a page that a node of it served asks with a public key and is
 * given everything that joining takes. The nodes listen for browsers from the first such request
 * on, and with each later start of the chain. Source: decision 24
 */
import { join } from "node:path";
import { nodeIdOf } from "../../../core/bytes/hex.ts";
import type { GenesisConfig } from "../../../core/model/config.ts";
import { formatVersion, NEWEST_VERSION } from "../../../core/model/version.ts";
import type { Log } from "../../../core/ports/log.ts";
import { type Agency, certify, type IssueContext, issue } from "../../folder/authority.ts";
import { certificatesPem } from "../../folder/certificate.ts";
import { LEAF_DAYS } from "../../formats/certificates/certificate-terms.ts";
import { createChainVerifier } from "../../formats/certificates/certificate-chain.ts";
import { writeGenesisFile } from "../../formats/config/genesis-file.ts";
import type { KeyPair } from "../../folder/private-key.ts";
import { parsePublicKey } from "../../formats/keys/public-key.ts";
import { readText, writeWhole } from "../../folder/whole-files.ts";
import { DEV_CHAIN_ID } from "../../shared/dev/dev-genesis.ts";
import type { PostRoute } from "../../shared/http-app.ts";
import type { JointNetwork } from "../../shared/joint-network.ts";
import type { P2pNetwork } from "../../shared/p2p/p2p-options.ts";
import { logWith } from "../log/log.ts";
import type { Machinery } from "../threads/machinery.ts";
import { ensureAgency } from "./dev-channel.ts";

/** Where pages ask. */
export const JOIN_PATH = "/join";
/** Of the agency that certifies tabs and the nodes that they meet; the SDK ports have others. */
const FOLDER = join("cert", "peers");
/** Certificates in a minute. */
const MOST_PER_MINUTE = 64;
const MINUTE_MS = 60_000;
/** Where the nodes listen for browsers, once somebody has asked. */
const PORTS_FILE = "ports.json";

interface DevJoinOptions {
  /** The data folder, absolute. */
  readonly path: string;
  readonly keys: readonly KeyPair[];
  readonly networks: readonly JointNetwork[];
  readonly machinery: Pick<Machinery, "suite" | "entropy">;
  readonly genesis: GenesisConfig;
  readonly host: string;
  readonly log: Log;
}

/** What a page is answered with: a JoinStartRequest without its kind. */
export interface JoinOffer {
  readonly chainId: number;
  readonly supportedVersion: string;
  readonly sm: boolean;
  readonly certificate: string;
  readonly authority: string;
  readonly peers: readonly string[];
  readonly groups: readonly string[];
}

interface Opened {
  readonly agency: Agency;
  readonly ports: readonly number[];
}

function portOf(network: P2pNetwork): number {
  return Number(/\/tcp\/(\d+)/.exec(network.addresses()[0] ?? "")?.[1] ?? 0);
}

function parsePorts(text: string | undefined): readonly number[] {
  const found = /^\[(\d+(?:,\d+)*)\]\s*$/.exec(text ?? "");
  return (found?.[1] ?? "").split(",").filter(Boolean).map(Number);
}

/**
 * A chain that tabs can join. Nothing is opened or written before somebody asks. A class because it
 * opens once.
 */
export class DevJoin {
  readonly #options: DevJoinOptions;
  readonly #home: string;
  #opened: Promise<Opened> | undefined;
  /** Those that listen, by node: an attempt that fails half-way leaves them for the next one. */
  readonly #listening = new Map<number, P2pNetwork>();
  #tabs = 0;
  /** When the last ones were certified. */
  #certified: number[] = [];

  constructor(options: DevJoinOptions) {
    this.#options = options;
    this.#home = join(options.path, FOLDER);
  }

  /** Listens again where tabs have joined before. */
  async reopen(): Promise<void> {
    if ((await readText(join(this.#home, PORTS_FILE))) !== undefined) await this.#open();
  }

  readonly route: PostRoute = async (body, { host = "localhost" }) => {
    const { machinery, genesis, log } = this.#options;
    const { suite } = machinery;
    const publicKey = parsePublicKey(body.slice(0, 4_096), suite.name);
    if (!publicKey) {
      const wanted = "the body is a public key in PEM, or a node ID, of the chain's curve";
      return { status: 400, body: `${JSON.stringify({ message: wanted })}\n` };
    }
    if (!this.#admits(Date.now())) {
      const message = `${MOST_PER_MINUTE} tabs were certified in a minute: try again soon`;
      return { status: 429, body: `${JSON.stringify({ message })}\n` };
    }
    const { agency, ports } = await this.#open();
    const holder = { kind: "node", name: `tab${this.#tabs++}`, publicKey } as const;
    const { text } = certify(holder, agency, this.#context());
    log.write("info", "a tab was certified", { node: nodeIdOf(publicKey).slice(0, 8) });
    // The page knows the machine by this name; the nodes listen at the same addresses.
    const name = host.replace(/:\d+$/, "");
    const offer: JoinOffer = {
      chainId: DEV_CHAIN_ID,
      supportedVersion: formatVersion(NEWEST_VERSION),
      sm: suite.name === "national",
      certificate: text,
      authority: certificatesPem(agency.ca),
      peers: ports.map((port) => `ws://${name}:${port}`),
      groups: [writeGenesisFile(genesis)],
    };
    return { status: 200, body: `${JSON.stringify(offer)}\n` };
  };

  /** Everybody who reaches the port may ask: the chain does not sign all day. */
  #admits(now: number): boolean {
    this.#certified = this.#certified.filter((at) => at > now - MINUTE_MS);
    if (this.#certified.length >= MOST_PER_MINUTE) return false;
    this.#certified.push(now);
    return true;
  }

  #context(): IssueContext {
    const { entropy } = this.#options.machinery;
    return { entropy, now: Date.now(), days: LEAF_DAYS };
  }

  #open(): Promise<Opened> {
    this.#opened ??= this.#listen().catch((cause: unknown) => {
      this.#opened = undefined;
      throw cause;
    });
    return this.#opened;
  }

  async #listen(): Promise<Opened> {
    const { keys, networks, machinery, log } = this.#options;
    // Most chains are never joined, and libp2p takes longer to load than a chain to start.
    const p2p = await import("../p2p/p2p-node.ts");
    const agency = await ensureAgency(this.#home, this.#context(), machinery.suite.name);
    const wanted = parsePorts(await readText(join(this.#home, PORTS_FILE)));
    const ports: number[] = [];
    for (const [index, key] of keys.entries()) {
      const joint = networks[index];
      if (!joint) continue;
      const make = (port: number) =>
        p2p.createNodeP2pNetwork({
          transports: p2p.nodeTransports(),
          ...this.#terms(agency, { key, index, port }),
        });
      let network = this.#listening.get(index);
      if (!network) {
        network = make(wanted[index] ?? 0);
        await joint.widen(network).catch(async () => {
          const line = "a port for browsers is taken: another one is used";
          log.write("warning", line, { node: index });
          network = make(0);
          await joint.widen(network);
        });
        this.#listening.set(index, network);
      }
      ports.push(portOf(network));
    }
    const text = `[${ports.join()}]\n`;
    await writeWhole(this.#home, { path: PORTS_FILE, text, use: "text" });
    log.write("info", "the nodes listen for browsers", { ports: ports.join(" ") });
    return { agency, ports };
  }

  #terms(
    agency: Agency,
    node: { readonly key: KeyPair; readonly index: number; readonly port: number },
  ) {
    const { machinery, host, log } = this.#options;
    const { suite, entropy } = machinery;
    const { key, index, port } = node;
    const name = `node${index}`;
    const holder = { kind: "node", name, key } as const;
    const { certificate } = issue(holder, agency, this.#context());
    return {
      chainId: DEV_CHAIN_ID,
      suite,
      privateKey: key.privateKey,
      certificates: [certificate, agency.certificate],
      verifyChain: createChainVerifier([agency.ca]),
      listen: { host, webSocketPort: port },
      peers: [],
      relay: { serves: true, listens: false },
      entropy,
      log: logWith(log, { node: index }),
    };
  }
}
