/**
 * Sees to connections from their first byte on, while libp2p upgrades them and below the muxer
 * that they get: all transports share one upgrader, at the ports and where this node dials.
 */
import type { Connection, MultiaddrConnection } from "@libp2p/interface";
import { invariant } from "../../../core/fault/invariant.ts";
import { STRANGER_BYTES } from "./frame-watch.ts";

/** What may come before there is a muxer: the handshakes of the channel take a few KiB. */
export const UPGRADE_BYTES = 16 * 1024;
/**
 * How often something may be sent meanwhile: ten times for an honest end. Questions of few bytes
 * are answered one by one, as many as there are.
 */
export const UPGRADE_ANSWERS = 64;
/**
 * What may come in all before the certificate exchange is over. The muxer sees no message of the
 * channel that is empty, and the channel adds as much to a short one as the muxer does.
 */
const RAW_STRANGER_BYTES = 2 * STRANGER_BYTES;
/** What a piece costs besides its bytes: messages of a WebSocket may have none. */
export const PIECE_BYTES = 16;

/** What is watched of libp2p's upgrader. */
export interface Upgrades {
  upgradeInbound(raw: MultiaddrConnection, options: object): Promise<void>;
  upgradeOutbound(raw: MultiaddrConnection, options: object): Promise<Connection>;
}

/** What a raw connection of libp2p has besides the interface. */
interface Fed {
  onData(data: { readonly byteLength: number }): void;
}

function isFed(raw: object): raw is Fed {
  return "onData" in raw && typeof raw.onData === "function";
}

/** A connection over a WebSocket, which only Node can end at once. */
interface OverWebSocket {
  readonly websocket: { close(): void; terminate?(): void };
  sendReset(): void;
}

function isOverWebSocket(raw: object): raw is OverWebSocket {
  return "websocket" in raw && "sendReset" in raw;
}

/** The transport gives a code that no WebSocket may be closed with, so that nothing is closed. */
function letReset(raw: object): void {
  if (!isOverWebSocket(raw)) return;
  const { websocket } = raw;
  raw.sendReset = () => {
    if (websocket.terminate) websocket.terminate();
    else websocket.close();
  };
}

/** What is left to the other end of a connection. */
interface Allowance {
  bytes: number;
  answers: number;
}

/** The upgrades of one node, all watched. A class because it knows their connections. */
export class WatchedUpgrades {
  readonly #onExcess: () => void;
  /** By the timeline, which is what a connection shows of what it was made from. */
  readonly #allowances = new WeakMap<object, Allowance>();

  constructor(onExcess: () => void = () => {}) {
    this.#onExcess = onExcess;
  }

  /** The service by which it gets hold of the upgrader. */
  readonly service = ({ upgrader }: { readonly upgrader: Upgrades }): object => {
    const inbound = upgrader.upgradeInbound.bind(upgrader);
    const outbound = upgrader.upgradeOutbound.bind(upgrader);
    upgrader.upgradeInbound = (raw, options) => this.#watch(raw, () => inbound(raw, options));
    upgrader.upgradeOutbound = (raw, options) => this.#watch(raw, () => outbound(raw, options));
    return {};
  };

  /** The other end of a connection has proved its certificate. */
  admit({ timeline }: Pick<Connection, "timeline">): void {
    const allowance = this.#allowances.get(timeline);
    if (allowance) allowance.bytes = Infinity;
  }

  /**
   * The transport for WebSockets closes in order what could not be upgraded, which waits for an
   * end that reads nothing, and nobody catches what comes of it; where it has dialled it closes
   * nothing. So what fails is cut before it hears of it.
   */
  async #watch<Result>(raw: MultiaddrConnection, upgrade: () => Promise<Result>): Promise<Result> {
    letReset(raw);
    const allowance = this.#bound(raw);
    try {
      const result = await upgrade();
      allowance.bytes += RAW_STRANGER_BYTES - UPGRADE_BYTES;
      allowance.answers = Infinity;
      return result;
    } catch (cause) {
      raw.abort(cause instanceof Error ? cause : new DOMException(String(cause), "AbortError"));
      throw cause;
    }
  }

  #bound(raw: MultiaddrConnection): Allowance {
    const fed: object = raw;
    invariant(isFed(fed), "a connection takes its bytes where they can be watched");
    const allowance = { bytes: UPGRADE_BYTES, answers: UPGRADE_ANSWERS };
    this.#allowances.set(raw.timeline, allowance);
    const onData = fed.onData.bind(raw);
    fed.onData = (data) => {
      allowance.bytes -= PIECE_BYTES + data.byteLength;
      if (allowance.bytes < 0) this.#refuse(raw);
      else onData(data);
    };
    const send = raw.send.bind(raw);
    raw.send = (data) => {
      allowance.answers -= 1;
      if (allowance.answers < 0) this.#refuse(raw);
      // Of a connection that is cut this throws, which ends the upgrade.
      return send(data);
    };
    return allowance;
  }

  #refuse(raw: MultiaddrConnection): void {
    if (raw.status !== "open") return;
    this.#onExcess();
    raw.abort(new DOMException("more than a stranger may send", "QuotaExceededError"));
  }
}
