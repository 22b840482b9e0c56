/** Servers on this machine that answer as the text of a test says. */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** What a request is answered with: a text, or a status with a text. */
export type PosedAnswer = string | { readonly status: number; readonly text: string };

/** A request as the server heard it. */
export interface HeardRequest {
  readonly method: string;
  /** Path with the question. */
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** A server of a test. */
export interface PosedServer {
  readonly url: string;
  readonly port: number;
  readonly heard: readonly HeardRequest[];
}

/**
 * A server until the test is over.
 *
 * @param socketPath listens there instead of at a free port
 */
export async function poseServer(
  answer: (request: HeardRequest) => PosedAnswer,
  socketPath?: string,
): Promise<PosedServer> {
  const heard: HeardRequest[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request.setEncoding("utf8")) body += part;
    const { method = "", url = "", headers } = request;
    const one = { method, url, headers, body };
    heard.push(one);
    const said = answer(one);
    const { status, text } = typeof said === "string" ? { status: 200, text: said } : said;
    response.writeHead(status).end(text);
  });
  await new Promise<void>((resolve) => {
    if (socketPath === undefined) server.listen(0, "127.0.0.1", resolve);
    else server.listen(socketPath, resolve);
  });
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const port = socketPath === undefined ? (server.address() as AddressInfo).port : 0;
  return { url: `http://127.0.0.1:${port}`, port, heard };
}
