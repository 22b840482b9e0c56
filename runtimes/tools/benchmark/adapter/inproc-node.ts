/** A chain of one node inside the worker. Source: benchmark 3 */
import type { Transport } from "../../../../core/client/transport.ts";
import { httpTransport } from "../../../shared/client/web-transports.ts";
import { startMemoryNode } from "../../../shared/memory-node.ts";
import { BUILD_INFO } from "../../../shared/platform/build-info.ts";

/** Never asked for: the node answers before a request leaves. */
const URL_OF_NODE = "http://inproc/";

/** Starts the node; closing the transport stops it. */
export async function inprocTransport(): Promise<Transport> {
  const { node, http } = await startMemoryNode(BUILD_INFO);
  const fetchNode = async (url: string, request: RequestInit) =>
    await http.app.fetch(new Request(url, request));
  const transport = httpTransport(URL_OF_NODE, { fetch: fetchNode });
  return { request: (call) => transport.request(call), close: async () => await node.stop() };
}
