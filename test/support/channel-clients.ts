/** Transports over the channel ports of running chains, with what was asked through them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type ChannelTransport,
  channelTransport,
} from "../../runtimes/node/client/channel-transport.ts";
import type { Ready } from "./dev-chain-process.ts";

/** A transport that is watched. */
export interface WatchedTransport {
  readonly transport: ChannelTransport;
  /** Methods of the requests, in order. */
  readonly asked: readonly string[];
}

const open: ChannelTransport[] = [];

/** A transport to a node of a chain, with the files of its folder `sdk`. */
export function channelTo({ channel, sdk }: Ready, node = 0): WatchedTransport {
  const [host = "", port] = (channel[node] ?? "").split(":");
  const file = (name: string) => readFileSync(join(sdk, name));
  const files = { ca: file("ca.crt"), cert: file("sdk.crt"), key: file("sdk.key") };
  const transport = channelTransport({ host, port: Number(port), ...files });
  open.push(transport);
  const asked: string[] = [];
  const { request } = transport;
  transport.request = (call, signal) => {
    asked.push(call.method);
    return request.call(transport, call, signal);
  };
  return { transport, asked };
}

/** Closes all of them. */
export async function closeChannels(): Promise<void> {
  for (const transport of open.splice(0)) await transport.close();
}
