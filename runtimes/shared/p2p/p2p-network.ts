/**
 * The Network port over libp2p. One stream per peer carries everything: the certificate exchange,
 * then all classes by priority. Source: node-network 1, 2, 3
 */
import "./polyfills.ts";
import { privateKeyFromRaw } from "@libp2p/crypto/keys";
import type { Connection, Libp2p, PeerId, PrivateKey, Stream } from "@libp2p/interface";
import { createLibp2p } from "libp2p";
import { nodeIdOf } from "../../../core/bytes/hex.ts";
import type { NodeId } from "../../../core/bytes/ids.ts";
import { takesOver } from "../../../core/network/admission.ts";
import { COPY_VERSIONS, copyProtocol } from "../../../core/network/copy-proof.ts";
import { PEER_VERSIONS, peerProtocol, type Refusal } from "../../../core/network/handshake.ts";
import type { WireMessage } from "../../../core/network/part.ts";
import type {
  PeerAdmission,
  Incoming,
  NetworkEvents,
  PeerInfo,
} from "../../../core/ports/network.ts";
import { CertificateBus } from "./certificate-bus.ts";
import { ConnectionWatch } from "./connection-watch.ts";
import { CopyWatch } from "./copy-watch.ts";
import { count, newCounters } from "./counters.ts";
import { dialFaultText, endingLine, isOwnAddress, REPLACED } from "./ending-line.ts";
import { endpointOf, parseEndpoint } from "./endpoint.ts";
import {
  DEFAULT_MAX_PEERS,
  forgetPeers,
  libp2pOptionsOf,
  MAX_STREAMS,
  UNAUTHENTICATED,
} from "./libp2p-options.ts";
import type { P2pNetwork, P2pOptions, P2pTiming } from "./p2p-options.ts";
import { PeerGate } from "./peer-gate.ts";
import { type Ending, type LinkHost, type LinkSettings, PeerLink } from "./peer-link.ts";
import { RelayManager, type RelayHost } from "./relay.ts";
import {
  dialFaultLevel,
  type DialHistory,
  type DialOutcome,
  NEVER_DIALLED,
  StaticPeers,
} from "./static-peers.ts";

/** How long a node waits for what. */
export const DEFAULT_TIMING: P2pTiming = {
  handshakeMs: 10_000,
  heartbeatMs: 5_000,
  idleMs: 20_000,
  firstRoundMs: 2_000,
};
/** Of a message, where nobody is asked. */
const HEARD: PeerAdmission = { isAdmitted: true, charge: 0 };
/** Letters of a node ID in a log line. */
const LOGGED_ID = 8;

/** Resolves a dial that waits for its link. */
type Waiter = (outcome: DialOutcome) => void;

/** The network of one node; a class because it owns connections and timers. */
class P2pNode implements LinkHost, RelayHost {
  readonly self: NodeId;
  readonly counters = newCounters();
  readonly certificates = new CertificateBus();
  readonly watch = new ConnectionWatch(() => count(this.counters.rejected, "oversize"));
  readonly peers: StaticPeers;
  readonly #options: P2pOptions & { readonly timing: P2pTiming };
  readonly #gate: PeerGate;
  /** Of the channels. */
  readonly #key: PrivateKey;
  /** The link that stands for a peer: active, or past the own proof. */
  readonly #sessions = new Map<NodeId, PeerLink>();
  readonly #links = new Set<PeerLink>();
  readonly #greeted = new WeakSet<Connection>();
  readonly #waiters = new Map<PeerLink, Waiter>();
  #libp2p: Libp2p | undefined;
  #events: NetworkEvents | undefined;
  #cancelBeat: (() => void) | undefined;
  readonly #copies: CopyWatch;
  readonly #relay: RelayManager | undefined;

