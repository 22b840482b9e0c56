/** A request of JSON-RPC and its text. */

/** One request. */
export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** The text of a request; big integers become decimal texts. */
export function requestText(id: number, { method, params }: RpcCall): string {
  const plain = (_: string, value: unknown): unknown =>
    typeof value === "bigint" ? value.toString() : value;
  return JSON.stringify({ jsonrpc: "2.0", id, method, params }, plain);
}
