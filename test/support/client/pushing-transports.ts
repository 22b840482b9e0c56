/** Transports that push, to running chains, with what was asked through them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Transport } from "../../../core/client/transport.ts";
import {
  type ChannelTransport,
  channelTransport,
} from "../../../runtimes/node/client/channel-transport.ts";
import { webSocketTransport } from "../../../runtimes/node/client/client.ts";
import type { Ready } from "../process/dev-chain-process.ts";

/** A request, and when it was made, in ms. */
export interface Asked {
  readonly method: string;
  readonly params: readonly unknown[];
  readonly at: number;
}

/** A transport that is watched. */
export interface WatchedTransport<Kind extends Transport> {
  readonly transport: Kind;
  /** The requests, in order. */
  readonly asked: readonly Asked[];
}

const open: Transport[] = [];

function watched<Kind extends Transport>(transport: Kind): WatchedTransport<Kind> {
  open.push(transport);
  const asked: Asked[] = [];
  const { request } = transport;
  transport.request = (call, signal) => {
    const { method, params } = call;
    asked.push({ method, params, at: performance.now() });
    return request.call(transport, call, signal);
  };
  return { transport, asked };
}

/** A transport to the channel port of a node, with the files of its folder `sdk`. */
export function channelTo({ channel, sdk }: Ready, node = 0): WatchedTransport<ChannelTransport> {
  const [host = "", port] = (channel[node] ?? "").split(":");
  const file = (name: string) => readFileSync(join(sdk, name));
  const files = { ca: file("ca.crt"), cert: file("sdk.crt"), key: file("sdk.key") };
  return watched(channelTransport({ host, port: Number(port), ...files }));
}

/** A transport over a WebSocket of the RPC port of node 0. */
export function socketTo({ rpc }: Ready): WatchedTransport<Transport> {
  return watched(webSocketTransport((rpc[0] ?? "").replace(/^http/, "ws")));
}

/** Closes all of them. */
export async function closeTransports(): Promise<void> {
  for (const transport of open.splice(0)) await transport.close?.();
}
