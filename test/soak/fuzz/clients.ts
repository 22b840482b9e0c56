/** Clients of the node that is fuzzed: they have topics, answer some messages and send some. */
import { ChannelAmop } from "../../../core/node/channel/channel-amop.ts";
import type { RunningNode } from "../../../core/node/create-node.ts";
import type { SessionHandle } from "../../../core/channel/session-handle.ts";
import { type Frame, MESSAGE_TYPE, SEQ_BYTES, withTopic } from "../../../core/channel/frame.ts";
import type { Clock } from "../../../core/ports/clock.ts";
import type { Entropy } from "../../../core/ports/entropy.ts";

const TOPICS = [
  ["t", "own"],
  ["t", "#!$PushChannel_#!$TopicNeedVerify_a"],
  ["", "#!$TopicNeedVerify_a"],
];
/** Every second request is answered, so that the others run into their limits. */
const ANSWERED = 2;

/** The clients. A class because they count what they are sent. */
export class FuzzClients {
  readonly #amop: ChannelAmop;
  readonly #sessions: SessionHandle[];
  #heard = 0;
  #sent = 0;

  constructor(node: RunningNode, ports: { readonly clock: Clock; readonly entropy: Entropy }) {
    this.#sessions = TOPICS.map((topics, index): SessionHandle => {
      const send = (frame: Frame) => this.#hear(index, frame);
      const topicSet = new Set(topics);
      return { id: index + 1, sdkId: "", version: 1, topics: topicSet, unsentBytes: 0, send };
    });
    const spareBytes = () => Number.POSITIVE_INFINITY;
    const sessions = { sessions: () => this.#sessions, mayAccess: () => true, spareBytes };
    this.#amop = new ChannelAmop({
      ...ports,
      sessions,
      join: (extension) => node.joinTopics(extension),
    });
    for (const session of this.#sessions) this.#amop.onTopicsChanged(session);
  }

  /** One of them sends. */
  speak(): void {
    this.#sent += 1;
    const session = this.#sessions[this.#sent % this.#sessions.length];
    if (!session) return;
    const type = this.#sent % 3 === 0 ? MESSAGE_TYPE.amopMulticast : MESSAGE_TYPE.amopRequest;
    const seq = new Uint8Array(SEQ_BYTES).fill(this.#sent % 5);
    const topic = TOPICS[this.#sent % TOPICS.length]?.[0] ?? "t";
    this.#amop.onFrame(session, { type, seq, result: 0, data: withTopic(topic, seq) });
  }

  #hear(index: number, { type, seq, data }: Frame): void {
    this.#heard += 1;
    const session = this.#sessions[index];
    if (!session || type !== MESSAGE_TYPE.amopRequest || this.#heard % ANSWERED > 0) return;
    this.#amop.onFrame(session, { type: MESSAGE_TYPE.amopResponse, seq, result: 0, data });
  }
}
