/**
 * A chain node in a module worker. The page posts `{ id, body }` with the text of a JSON-RPC
 * request and gets `{ id, body }` with the answer; `{ ready: nodeId }` comes first. The address of
 * the worker chooses the national suite by `?suite=national`.
 */
import { startMemoryNode } from "../shared/memory-node.ts";
import { WEB_BUILD_INFO } from "../shared/web-build-info.ts";
import { suiteNameOf } from "../shared/web-suite.ts";

interface PageRequest {
  readonly id: number;
  readonly body: string;
}

function isPageRequest(data: unknown): data is PageRequest {
  if (typeof data !== "object" || data === null) return false;
  const { id, body } = data as Partial<PageRequest>;
  return typeof id === "number" && typeof body === "string";
}

const suite = suiteNameOf(new URL(location.href).searchParams.get("suite"));
const started = startMemoryNode(WEB_BUILD_INFO, suite);

addEventListener("message", async ({ data }: MessageEvent<unknown>) => {
  if (!isPageRequest(data)) return;
  const { http } = await started;
  // The page that owns the worker is the only one that can reach it.
  const body = await http.handlePost(data.body, { origin: undefined, host: undefined });
  postMessage({ id: data.id, body });
});

const { node } = await started;
postMessage({ ready: node.api.nodeId });
