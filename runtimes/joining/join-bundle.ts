/**
 * Examines what a user hands in to join a network, before anything is dialled: certificate, CA,
 * genesis files, addresses. Source: node-network 1; groups 6
 */
import { nodeIdOf } from "../../core/bytes/hex.ts";
import type { NodeId } from "../../core/bytes/ids.ts";
import type { CryptoSuite } from "../../core/crypto/suite.ts";
import { genesisBlock } from "../../core/ledger/genesis-block.ts";
import type { GenesisConfig } from "../../core/model/config.ts";
import {
  isSupportedVersion,
  NEWEST_VERSION,
  parseVersion,
  type Version,
} from "../../core/model/version.ts";
import {
  type ChainProblem,
  describeRefusal,
  type Membership,
  verifyChain,
} from "../formats/certificates/certificate-chain.ts";
import { readGenesisFile } from "../formats/config/genesis-file.ts";
import { decodePem } from "../formats/keys/pem.ts";
import { parseEndpoint } from "../shared/p2p/endpoint.ts";
import { JoinFault, type JoinProblem } from "./join-fault.ts";
import type { JoinRequest } from "./join-request.ts";

/** By what the bundle is checked. */
export interface BundleContext {
  readonly suite: CryptoSuite;
  readonly privateKey: Uint8Array;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Whether the page came over https. */
  readonly isSecurePage: boolean;
}

/** A bundle that fits together. */
export interface CheckedBundle {
  readonly nodeId: NodeId;
  readonly membership: Membership;
  /** DER, the node's own first. */
  readonly certificates: readonly Uint8Array[];
  readonly authorities: readonly Uint8Array[];
  readonly genesis: readonly GenesisConfig[];
  readonly supportedVersion: Version;
  /** As multiaddresses. */
  readonly peers: readonly string[];
}

const CERTIFICATE_LABEL = "CERTIFICATE";

function certificatesOf(text: string, problem: JoinProblem): Uint8Array[] {
  const blocks = decodePem(text).filter(({ label }) => label === CERTIFICATE_LABEL);
  if (blocks.length === 0) throw new JoinFault(problem);
  return blocks.map(({ bytes }) => bytes);
}

const PROBLEMS: Partial<Record<ChainProblem, JoinProblem>> = {
  expired: "expired",
  notYetValid: "notYetValid",
  otherChain: "otherChain",
  keyMismatch: "otherKey",
  badSignature: "otherChain",
};

function membershipOf(
  certificates: readonly Uint8Array[],
  authorities: readonly Uint8Array[],
  { suite, privateKey, now }: BundleContext,
): Membership {
  const expectedNodeId = nodeIdOf(suite.publicKey(privateKey));
  const verdict = verifyChain(certificates, { authorities, now, expectedNodeId });
  if (verdict.ok) return verdict;
  throw new JoinFault(PROBLEMS[verdict.reason] ?? "badCertificate", describeRefusal(verdict));
}

/**
 * The multiaddress of a peer as a user writes it. A plain `host:port` is a WebSocket: a browser can
 * open nothing else.
 * @throws JoinFault badPeer, needsWss
 */
export function peerAddress(text: string, isSecurePage: boolean): string {
  const trimmed = text.trim();
  const isPlain = !trimmed.startsWith("/") && !trimmed.includes("://");
  const address = parseEndpoint(isPlain ? `${isSecurePage ? "wss" : "ws"}://${trimmed}` : trimmed);
  const names = address?.getComponents().map(({ name }) => name) ?? [];
  if (!address || !(names.includes("ws") || names.includes("wss")))
    throw new JoinFault("badPeer", trimmed);
  const isSecure = names.includes("wss") || names.includes("tls");
  if (isSecurePage && !isSecure) throw new JoinFault("needsWss", trimmed);
  return address.toString();
}

function genesisOf(text: string): GenesisConfig {
  try {
    const { genesis, eventFilter } = readGenesisFile(text, "group.N.genesis").value;
    const isSet = Object.values(eventFilter).some((limit) => limit !== undefined);
    return isSet ? { ...genesis, eventFilter } : genesis;
  } catch (cause) {
    throw new JoinFault("badGenesis", cause instanceof Error ? cause.message : String(cause));
  }
}

function versionOf(text: string | undefined): Version {
  const version = text === undefined ? NEWEST_VERSION : parseVersion(text);
  if (version === undefined || !isSupportedVersion(version))
    throw new JoinFault("badVersion", text);
  return version;
}

/** Judges what was handed in. @throws JoinFault for the first thing that is wrong */
export function checkBundle(request: JoinRequest, context: BundleContext): CheckedBundle {
  const certificates = certificatesOf(request.certificate, "noCertificate");
  const authorities = certificatesOf(request.authority, "noAuthority");
  const membership = membershipOf(certificates, authorities, context);
  const supportedVersion = versionOf(request.supportedVersion);
  const texts = request.groups.filter((text) => text.trim() !== "");
  if (texts.length === 0) throw new JoinFault("noGenesis");
  const genesis = texts.map(genesisOf);
  for (const group of genesis) {
    const wanted = request.genesisHashes?.[group.groupId];
    if (wanted === undefined || wanted.trim() === "") continue;
    const { suite } = context;
    const { hash } = genesisBlock({ suite, version: supportedVersion, genesis: group });
    if (hash !== wanted.trim().toLowerCase())
      throw new JoinFault("otherGenesis", `group ${group.groupId}`);
  }
  const named = request.peers.filter((text) => text.trim() !== "");
  if (named.length === 0) throw new JoinFault("noPeer");
  const peers = named.map((text) => peerAddress(text, context.isSecurePage));
  const { nodeId } = membership;
  return { nodeId, membership, certificates, authorities, genesis, supportedVersion, peers };
}
