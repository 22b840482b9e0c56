/** Asks the nodes of a world over their HTTP application. */
import { createHttpApp } from "../../../runtimes/shared/http-app.ts";
import { ALL_MANAGE } from "../../../runtimes/shared/http-caller.ts";
import type { NodeWorld } from "./node-world.ts";

const URL = "http://127.0.0.1/";
const MAX_BODY_BYTES = 1024 * 1024;

/** An answer of the endpoint. */
export interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

/** Asks a node of the world over its HTTP application. */
export function client(world: NodeWorld, index: number) {
  const { app } = createHttpApp({
    node: world.node(index).api,
    maxBodyBytes: MAX_BODY_BYTES,
    lists: ALL_MANAGE,
  });
  const post = async (method: string, params: readonly unknown[]): Promise<Answer> => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const headers = { host: "127.0.0.1", "content-type": "application/json" };
    const response = await app.fetch(new Request(URL, { method: "POST", body, headers }));
    return (await response.json()) as Answer;
  };
  return (method: string, params: readonly unknown[]) => world.settle(post(method, params), method);
}
