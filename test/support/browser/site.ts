/**
 * The built page in real Chromium: dist/web on a loopback port, tabs of one profile, and what they
 * said and asked for.
 */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import {
  COMPILER_POLICIES,
  createCompilerService,
} from "../../../runtimes/node/server/compilers.ts";
import { PAGE_POLICIES, PAGE_POLICY, type PageAnswer } from "../../../runtimes/node/server/page.ts";
import { findChromium, openContext, startChromium } from "./chromium.ts";
import { portsInRow } from "../process/ports.ts";
import { ROOT } from "../runner/root.ts";

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};
const WEB = join(ROOT, "dist", "web");
/** The compilers come from their packages: `npm test` does not copy them next to the page. */
const COMPILERS = createCompilerService({
  origin: import.meta.url,
  licenceFile: join(WEB, "licenses", "gpl-3.0.txt"),
});

/** Asks for a new profile on the disk. */
export const FRESH = "fresh";
const POLICIES = new Map([...PAGE_POLICIES, ...COMPILER_POLICIES]);

function bytesOf(answer: PageAnswer): Buffer {
  return "text" in answer ? Buffer.from(answer.text) : readFileSync(answer.file);
}

/** How a site is opened. */
export interface SiteOptions {
  /** Another server's address, as of a node that serves the page; absent: dist/web is served. */
  readonly base?: string;
  /**
   * A profile on the disk and a browser of its own: "fresh", removed at the end, or the folder of
   * one to go on with. Absent: one in memory, in the browser that files share.
   */
  readonly profile?: string;
  /** Where dist/web is served: the same origin again finds the same data; a free one if absent. */
  readonly port?: number;
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly colorScheme?: "light" | "dark";
  readonly locale?: string;
  /** Whether it asks no server for its certificate, as if it trusted each. */
  readonly trustsAll?: boolean;
}

/** A browser with tabs of one profile. */
export interface Site {
  readonly base: string;
  readonly port: number;
  /** Empty for a profile in memory. */
  readonly profile: string;
  readonly context: BrowserContext;
  /** Opens a tab at an address of the site, as `#/explorer`. */
  tab(address?: string): Promise<Page>;
  /** Uncaught errors and console errors of all tabs, and errors of their workers. */
  readonly errors: readonly string[];
  /** Requests that left the origin, web sockets included. */
  readonly foreign: readonly string[];
  /** Kills the browser, as when the machine crashes; the profile stays. */
  kill(): Promise<void>;
  /** Closes the tabs and the server, and what of the browser is its own. */
  close(): Promise<void>;
}

function serveFolder(folder: string, port: number): Promise<{ server: Server; base: string }> {
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url ?? "/", "http://localhost").pathname);
    const compiler = COMPILERS(path);
    if (compiler) {
      response.writeHead(200, { "content-type": compiler.contentType });
      response.end(bytesOf(compiler));
      return;
    }
    if (path === "/favicon.ico") {
      // A whole Chromium asks for it with each document that is no page.
      response.writeHead(204).end();
      return;
    }
    const file = join(folder, path === "/" ? "index.html" : path);
    if (!file.startsWith(folder) || !existsSync(file) || !statSync(file).isFile()) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, {
      "content-type": CONTENT_TYPES[extname(file)] ?? "application/octet-stream",
      "content-security-policy": POLICIES.get(path) ?? PAGE_POLICY,
      "x-content-type-options": "nosniff",
    });
    response.end(readFileSync(file));
  });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => resolve({ server, base: `http://127.0.0.1:${port}` }));
  });
}

/** Notes what a context says and where it goes. */
function watch(context: BrowserContext, base: string) {
  const errors: string[] = [];
  const foreign: string[] = [];
  const { host } = new URL(base);
  const note = (url: string) => {
    const { protocol, host: other } = new URL(url);
    if (/^(https?|wss?):$/.test(protocol) && other !== host) foreign.push(url);
  };
  context.on("request", (request) => note(request.url()));
  context.on("weberror", (error) => errors.push(error.error().message));
  context.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  context.on("page", (page) => page.on("websocket", (socket) => note(socket.url())));
  return { errors, foreign };
}

/** Ends every process that was started with the profile at once; how many there were. */
function killProcessesOf(profile: string): number {
  let killed = 0;
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      if (!readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(profile)) continue;
      process.kill(Number(pid), "SIGKILL");
      killed++;
    } catch {
      // It ended meanwhile.
    }
  }
  return killed;
}

/** A profile, and its folder where it has one. */
async function openProfile(options: SiteOptions) {
  const { viewport, colorScheme, locale, trustsAll } = options;
  const look = {
    ...(viewport ? { viewport } : {}),
    ...(colorScheme ? { colorScheme } : {}),
    ...(locale ? { locale } : {}),
    ...(trustsAll ? { ignoreHTTPSErrors: true } : {}),
  };
  const given = options.profile;
  if (given === undefined) return { profile: "", context: await openContext(look) };
  const isFresh = given === FRESH;
  const profile = isFresh ? mkdtempSync(join(tmpdir(), "chain-node-profile-")) : given;
  const context = await startChromium(await findChromium(), profile, look);
  const remove = () => isFresh && rmSync(profile, { recursive: true, force: true });
  return { profile, context, remove };
}

/** Opens tabs on the site. */
export async function openSite(options: SiteOptions = {}): Promise<Site> {
  const port = options.port ?? (await portsInRow(1));
  const served = options.base === undefined ? await serveFolder(WEB, port) : undefined;
  const base = (options.base ?? served?.base ?? "").replace(/\/$/, "");
  const { profile, context, remove } = await openProfile(options);
  const seen = watch(context, base);
  const closeServer = async () => {
    const closed = new Promise((resolve) => served?.server.close(resolve) ?? resolve(undefined));
    served?.server.closeAllConnections();
    await closed;
  };
  return {
    base,
    port: Number(new URL(base).port),
    profile,
    context,
    ...seen,
    async tab(address = "") {
      const page = await context.newPage();
      await page.goto(`${base}/${address}`);
      return page;
    },
    async kill() {
      assert.ok(profile !== "", "others share the browser");
      const killed = killProcessesOf(profile);
      assert.ok(killed > 0, "no process of the browser was found");
      await context.close().catch(() => undefined);
      await closeServer();
    },
    async close() {
      await context.close();
      await closeServer();
      remove?.();
    },
  };
}