  constructor(options: P2pOptions) {
    this.#options = { ...options, timing: { ...DEFAULT_TIMING, ...options.timing } };
    const { suite, privateKey, entropy, clock } = options;
    this.self = nodeIdOf(suite.publicKey(privateKey));
    this.#key = privateKeyFromRaw(suite.name === "standard" ? privateKey : entropy.bytes(32));
    this.#gate = new PeerGate(options);
    this.#copies = new CopyWatch({
      ...options,
      self: this.self,
      isRunning: () => this.isRunning,
      onCopy: (copy) => this.#tell(() => options.onCopy?.(copy)),
    });
    const dial = (endpoint: string, before: DialHistory) => this.#dial(endpoint, before);
    const hasSession = (nodeId: NodeId) => this.#sessions.has(nodeId);
    this.peers = new StaticPeers({ clock, entropy, dial, hasSession }, options.peers);
    const { relay: roles, log } = options;
    if (roles) this.#relay = new RelayManager({ roles, clock, log }, this);
  }

  get isRunning(): boolean {
    return this.#events !== undefined;
  }

  get protocols(): string[] {
    return (this.#options.versions ?? PEER_VERSIONS).map(peerProtocol);
  }

  async start(events: NetworkEvents): Promise<void> {
    const { timing } = this.#options;
    const parts = {
      key: this.#key,
      handshakeMs: timing.handshakeMs,
      relay: this.#relay,
      certificates: this.certificates,
      watch: this.watch,
    };
    const libp2p = await createLibp2p(libp2pOptionsOf(this.#options, parts));
    try {
      this.#libp2p = libp2p;
      this.#copies.begin();
      this.#events = events;
      const options = { maxInboundStreams: MAX_STREAMS };
      const greet = (stream: Stream, connection: Connection) => this.#greet(stream, connection);
      await libp2p.handle(this.protocols, greet, options);
      const answer = (stream: Stream, connection: Connection) =>
        this.#answerCopy(stream, connection, libp2p.peerId);
      await libp2p.handle(COPY_VERSIONS.map(copyProtocol), answer, options);
      await this.#relay?.begin(libp2p);
      forgetPeers(libp2p);
      libp2p.addEventListener("connection:open", ({ detail }) => this.#expectHello(detail));
      await libp2p.start();
    } catch (error) {
      this.#events = undefined;
      await libp2p.stop();
      throw error;
    }
    this.#options.log.write("info", "network listens", { addresses: this.addresses().join(" ") });
    this.#beat();
    await this.#firstRound();
  }

  /**
   * An older copy of this node is met by the first dials, before any group could vote; a host that
   * does not answer holds up the start no longer than this.
   */
  async #firstRound(): Promise<void> {
    let cancel = () => {};
    const late = new Promise<void>((resume) => {
      cancel = this.#options.clock.after(this.#options.timing.firstRoundMs, resume);
    });
    await Promise.race([this.peers.start(), late]);
    cancel();
    const { fault } = this.#copies;
    if (fault === undefined) return;
    await this.stop();
    throw fault;
  }

  async stop(): Promise<void> {
    if (!this.#events) return;
    this.#events = undefined;
    this.#cancelBeat?.();
    this.peers.stop();
    this.#relay?.end();
    const links = [...this.#links];
    for (const link of links) link.end({ reason: "this node stops", orderly: true });
    await Promise.all(links.map(({ closing }) => closing));
    await this.#libp2p?.stop();
    this.#libp2p = undefined;
  }

  addresses(): readonly string[] {
    return this.#libp2p?.getMultiaddrs().map(String) ?? [];
  }

  link(peer: NodeId): PeerLink | undefined {
    const link = this.#sessions.get(peer);
    return link?.isActive ? link : undefined;
  }

  certified(peerId: PeerId): PeerLink | undefined {
    return this.activeLinks().find(({ connection }) => connection.remotePeer.equals(peerId));
  }

  activeLinks(): readonly PeerLink[] {
    return [...this.#sessions.values()].filter(({ isActive }) => isActive);
  }

  wants(nodeId: NodeId): boolean {
    return this.isRunning && !this.#sessions.has(nodeId) && !this.#gate.listed(nodeId);
  }

  async dial(endpoint: string): Promise<boolean> {
    return (await this.#dial(endpoint)).type === "connected";
  }

  peerList(): readonly PeerInfo[] {
    return [...this.#sessions.values()].flatMap(({ isActive, peer, endpoint, version }) => {
      if (!isActive || !peer) return [];
      const { nodeId, agency, node } = peer;
      return [{ nodeId, endpoint, agency, node, topics: [], version }];
    });
  }

  setWhitelist(whitelist: readonly string[]): void {
    this.#gate.setWhitelist(whitelist);
    for (const [nodeId, link] of [...this.#sessions]) {
      const refusal = this.#gate.listed(nodeId);
      if (refusal) link.end({ reason: refusal, refusal });
    }
  }

  penalise(peer: NodeId, detail: string): void {
    const ending = { reason: "offences", detail, offender: true };
    // In a later turn: the caller may be in the midst of a step.
    this.#options.schedule(() => this.#sessions.get(peer)?.end(ending));
  }

  refusal(link: PeerLink): Refusal | undefined {
    const nodeId = link.peer?.nodeId;
    if (nodeId === undefined || nodeId === this.self) return "self";
    const refusal = this.#gate.refusal(nodeId);
    if (refusal) return refusal;
    const isFull = this.#sessions.size >= (this.#options.maxPeers ?? DEFAULT_MAX_PEERS);
    return isFull && !this.#sessions.has(nodeId) ? "too many peers" : undefined;
  }

  #answerCopy(stream: Stream, connection: Connection, self: PeerId): void {
    if (this.#greeted.has(connection) || !this.isRunning) {
      stream.abort(new DOMException("one exchange per connection", "NotAllowedError"));
      return;
    }
    this.#greeted.add(connection);
    void this.#copies.answer(stream, connection, self);
  }

  proven(link: PeerLink): Refusal | undefined {
    const peer = link.peer?.nodeId;
    if (peer === undefined || !this.#events) return "duplicate";
    // Lists and bans may have changed between hello and proof.
    const refusal = this.refusal(link);
    if (refusal) return refusal;
    const known = this.#sessions.get(peer);
    if (known) {
      const ageMs = this.#options.clock.steady() - (known.activeSince ?? Infinity);
      const { isActive: active, dialledBySelf } = known;
      const fresh = { self: this.self, peer, dialledBySelf: link.dialledBySelf };
      const raceMs = this.#options.timing.handshakeMs;
      if (!takesOver({ active, dialledBySelf, ageMs }, fresh, raceMs)) return "duplicate";
      known.end({ reason: REPLACED });
    }
    this.#sessions.set(peer, link);
    return undefined;
  }

  active(link: PeerLink): void {
    const { peer, endpoint, version } = link;
    if (!peer) return;
    this.watch.admit(link.connection);
    this.#options.inbound?.admit(endpoint);
    const fields = { endpoint, peer: short(peer.nodeId), node: peer.node, version };
    this.#options.log.write("info", "peer connected", fields);
    this.#settle(link, { type: "connected", nodeId: peer.nodeId });
    this.#tell(() => this.#events?.peerUp(peer.nodeId));
    this.#relay?.linkUp(link);
  }

  message(link: PeerLink, { kind, groupId, bytes }: WireMessage): void {
    const from = link.peer?.nodeId;
    if (from === undefined) return;
    const message: Incoming = { from, groupId, kind, bytes };
    if (this.#hears(link, message)) this.#tell(() => this.#events?.message(message));
  }

  /** Counts what is not heard; more of it than an honest peer sends is an offence. */
  #hears(link: PeerLink, message: Incoming): boolean {
    const { isAdmitted, charge } = this.#events?.admission?.(message) ?? HEARD;
    if (!this.#gate.charge(message.from, { bytes: message.bytes.length, charge })) {
      link.offend("unauthorised");
      return false;
    }
    if (!isAdmitted) count(this.counters.rejected, "unauthorised");
    return isAdmitted;
  }

  clockNews({ peer, clockSkewMs = 0 }: PeerLink, news: "differs" | "agrees"): void {
    if (!peer) return;
    const { nodeId, node } = peer;
    const fields = { peer: short(nodeId), node, seconds: Math.round(clockSkewMs / 1_000) };
    const { log } = this.#options;
    if (news === "agrees") log.write("info", "the clock of a peer agrees again", fields);
    else log.write("warning", "the clock of a peer differs: set the clocks by NTP", fields);
  }

  ended(link: PeerLink, ending: Ending): void {
    this.#links.delete(link);
    this.#relay?.linkDown(link);
    const nodeId = link.peer?.nodeId;
    const stood = nodeId !== undefined && this.#sessions.get(nodeId) === link;
    const wasActive = link.activeSince !== undefined;
    if (stood) this.#sessions.delete(nodeId);
    this.#record(link, ending);
    if (ending.offender && nodeId !== undefined) this.#gate.ban(nodeId);
    this.#settle(link, this.#outcomeOf(link, ending));
    if (!stood) return;
    if (wasActive) this.#tell(() => this.#events?.peerDown(nodeId));
    this.peers.lost(nodeId);
  }

  #outcomeOf(link: PeerLink, { reason, detail }: Ending): DialOutcome {
    const nodeId = link.peer?.nodeId;
    // Either end notices it first.
    if (reason === "self" || detail === "self") return { type: "self" };
    // The other connection counts, no matter who noticed first that there are two.
    if (nodeId !== undefined && this.#sessions.has(nodeId)) return { type: "connected", nodeId };
    return { type: "failed", reason: detail === undefined ? reason : `${reason}: ${detail}` };
  }

  #record({ peer, endpoint, activeSince }: PeerLink, ending: Ending): void {
    const { counters } = this;
    const { log, handshakeLevel = "warning" } = this.#options;
    const { reason, detail, refusal } = ending;
    count(refusal ? counters.refused : counters.ended, reason);
    const wasActive = activeSince !== undefined;
    const { text, isRoutine } = endingLine(ending, wasActive);
    const level = wasActive ? "warning" : handshakeLevel;
    const fields = { reason, detail, endpoint, peer: peer && short(peer.nodeId) };
    log.write(this.isRunning && !isRoutine ? level : "debug", text, fields);
  }

  #settle(link: PeerLink, outcome: DialOutcome): void {
    const waiter = this.#waiters.get(link);
    this.#waiters.delete(link);
    waiter?.(outcome);
  }

  /** Calls the owner; its faults are its own and cost it that call only. */
  #tell(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#options.log.write("error", "a listener of the network failed", { error: `${error}` });
    }
  }

  #beat(): void {
    const { clock, timing } = this.#options;
    this.#cancelBeat = clock.after(timing.heartbeatMs, () => {
      for (const link of [...this.#sessions.values()]) link.beat();
      this.#relay?.beat();
      if (this.#events) this.#beat();
    });
  }

  /** Cuts an inbound connection whose peer does not begin the exchange in time. */
  #expectHello(connection: Connection): void {
    if (connection.direction !== "inbound") return;
    const { clock, log, timing, handshakeLevel = "warning" } = this.#options;
    clock.after(timing.handshakeMs, () => {
      if (this.#greeted.has(connection) || connection.status !== "open") return;
      const endpoint = endpointOf(connection.remoteAddr);
      log.write(handshakeLevel, "peer refused: no exchange began", { endpoint });
      count(this.counters.ended, "handshake timed out");
      connection.abort(new DOMException("no exchange began", "TimeoutError"));
    });
  }

  /** A stream that a peer opened: one for each connection that the peer dialled. */
  #greet(stream: Stream, connection: Connection): void {
    const isWanted = connection.direction === "inbound" && !this.#greeted.has(connection);
    const limit = 2 * (this.#options.maxPeers ?? DEFAULT_MAX_PEERS) + UNAUTHENTICATED;
    if (!this.isRunning) {
      // Not the peer's fault: it learns that the stream ends, and dials again after a pause.
      void stream.close().catch(() => {});
      return;
    }
    if (!isWanted || this.#links.size >= limit) {
      count(this.counters.rejected, "unauthorised");
      stream.abort(new DOMException("one exchange per connection", "NotAllowedError"));
      return;
    }
    this.#open(stream, connection)?.begin();
  }

  /** A link that has not begun; undefined while this node stops. */
  #open(stream: Stream, connection: Connection): PeerLink | undefined {
    if (!this.#libp2p || !this.isRunning) return undefined;
    this.#greeted.add(connection);
    const settings = this.#linkSettings(this.#libp2p);
    const link = new PeerLink(stream, connection, settings, this);
    this.#links.add(link);
    return link;
  }

  async #dial(endpoint: string, before = NEVER_DIALLED): Promise<DialOutcome> {
    this.counters.dials += 1;
    if (await this.#options.inbound?.leadsHere(endpoint)) return { type: "self" };
    const met = await this.#reach(endpoint, before);
    // On a national chain channels have keys of their own, so a copy is reached.
    const outcome = met.type === "self" ? await this.#copies.ask(endpoint) : met;
    if (outcome.type === "failed") this.counters.failedDials += 1;
    return outcome;
  }

  /** What the other end says; "self" is its word only. */
  async #reach(endpoint: string, before: DialHistory): Promise<DialOutcome> {
    const { clock, log, timing } = this.#options;
    const limit = new AbortController();
    const cancel = clock.after(timing.handshakeMs, () => limit.abort());
    let connection: Connection | undefined;
    try {
      connection = await this.#connect(endpoint, limit.signal);
      const stream = await connection.newStream(this.protocols, { signal: limit.signal });
      const link = this.#open(stream, connection);
      if (!link) throw new DOMException("this node stops", "AbortError");
      return await new Promise<DialOutcome>((resume) => {
        this.#waiters.set(link, resume);
        link.begin();
      });
    } catch (error) {
      connection?.abort(new DOMException("the dial failed", "AbortError"));
      if (isOwnAddress(error)) return { type: "self" };
      const reason = limit.signal.aborted ? "no answer in time" : dialFaultText(error, clock.now());
      const level = dialFaultLevel(before, reason);
      if (this.isRunning) log.write(level, "peer not reached", { endpoint, reason });
      return { type: "failed", reason };
    } finally {
      cancel();
    }
  }

  async #connect(endpoint: string, signal: AbortSignal): Promise<Connection> {
    const address = parseEndpoint(endpoint);
    if (!address || !this.#libp2p) throw new DOMException("not an address", "SyntaxError");
    return this.#libp2p.dial(address, { signal, force: true });
  }

  #linkSettings(libp2p: Libp2p): LinkSettings {
    const { timing, relay, ...options } = this.#options;
    const peerId = libp2p.peerId.toMultihash().bytes;
    const relays = relay?.serves ?? false;
    return { ...options, ...timing, peerId, relays, counters: this.counters };
  }
}

function short(nodeId: NodeId): string {
  return nodeId.slice(0, LOGGED_ID);
}

/** A network that is not started; `start` and `stop` may alternate. */
export function createP2pNetwork(options: P2pOptions): P2pNetwork {
  const node = new P2pNode(options);
  return {
    self: node.self,
    peers: () => node.peerList(),
    start: (events) => node.start(events),
    stop: () => node.stop(),
    send: (to, message) => node.link(to)?.send(message),
    endpoints: () => node.peers.endpoints(),
    endpointStates: () => node.peers.states(),
    addPeers: (endpoints) =>
      endpoints.filter((text) => parseEndpoint(text) && node.peers.add(text)).length,
    erasePeers: (endpoints) => endpoints.filter((text) => node.peers.erase(text)).length,
    setWhitelist: (whitelist) => node.setWhitelist(whitelist),
    penalise: (peer, reason) => node.penalise(peer, reason),
    rttMs: (peer) => node.link(peer)?.rttMs,
    clockSkewMs: (peer) => node.link(peer)?.clockSkewMs,
    addresses: () => node.addresses(),
    renewWebSocket: (files) => node.certificates.renew(files),
    counters: () => node.counters,
  };
}
