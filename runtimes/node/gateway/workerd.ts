/**
 * The edge runtime on this machine: the package miniflare runs workerd, and is not part of ours.
 */
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { FolderFault } from "../../folder/folder-fault.ts";
import { listen, type ListenAddress } from "../server/http-server.ts";
import { COMPATIBILITY_DATE } from "./edge-files.ts";

/** The part of miniflare that is used. */
interface Miniflare {
  readonly ready: Promise<URL>;
  dispose(): Promise<void>;
}

interface MiniflareModule {
  readonly Miniflare: new (options: Readonly<Record<string, unknown>>) => Miniflare;
}

/** The version that the tests run with. */
const PACKAGE = "miniflare@4.20260426.0";

/** Next to this program, or where the user is. */
async function load(): Promise<MiniflareModule> {
  for (const place of [import.meta.url, pathToFileURL(join(process.cwd(), "package.json"))]) {
    try {
      const file = createRequire(place).resolve("miniflare");
      const found = (await import(pathToFileURL(file).href)) as MiniflareModule & {
        readonly default?: MiniflareModule;
      };
      return found.Miniflare ? found : (found.default ?? found);
    } catch (cause) {
      if ((cause as { code?: unknown }).code !== "MODULE_NOT_FOUND") throw cause;
    }
  }
  throw new FolderFault(
    "missing",
    "edge dev needs the edge runtime, which chain-node does not bring along: " +
      `npm install ${PACKAGE} here, and run it again. ` +
      "chain-node gateway runs the same gateway without it.",
  );
}

/** workerd says by a trace of its stack what is wrong with a port. @throws ListenFault */
async function tryPort(port: number, host: string): Promise<void> {
  const server = createServer();
  await listen(server, { host, port });
  await new Promise((resolve) => server.close(resolve));
}

/** Runs a worker in workerd. @throws FolderFault when that is not installed; ListenFault */
export async function startWorker(
  text: string,
  variables: Readonly<Record<string, string>>,
  { host, port }: ListenAddress,
) {
  const { Miniflare } = await load();
  await tryPort(port, host);
  const worker = new Miniflare({
    modules: true,
    script: text,
    bindings: variables,
    compatibilityDate: COMPATIBILITY_DATE,
    host,
    port,
  });
  const { href } = await worker.ready;
  return { url: href, close: () => worker.dispose() };
}
