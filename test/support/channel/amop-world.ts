/** Nodes with clients that send each other messages, without sockets, on a clock of the test. */
import assert from "node:assert/strict";
import { utf8Bytes } from "../../../core/bytes/byte-string.ts";
import type { NodeId } from "../../../core/bytes/ids.ts";
import {
  decodePeerMessage,
  encodePeerMessage,
  type PeerMessage,
} from "../../../core/channel/amop/peer-message.ts";
import {
  type AmopEffect,
  type AmopInput,
  type AmopSight,
  type AmopState,
  newAmopState,
} from "../../../core/channel/amop/state.ts";
import { nextTick, step } from "../../../core/channel/amop/step.ts";
import { shownTopics } from "../../../core/channel/amop/topics.ts";
import { type Frame, MESSAGE_TYPE, withTopic } from "../../../core/channel/frame.ts";

/** A client: its topics and what it was sent. */
export interface Client {
  readonly id: number;
  topics: Set<string>;
  readonly heard: Frame[];
  /** Answers an AMOP request at once; a client without one is silent. */
  answer: ((frame: Frame) => Omit<Frame, "seq"> | undefined) | undefined;
}

/** A node with its clients. */
export interface AmopNode {
  readonly id: NodeId;
  readonly state: AmopState;
  readonly clients: Map<number, Client>;
  /** Clients that do not read. */
  readonly behind: Set<number>;
  /** Peer messages that have left, with their receiver. */
  readonly sent: { readonly to: NodeId; readonly message: PeerMessage }[];
  /** Bytes that bandwidth still admits. */
  bandwidth: number;
  /** Copies of multicasts that are admitted. */
  copies: number;
}

/** A 32-byte seq out of a short name. */
export function seqOf(name: string): Uint8Array {
  return utf8Bytes(name.padStart(32, "0"));
}

/** The id of node number i. */
export function amopNodeId(i: number): NodeId {
  return i.toString(16).padStart(128, "0") as NodeId;
}

/** A frame with a topic in front of its content. */
export function topicFrame(type: number, seq: string, topic: string, content: string): Frame {
  return { type, seq: seqOf(seq), result: 0, data: withTopic(topic, utf8Bytes(content)) };
}

/** What a client answers: the topic and a text. */
export function reply(text: string): Client["answer"] {
  return () => ({
    type: MESSAGE_TYPE.amopResponse,
    result: 0,
    data: withTopic("t", utf8Bytes(text)),
  });
}

interface UnderWay {
  readonly from: NodeId;
  readonly to: NodeId;
  readonly bytes: Uint8Array;
}

/** All nodes of a test, connected with each other. */
export class AmopWorld {
  now = 10_000;
  readonly nodes: AmopNode[];
  readonly #cuts = new Set<NodeId>();
  readonly #underWay: UnderWay[] = [];
  readonly #random: (count: number) => number;
  #clients = 0;

  constructor(count: number, random: (count: number) => number = () => 0) {
    this.#random = random;
    this.nodes = Array.from({ length: count }, (_, i) => ({
      id: amopNodeId(i + 1),
      state: newAmopState(amopNodeId(i + 1)),
      clients: new Map(),
      behind: new Set(),
      sent: [],
      bandwidth: Number.POSITIVE_INFINITY,
      copies: Number.POSITIVE_INFINITY,
    }));
    for (const node of this.nodes) {
      for (const peer of this.nodes) {
        if (peer !== node) this.take(node, { type: "peerUp", peer: peer.id });
      }
    }
  }

  node(index: number): AmopNode {
    const node = this.nodes[index];
    assert.ok(node);
    return node;
  }

  /** A client of a node with its topics; everybody has learned of them afterwards. */
  client(index: number, ...topics: readonly string[]): Client {
    this.#clients += 1;
    const client: Client = {
      id: this.#clients,
      topics: new Set(topics),
      heard: [],
      answer: undefined,
    };
    this.node(index).clients.set(client.id, client);
    this.changed(client);
    return client;
  }

  /** The topics of a client have changed. */
  changed(client: Client): void {
    this.tell(client);
    this.move(200);
  }

