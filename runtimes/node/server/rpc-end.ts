/**
 * The RPC port of a node, no matter who starts it: JSON-RPC, subscriptions, the page, the live
 * view.
 */
import type { RunningNode } from "../../../core/node/create-node.ts";
import { createPace } from "../../../core/limits/pace.ts";
import { createHttpApp, type HttpAppOptions } from "../../shared/http-app.ts";
import { createNodeClock } from "../machine/clock.ts";
import type { Undo } from "../machine/undo.ts";
import { compilerPaths } from "./compilers.ts";
import { SocketMemory } from "../../../core/limits/memory-account.ts";
import { bodyHostOf } from "../threads/body-host.ts";
import { CLIENT_MEMORY } from "./client-memory.ts";
import { complainOfCuts, MAX_HELD_BYTES } from "./http-load.ts";
import { type ListenAddress, type ServerOptions, serve } from "./http-server.ts";
import { type LiveOptions, withLiveView } from "./live-end.ts";
import { createPage, type PageHook } from "./page.ts";
import { createWebSocketEnd, type WebSocketOptions } from "./websocket.ts";

interface RpcEndOptions {
  readonly node: RunningNode;
  readonly address: ListenAddress & Pick<ServerOptions, "lists">;
  /** What requests are answered by. */
  readonly rpc: Omit<HttpAppOptions, "lists" | "pace"> & WebSocketOptions;
  readonly live: LiveOptions;
}

/** The page that browsers get, with the compilers that it may load. */
export function nodePage(options: { readonly dev: boolean }): PageHook {
  return createPage({ ...options, ...compilerPaths() });
}

/** Opens the port; `undo` closes it. @throws ListenFault */
export async function openRpcEnd(options: RpcEndOptions, undo: Undo) {
  const { node, live } = options;
  const clock = createNodeClock();
  const pace = createPace(clock);
  const rpc = { ...options.rpc, pace };
  const { app, posts } = createHttpApp(rpc);
  const bodies = bodyHostOf(node.api.suite.name, "clients");
  const longBody = () => bodies.begin();
  const memory = new SocketMemory(MAX_HELD_BYTES, CLIENT_MEMORY);
  const webSockets = createWebSocketEnd(node, { ...rpc, memory, longBody }, clock);
  const address = { ...options.address, ...complainOfCuts(rpc.log, clock), pace, memory, longBody };
  const server = await serve(app.fetch, address, posts, withLiveView(webSockets, live));
  const leave = CLIENT_MEMORY.join(memory);
  undo.add(async () => leave());
  undo.add(() => server.close());
  return { server, webSockets };
}
