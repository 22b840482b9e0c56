/** POST requests over few connections that stay open: cheaper than `fetch`. */
import { Agent, request } from "node:http";
import type { PostAnswer, SendPost } from "../../../../core/client/http-transport.ts";
import { TransportFault } from "../../../../core/client/client-fault.ts";

/** Connections to one node at one time; further requests wait for one. */
const MOST_SOCKETS = 64;

/** Sends through an agent of its own; `close` ends its connections. */
export function createPosts(): { readonly send: SendPost; close(): void } {
  const agent = new Agent({ keepAlive: true, maxSockets: MOST_SOCKETS });
  const send: SendPost = ({ url, headers, body, timeoutMs }) =>
    new Promise<PostAnswer>((resolve, reject) => {
      const fail = (cause: Error): void =>
        reject(new TransportFault(`${url}: ${cause.message}`, { cause }));
      const length = Buffer.byteLength(body);
      const options = { agent, method: "POST", timeout: timeoutMs };
      const asked = request(url, { ...options, headers: { ...headers, "content-length": length } });
      asked.on("response", (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("end", () => {
          resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks).toString("utf8") });
        });
        answer.on("error", fail);
      });
      asked.on("timeout", () => asked.destroy(new Error(`no answer in ${timeoutMs} ms`)));
      asked.on("error", fail);
      asked.end(body);
    });
  return { send, close: () => agent.destroy() };
}
