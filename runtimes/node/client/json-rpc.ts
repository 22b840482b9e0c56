/** Requests of a command to a node, over JSON-RPC. Source: rpc-semantics 1, 2 */

/** A node did not do what it was asked for; the message is a sentence for the operator. */
export class RequestFault extends Error {
  override readonly name = "RequestFault";
  /** The code of an error answer; undefined when there was none. */
  readonly code: number | undefined;

  constructor(message: string, options: { readonly code?: number; readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.code = options.code;
  }
}

/** Longest wait for an answer. */
const PATIENCE_MS = 10_000;

function isAnswer(
  value: unknown,
): value is { result?: unknown; error?: { code: number; message: string } } {
  return typeof value === "object" && value !== null && ("result" in value || "error" in value);
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  if (cause.name === "TimeoutError") return `no answer within ${PATIENCE_MS / 1_000} s`;
  return cause.cause instanceof Error ? reasonOf(cause.cause) : cause.message;
}

async function post(url: string, body: string, token?: string): Promise<unknown> {
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    const response = await fetch(url, { method: "POST", body, headers, signal });
    return await response.json();
  } catch (cause) {
    const message = `${url} does not answer as a node: ${reasonOf(cause)}. Does it run there?`;
    throw new RequestFault(message, { cause });
  }
}

/**
 * The result of a method.
 * @param token of those who change groups and peers of the node, where it wants one
 * @throws RequestFault when nobody answers, or with an error
 */
export async function ask(
  url: string,
  method: string,
  params: readonly unknown[],
  token?: string,
): Promise<unknown> {
  const answer = await post(url, JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }), token);
  if (!isAnswer(answer)) throw new RequestFault(`${url} does not answer as a node does.`);
  if (!answer.error) return answer.result;
  const { code, message } = answer.error;
  throw new RequestFault(`${url} answered ${method} with ${code}: ${message}`, { code });
}
