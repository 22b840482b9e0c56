/** A loopback port whose POSTs the node of a tab answers, for clients that know HTTP only. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TabPage } from "./tab-node.ts";

/** The port. */
export interface TabBridge {
  /** One URL per node. */
  readonly urls: readonly string[];
  close(): void;
}

/** Serves the first `nodes` nodes of a tab at `/0`, `/1` and so on. */
export async function bridgeTab(tab: TabPage, nodes: number): Promise<TabBridge> {
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const node = Number(request.url?.split("/")[1] ?? 0);
    try {
      const answer = await tab.askNode(node)(Buffer.concat(parts).toString());
      response.writeHead(200, { "content-type": "application/json" }).end(answer);
    } catch (cause) {
      response.writeHead(502).end(String(cause));
    }
  });
  // Clients that compile between two requests come back later than a server usually waits.
  server.keepAliveTimeout = 120_000;
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  return {
    urls: Array.from({ length: nodes }, (_, node) => `http://127.0.0.1:${port}/${node}`),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
