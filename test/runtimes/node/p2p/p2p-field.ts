/** Networks over real sockets on loopback, with certificates that only these tests believe. */
import assert from "node:assert/strict";
import { ByteReader, ByteWriter } from "../../../../core/bytes/cursor.ts";
import { idBytes, nodeIdOf } from "../../../../core/bytes/hex.ts";
import type { GroupId, NodeId } from "../../../../core/bytes/ids.ts";
import type { LogFields, LogLevel } from "../../../../core/ports/log.ts";
import type { PeerAdmission, Incoming, MessageClass } from "../../../../core/ports/network.ts";
import {
  createNodeP2pNetwork,
  type NodeP2pOptions,
} from "../../../../runtimes/node/p2p/p2p-node.ts";
import type { P2pNetwork } from "../../../../runtimes/shared/p2p/p2p-options.ts";
import type { VerifyChain } from "../../../../runtimes/shared/p2p/p2p-options.ts";
import { portsInRow } from "../../../support/process/ports.ts";
import { STANDARD_SUITE } from "../../../support/suites.ts";

export const SUITE = STANDARD_SUITE;
export const CHAIN_ID = 7;
const FAR_FUTURE = 4_000_000_000_000;

/** What a test certificate says. */
export interface TestCertificate {
  readonly nodeId: NodeId;
  readonly notAfterMs?: number;
  readonly authority?: string;
}

const text = (value: string) => new TextEncoder().encode(value);

export function testCertificate(certificate: TestCertificate): Uint8Array {
  const { nodeId, notAfterMs = FAR_FUTURE, authority = "ca" } = certificate;
  const writer = new ByteWriter().bytes(idBytes(nodeId)).u64(notAfterMs);
  return writer.sized(text(authority)).finish();
}

/** Believes certificates of the authority `ca` until they expire. */
export const verifyTestChain: VerifyChain = ([leaf], nowMs) => {
  if (!leaf) return { ok: false, reason: "the chain is empty" };
  const reader = new ByteReader(leaf);
  const key = reader.bytes(64);
  const notAfterMs = reader.u64();
  const authority = new TextDecoder().decode(reader.sized(100));
  if (!reader.complete()) return { ok: false, reason: "the certificate is malformed" };
  if (authority !== "ca") return { ok: false, reason: "issued by another chain's CA" };
  if (nowMs > notAfterMs) return { ok: false, reason: "the certificate has expired" };
  return { ok: true, nodeId: nodeIdOf(key), agency: "agency", node: `node-${leaf[0]}` };
};

/** A private key for tests. */
export function testKey(index: number): Uint8Array {
  const key = new Uint8Array(32).fill(17);
  key[31] = index + 1;
  return key;
}

export const testId = (index: number): NodeId => nodeIdOf(SUITE.publicKey(testKey(index)));

/** A port that is free. */
export const freePort = (): Promise<number> => portsInRow(1);

export interface LogLine {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: LogFields | undefined;
}

/** A node of a test with what it heard and logged. */
export interface TestNode {
  readonly network: P2pNetwork;
  readonly port: number;
  readonly lines: LogLine[];
  readonly heard: Incoming[];
  readonly ups: NodeId[];
  readonly downs: NodeId[];
  start(): Promise<void>;
}

export type TestNodeOptions = Partial<NodeP2pOptions> & {
  readonly index: number;
  readonly port?: number;
  /** Whether a peer may speak in a group; absent: all may. */
  readonly mayHear?: (from: NodeId, groupId: GroupId, kind: MessageClass) => boolean;
};

export async function testNode(options: TestNodeOptions): Promise<TestNode> {
  const { index, port = await freePort(), mayHear, ...rest } = options;
  const lines: LogLine[] = [];
  const heard: Incoming[] = [];
  const ups: NodeId[] = [];
  const downs: NodeId[] = [];
  const network = createNodeP2pNetwork({
    chainId: CHAIN_ID,
    suite: SUITE,
    privateKey: testKey(index),
    certificates: [testCertificate({ nodeId: testId(index) })],
    verifyChain: verifyTestChain,
    listen: { host: "127.0.0.1", port },
    peers: [],
    log: { write: (level, message, fields) => void lines.push({ level, message, fields }) },
    ...rest,
  });
  const admission = ({ from, groupId, kind }: Incoming): PeerAdmission =>
    mayHear?.(from, groupId, kind) === false
      ? { isAdmitted: false, charge: 1 }
      : { isAdmitted: true, charge: 0 };
  const events = {
    admission,
    message: (message: Incoming) => void heard.push(message),
    peerUp: (peer: NodeId) => void ups.push(peer),
    peerDown: (peer: NodeId) => void downs.push(peer),
  };
  const start = () => whenFree(() => network.start(events));
  return { network, port, lines, heard, ups, downs, start };
}

/** Listens, again where another listener on the port has not quite ended. */
async function whenFree(listen: () => Promise<void>): Promise<void> {
  for (let left = LISTEN_TRIES; ; left--) {
    try {
      return await listen();
    } catch (cause) {
      if (left === 0 || !/EADDRINUSE/.test(String(cause))) throw cause;
      await sleep(LISTEN_PAUSE_MS);
    }
  }
}
const LISTEN_TRIES = 40;
const LISTEN_PAUSE_MS = 250;

export const sleep = (delayMs: number) => new Promise((resume) => setTimeout(resume, delayMs));

/** Waits for a condition, or fails naming it. */
export async function until(name: string, holds: () => boolean, limitMs = 240_000): Promise<void> {
  const end = Date.now() + limitMs;
  while (!holds()) {
    assert.ok(Date.now() < end, `in vain: ${name}`);
    await sleep(5);
  }
}

/** Runs a body with nodes that are stopped after it. */
export async function withNodes(
  nodes: readonly TestNode[],
  body: () => Promise<void>,
): Promise<void> {
  try {
    await body();
  } finally {
    await Promise.all(nodes.map(({ network }) => network.stop()));
  }
}

/** Two nodes, the second of which dials the first. */
export async function testPair(
  first: Partial<TestNodeOptions> = {},
  second: Partial<TestNodeOptions> = {},
): Promise<readonly [TestNode, TestNode]> {
  const one = await testNode({ index: 0, ...first });
  const two = await testNode({ index: 1, peers: [`127.0.0.1:${one.port}`], ...second });
  return [one, two];
}
