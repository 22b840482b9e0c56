/** The port of `/metrics`: nothing else is there. Source: groups 8 (metrics.listen_port) */
import { type HttpServer, type ServerOptions, serve } from "../server/http-server.ts";
import type { NodeMetrics } from "./metrics.ts";

const PATHS = ["/metrics", "/"];

/** Serves the figures of a node. @throws ListenFault when the address cannot be listened on */
export function serveMetrics(metrics: NodeMetrics, address: ServerOptions): Promise<HttpServer> {
  const answer = async (request: Request): Promise<Response> => {
    const isRead = request.method === "GET" || request.method === "HEAD";
    if (!isRead) return new Response("GET is wanted\n", { status: 405 });
    const { pathname } = new URL(request.url);
    if (!PATHS.includes(pathname)) return new Response("see /metrics\n", { status: 404 });
    const headers = { "Content-Type": metrics.contentType, "Cache-Control": "no-store" };
    return new Response(await metrics.scrape(), { headers });
  };
  return serve(answer as (request: Request) => Promise<Response>, address);
}
