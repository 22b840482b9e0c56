/** Raw bytes to a real HTTP server around our endpoint, and its answers. */
import { connect } from "node:net";
import { serve } from "../../runtimes/node/server/http-server.ts";
import type { HttpApp } from "../../runtimes/shared/http-app.ts";
import type { Answer } from "./exchange.ts";

/** How long a peer may stay silent after an answer before there is none to follow. */
const SILENCE_MS = 1_000;
/** How long it may take to begin; a loaded machine needs more than a quiet one. */
const PATIENCE_MS = 240_000;

/** A server that can be asked with raw bytes. */
export interface RawServer {
  readonly ask: (bytes: string) => Promise<readonly Answer[]>;
  readonly close: () => Promise<void>;
}

/** Serves an endpoint on a free port, as the Node runtime does. */
export async function serveRaw({ app, posts }: HttpApp): Promise<RawServer> {
  const server = await serve(app.fetch, { host: "127.0.0.1", port: 0 }, posts);
  return {
    ask: (bytes) => exchangeBytes(server.port, bytes),
    close: () => server.close(),
  };
}

function exchangeBytes(port: number, bytes: string): Promise<readonly Answer[]> {
  return new Promise((resolve, reject) => {
    let received = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
    socket.setTimeout(PATIENCE_MS, () => socket.destroy());
    socket.on("data", (data) => {
      received += data.toString("utf8");
      if (splitAnswers(received).length > 0) socket.setTimeout(SILENCE_MS);
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(splitAnswers(received)));
  });
}

/** The answers in a stream of HTTP responses; interim ones are left out. */
export function splitAnswers(stream: string): readonly Answer[] {
  const answers: Answer[] = [];
  let rest = stream;
  for (;;) {
    const head = /^HTTP\/1\.1 (\d{3})[^\r]*\r\n([\s\S]*?)\r\n\r\n/.exec(rest);
    if (head === null) {
      const interim = /^HTTP\/1\.1 100[^\r]*\r\n\r\n/.exec(rest);
      if (interim === null) return answers;
      rest = rest.slice(interim[0].length);
      continue;
    }
    const [text, status, headers = ""] = head;
    if (status === "100") {
      rest = rest.slice(rest.indexOf("\r\n\r\n") + 4);
      continue;
    }
    const length = Number(/content-length: (\d+)/i.exec(headers)?.[1] ?? 0);
    answers.push({ status: Number(status), body: rest.slice(text.length, text.length + length) });
    rest = rest.slice(text.length + length);
  }
}