  /** Its node learns of a client's topics. */
  tell(client: Client): void {
    const topics = new Set(client.topics);
    this.take(this.nodeOf(client), { type: "topicsChanged", session: client.id, topics });
    this.settle();
  }

  /** A client sends a frame; what follows at once happens. */
  send(client: Client, frame: Frame): void {
    this.take(this.nodeOf(client), { type: "frame", session: client.id, frame });
    this.settle();
  }

  /** A client goes. */
  leave(client: Client): void {
    const node = this.nodeOf(client);
    node.clients.delete(client.id);
    this.take(node, { type: "sessionClosed", session: client.id });
    this.settle();
  }

  /** A node goes: its peers notice, what is under way to and from it is lost. */
  cut(index: number): void {
    const gone = this.node(index).id;
    this.#cuts.add(gone);
    for (const node of this.nodes) {
      if (node.id !== gone) this.take(node, { type: "peerDown", peer: gone });
    }
    this.settle();
  }

  /** A node no longer answers, and nobody notices. */
  mute(index: number): void {
    this.#cuts.add(this.node(index).id);
  }

  /** A message as if it came from a node. */
  deliver(from: NodeId, index: number, message: PeerMessage): void {
    this.take(this.node(index), { type: "message", from, message });
    this.settle();
  }

  /** Time passes; whatever is due happens in between. */
  move(ms: number): void {
    const end = this.now + ms;
    for (;;) {
      this.settle();
      const due = this.nodes.flatMap(({ state }) => nextTick(state) ?? []);
      const next = Math.min(...due);
      if (next > end) break;
      this.now = Math.max(this.now, next);
      for (const node of this.nodes) {
        if ((nextTick(node.state) ?? Infinity) <= this.now) this.take(node, { type: "tick" });
      }
    }
    this.now = end;
  }

  /** Topics of a peer as getPeers shows them. */
  topicsAt(index: number, peer: number): readonly string[] {
    const known = this.node(index).state.peers.get(this.node(peer).id);
    return known ? shownTopics(known, false) : [];
  }

  nodeOf(client: Client): AmopNode {
    const node = this.nodes.find(({ clients }) => clients.has(client.id));
    assert.ok(node);
    return node;
  }

  take(node: AmopNode, input: AmopInput): void {
    for (const effect of step(node.state, this.#sight(node), input)) this.#perform(node, effect);
  }

  /** Delivers what is under way. */
  settle(): void {
    for (let next = this.#underWay.shift(); next; next = this.#underWay.shift()) {
      const { from, to, bytes } = next;
      const node = this.nodes.find(({ id }) => id === to);
      const message = decodePeerMessage(bytes);
      assert.ok(typeof message === "object");
      if (!node || this.#cuts.has(to) || this.#cuts.has(from)) continue;
      this.take(node, { type: "message", from, message });
    }
  }

  #perform(node: AmopNode, effect: AmopEffect): void {
    switch (effect.type) {
      case "toSession":
        this.#hear(node, effect.session, effect.frame);
        break;
      case "toSessions":
        for (const session of effect.sessions) this.#hear(node, session, effect.frame);
        break;
      case "toPeers":
        for (const to of effect.peers) {
          node.sent.push({ to, message: effect.message });
          const bytes = encodePeerMessage(effect.message);
          this.#underWay.push({ from: node.id, to, bytes });
        }
    }
  }

  #hear(node: AmopNode, session: number, frame: Frame): void {
    const client = node.clients.get(session);
    if (!client) return;
    client.heard.push(frame);
    const isAsked = frame.type === MESSAGE_TYPE.amopRequest;
    const answer = isAsked ? client.answer?.(frame) : undefined;
    if (!answer) return;
    this.take(node, { type: "frame", session, frame: { ...answer, seq: frame.seq } });
  }

  #sight(node: AmopNode): AmopSight {
    return {
      now: this.now,
      isFree: (session) => !node.behind.has(session),
      random: (count) => this.#random(count),
      takeBandwidth: (bytes) => {
        if (bytes > node.bandwidth) return false;
        node.bandwidth -= bytes;
        return true;
      },
      takeCopies: (count) => {
        if (count > node.copies) return false;
        node.copies -= count;
        return true;
      },
    };
  }
}
