/**
 * A node's SDK port: service, extensions and TLS server put together. Source: channel-protocol 2
 */
import { AccessControl, type AccessRules } from "../../../core/channel/access.ts";
import {
  ChannelService,
  type ChannelServiceOptions,
  type ChannelLimits,
  DEFAULT_CHANNEL_LIMITS,
} from "../../../core/node/channel/channel-service.ts";
import { type AmopCounters, ChannelAmop } from "../../../core/node/channel/channel-amop.ts";
import { ChannelEvents } from "../../../core/node/channel/channel-events.ts";
import type { RunningNode } from "../../../core/node/create-node.ts";
import type { NodeApi } from "../../../core/api/node-api.ts";
import { createPace, type Pace } from "../../../core/limits/pace.ts";
import type { Log } from "../../../core/ports/log.ts";
import type { Requests } from "../../../core/rpc/requests.ts";
import type { ChannelFiles } from "../../folder/channel-files.ts";
import { type ChannelServer, serveChannel } from "./channel-server.ts";
import { CLIENT_MEMORY } from "./client-memory.ts";
import { bodyHostOf, type LongBody } from "../threads/body-host.ts";
import { createNodeClock } from "../machine/clock.ts";
import { freeBytes } from "../machine/free-bytes.ts";
import { createNodeEntropy } from "../machine/entropy.ts";
import type { ListenAddress } from "./http-server.ts";

interface ChannelPortOptions {
  readonly node: RunningNode;
  /** What requests are answered by; the node's own interface when absent. */
  readonly api?: NodeApi;
  readonly address: ListenAddress;
  readonly files: ChannelFiles;
  readonly rules: AccessRules;
  readonly limits?: ChannelLimits;
  readonly checkIssuer: boolean;
  readonly observe?: ChannelServiceOptions["observe"];
  readonly log: Log;
}

/** What clients do at a port next to asking. */
export interface ChannelFigures {
  /** Event filters that are registered. */
  readonly filters: number;
  readonly amop: AmopCounters;
}

/** A port that listens. */
export interface ChannelPort {
  readonly server: ChannelServer;
  readonly service: ChannelService;
  /** Figures of event filters and of messages between clients. */
  figures(): ChannelFigures;
  /** Lists and limits in force. */
  rules(): AccessRules;
  /** Others from now on. */
  replaceRules(rules: AccessRules): void;
}

const CODEC = {
  text: (bytes: Uint8Array) =>
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8"),
  bytes: (text: string) => Buffer.from(text, "utf8"),
};

/** Copies a text of up to 64 MiB, of which the pieces have 1 MiB; they are empty then. */
async function readInTurns(
  body: LongBody,
  parts: readonly Uint8Array[],
  { owner, pace }: { readonly owner: string; readonly pace: Pace },
): Promise<Requests> {
  for (const part of parts) {
    body.add(part);
    freeBytes(part);
    await pace();
  }
  return body.read(owner);
}

/**
 * Opens the port of a node, which may start later: until then requests are answered -40010.
 * @throws ListenFault when the address cannot be listened on
 */
export async function openChannelPort(options: ChannelPortOptions): Promise<ChannelPort> {
  const { node, address, files, rules, checkIssuer, log } = options;
  const clock = createNodeClock();
  const access = new AccessControl(rules, clock.steady());
  const limits = options.limits ?? DEFAULT_CHANNEL_LIMITS;
  const bodies = bodyHostOf(node.api.suite.name, "clients");
  const pace = createPace(clock);
  const service = new ChannelService({
    node: options.api ?? node.api,
    access,
    limits,
    clock,
    log,
    codec: CODEC,
    readLong: (parts, owner) => {
      const body = bodies.begin();
      return { requests: readInTurns(body, parts, { owner, pace }), done: () => body.drop() };
    },
    total: CLIENT_MEMORY,
    observe: options.observe,
  });
  // Before anything hangs on the node: a port that cannot be opened leaves nothing behind.
  const server = await serveChannel({ service, pace, address, files, checkIssuer, log });
  // The topics come first: what clients are asked for them they may answer with any type.
  const ports = { sessions: service, clock, entropy: createNodeEntropy() };
  const amop = new ChannelAmop({ ...ports, join: (extension) => node.joinTopics(extension) });
  service.addExtension(amop);
  const events = new ChannelEvents({ node: node.api, sessions: service, clock, log });
  service.addExtension(events);
  node.onBlock((block) => {
    service.onBlock(block);
    events.onBlock(block);
  });
  let inForce = rules;
  const replaceRules = (next: AccessRules): void => {
    inForce = next;
    access.replace(next, clock.steady());
  };
  const figures = () => ({ filters: events.count, amop: amop.counters() });
  return { server, service, figures, rules: () => inForce, replaceRules };
}
