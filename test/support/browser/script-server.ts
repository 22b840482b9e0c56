/** Serves scripts on loopback, always at the same address: what a page keeps belongs to it. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Served files. */
export interface ScriptServer {
  /** As `http://127.0.0.1:1234`. */
  readonly base: string;
  close(): void;
}

const TYPES: Readonly<Record<string, string>> = { js: "text/javascript", json: "application/json" };

/** The root is an empty page that loads the module `script`. */
export async function serveScripts(
  files: ReadonlyMap<string, string>,
  script: string,
): Promise<ScriptServer> {
  // Without an icon of its own a whole Chromium asks for one that is not there.
  const load = `<link rel="icon" href="data:,"><script type="module" src="/${script}"></script>`;
  const server = createServer((request, response) => {
    const name = new URL(request.url ?? "/", "http://localhost").pathname.slice(1);
    const text = name === "" ? `<!doctype html><meta charset="utf-8">${load}` : files.get(name);
    const type = TYPES[name.split(".").at(-1) ?? ""] ?? "text/html";
    response.writeHead(text === undefined ? 404 : 200, { "content-type": type });
    response.end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    base: `http://127.0.0.1:${port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
