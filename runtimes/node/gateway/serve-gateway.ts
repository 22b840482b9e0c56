/** A gateway on Node, behind the server of nodes and its bounds. */
import { createPace } from "../../../core/limits/pace.ts";
import { SocketMemory } from "../../../core/limits/memory-account.ts";
import type { GatewaySettings } from "../../../core/gateway/gateway-settings.ts";
import type { Log } from "../../../core/ports/log.ts";
import { createGatewayApp, gatewayLists, gatewayPorts } from "../../shared/gateway/gateway-app.ts";
import type { PageLists } from "../../shared/http-caller.ts";
import { createNodeClock } from "../machine/clock.ts";
import { nodePage } from "../server/rpc-end.ts";
import { complainOfCuts, MAX_HELD_BYTES } from "../server/http-load.ts";
import { type ListenAddress, serve } from "../server/http-server.ts";

interface ServeGatewayOptions {
  readonly settings: GatewaySettings;
  readonly address: ListenAddress;
  readonly lists?: PageLists | undefined;
  readonly maxBodyBytes: number;
  readonly log: Log;
}

/** The head is looked for so often, so that `/metrics` and stale upstreams need no requests. */
const LOOK_MS = 1_000;

/** Opens the port. @throws ListenFault; UsageFault for settings that cannot be */
export async function serveGateway(options: ServeGatewayOptions) {
  const { settings, address, maxBodyBytes, log } = options;
  const lists = gatewayLists(options.lists);
  const clock = createNodeClock();
  const page = nodePage({ dev: false });
  const ports = gatewayPorts(clock, log);
  const made = createGatewayApp({ settings, ports, lists, maxBodyBytes, page });
  const bounds = {
    ...complainOfCuts(log, clock),
    pace: createPace(clock),
    memory: new SocketMemory(MAX_HELD_BYTES),
  };
  const { app, posts } = made.http;
  const server = await serve(app.fetch, { ...address, lists, ...bounds }, posts);
  // What is wrong with an upstream is in the log already.
  const look = (): void => void made.gateway.newest().catch(() => undefined);
  look();
  const timer = setInterval(look, LOOK_MS);
  /** Lets running requests finish. */
  const close = async (): Promise<void> => {
    clearInterval(timer);
    await server.close();
  };
  return { ...made, server, close };
}
