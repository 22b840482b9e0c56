/** What a gateway is told, and how it reaches the world: types, and the bound of its memory. */
import type { BuildInfo } from "../api/node-api.ts";
import type { SendPost } from "../client/http-transport.ts";
import type { CryptoSuite } from "../crypto/suite.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import type { TrustedBlock } from "./follower.ts";

/** Answers that are kept, unless something else is reported. */
export const DEFAULT_KEPT_BYTES: number = 16 * 1024 * 1024;

/** What a gateway is told. */
export interface GatewaySettings {
  /** URLs of JSON-RPC ports. */
  readonly upstreams: readonly string[];
  readonly groupId: number;
  readonly trusted: TrustedBlock;
  readonly suite: CryptoSuite;
  readonly build: BuildInfo;
  /** A client that asks learns of upstreams by number, `upstream-1`, and not by host and port. */
  readonly hidesHosts?: boolean | undefined;
  /** Bound of the answers that are kept; {@link DEFAULT_KEPT_BYTES} when absent. */
  readonly maxKeptBytes?: number | undefined;
  /** An upstream that takes longer has not answered; 5 s when absent. */
  readonly timeoutMs?: number | undefined;
  /** Who lacks a block for longer than others is left out; 10 s when absent. */
  readonly staleMs?: number | undefined;
}

/** How a gateway reaches the world. */
export interface GatewayPorts {
  readonly send: SendPost;
  readonly clock: Clock;
  readonly log: Log;
}
