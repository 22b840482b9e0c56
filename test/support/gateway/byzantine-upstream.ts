/** A server in front of a node that changes some of its answers, or answers for another chain. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { NodeApi } from "../../../core/api/node-api.ts";
import { ALL_LEAVE, dispatch } from "../../../core/rpc/dispatch.ts";
import type { Reply } from "../rpc-node.ts";
import type { Lie, SeenCall } from "./gateway-place.ts";

/** The server. */
export interface ByzantineNode {
  readonly url: string;
  lie: Lie | undefined;
  close(): Promise<void>;
}

type Answer = (body: string) => Promise<string>;

async function listen(answer: Answer): Promise<{ server: Server; url: string }> {
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on("end", () => {
      answer(body).then(
        (text) => response.end(text),
        () => response.destroy(),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function closeOf(server: Server): () => Promise<void> {
  return async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
}

/** In front of a node. */
export async function openByzantine(node: string): Promise<ByzantineNode> {
  const byzantine = { lie: undefined as Lie | undefined };
  const { server, url } = await listen(async (body) => {
    const asked = JSON.parse(body) as SeenCall | readonly SeenCall[];
    const headers = { "content-type": "application/json" };
    const told = (await (await fetch(node, { method: "POST", headers, body })).json()) as
      | Reply
      | readonly Reply[];
    const calls = [asked].flat() as SeenCall[];
    const answers = ([told].flat() as Reply[]).map((answer, i) => {
      const call = calls[i];
      const other = call && byzantine.lie?.(call, answer.result);
      return other === undefined ? answer : { jsonrpc: "2.0", id: answer.id, result: other };
    });
    return JSON.stringify(Array.isArray(told) ? answers : answers[0]);
  });
  return Object.assign(byzantine, { url, close: closeOf(server) });
}

/** A node made of data behind a port. */
export async function openDataNode(api: NodeApi): Promise<Pick<ByzantineNode, "url" | "close">> {
  const { server, url } = await listen((body) => dispatch(api, body, ALL_LEAVE));
  return { url, close: closeOf(server) };
}

/** Another digit at the end of every text of that name, however deep. */
export function altered(value: unknown, name: string): unknown {
  return JSON.parse(JSON.stringify(value), (key, member: unknown) => {
    if (key !== name || typeof member !== "string") return member;
    return member.slice(0, -1) + (member.endsWith("1") ? "2" : "1");
  });
}
