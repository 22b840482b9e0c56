/** A gateway behind the endpoint of JSON-RPC: what a worker, a fetch server and Node serve. */
import { UsageFault } from "../../../core/client/client-fault.ts";
import type { Hex } from "../../../core/client/rpc-objects.ts";
import type { TrustedBlock } from "../../../core/gateway/follower.ts";
import { Gateway, type GatewayHealth, MOST_BATCH } from "../../../core/gateway/gateway.ts";
import type { GatewayPorts, GatewaySettings } from "../../../core/gateway/gateway-settings.ts";
import type { Clock } from "../../../core/ports/clock.ts";
import type { Log } from "../../../core/ports/log.ts";
import { postOver } from "../client/web-transports.ts";
import { createHttpApp, type HttpApp } from "../http-app.ts";
import { NOTHING_LISTED, type PageLists } from "../http-caller.ts";
import { boundedFetch } from "./bounded-fetch.ts";

/** What is served, and to whom. */
export interface GatewayAppOptions {
  readonly settings: GatewaySettings;
  readonly ports: GatewayPorts;
  readonly lists?: PageLists | undefined;
  readonly maxBodyBytes: number;
  /** Answers GET and HEAD that are not for the gateway itself, such as those for the page. */
  readonly page?: ((request: Request) => Promise<Response | undefined>) | undefined;
}

/** A gateway and its endpoint. */
export interface GatewayApp {
  readonly gateway: Gateway;
  readonly http: HttpApp;
}

/** How a gateway reaches its upstreams where there is fetch. */
export function gatewayPorts(clock: Clock, log: Log): GatewayPorts {
  return { send: postOver(boundedFetch()), clock, log };
}

/** How a gateway stands, when it has looked. */
async function healthOf(gateway: Gateway): Promise<GatewayHealth> {
  // Whether that failed is what the answer tells.
  await gateway.newest().catch(() => undefined);
  return gateway.health();
}

/** The platform knows all spellings of a host: of one address there may be several. */
function spelled(url: string): string {
  return URL.canParse(url) ? new URL(url).href : url;
}

/** Nobody's management is handed on: the gateway refuses it itself, and says so. */
export function gatewayLists(lists: PageLists = NOTHING_LISTED): PageLists {
  return { ...lists, management: { mode: "open" } };
}

/** The endpoint; nobody is asked before the first request. @throws UsageFault */
export function createGatewayApp(options: GatewayAppOptions): GatewayApp {
  const { ports, maxBodyBytes, page } = options;
  const lists = gatewayLists(options.lists);
  const settings = { ...options.settings, upstreams: options.settings.upstreams.map(spelled) };
  const gateway = new Gateway(settings, ports);
  const http = createHttpApp({
    node: gateway.node,
    maxBodyBytes,
    lists,
    log: ports.log,
    relay: () => gateway.relay(),
    maxBatch: MOST_BATCH,
    health: () => healthOf(gateway),
    page: async (request) => {
      const { pathname } = new URL(request.url);
      if (pathname !== "/metrics") return await page?.(request);
      const headers = { "Content-Type": "text/plain; version=0.0.4; charset=utf-8" };
      return new Response(gateway.metricsText(), { headers });
    },
  });
  return { gateway, http };
}

const TRUSTED = /^(\d{1,15}):(0x[0-9a-f]{64})$/i;

/** `NUMBER:HASH`, as operators write a block that they trust. @throws UsageFault */
export function readTrusted(text: string): TrustedBlock {
  const [, number, hash] = TRUSTED.exec(text.trim()) ?? [];
  if (number !== undefined && hash !== undefined) {
    return { number: Number(number), hash: hash.toLowerCase() as Hex };
  }
  throw new UsageFault(`a trusted block is NUMBER:HASH, the hash with its 64 digits: not ${text}`);
}

/** Texts that commas or blanks part. */
export function listOf(text = ""): readonly string[] {
  return text.split(/[\s,]+/).filter((part) => part !== "");
}
