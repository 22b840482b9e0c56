/**
 * Real Chromium without the parts of a desktop: the system's where there is one, else the one from
 * the npm registry. With them a page takes twice the processor time to start.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { ROOT } from "../runner/root.ts";
import { RUN_FOLDER } from "../runner/run-folder.ts";

/** Debian's package chromium-headless-shell. */
const SYSTEM_CHROMIUM = "/usr/bin/chromium-headless-shell";
/** The npm Chromium is unpacked once per installation: 6 s and 300 MB. */
const UNPACKED = join(ROOT, "node_modules", ".cache", "chromium");
/** Flags of every Chromium that tests start. */
const CHROMIUM_FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // Whatever name of the zone: it leads to this machine, as a rebound one does.
  "--host-resolver-rules=MAP *.example.com 127.0.0.1",
];

/** Nothing that a page is waited for takes longer, also on a machine with other work. */
const PATIENCE_MS = 240_000;

/** How to start a Chromium. */
export interface ChromiumProgram {
  readonly source: "system" | "npm";
  readonly executablePath: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

function environment(): Record<string, string> {
  const entries = Object.entries(process.env).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Record<string, string>;
}

/**
 * Finds a Chromium. The variable CHROMIUM_PATH names another one, as /usr/bin/chromium; its value
 * `npm` forces the one from the registry.
 */
export async function findChromium(): Promise<ChromiumProgram> {
  const wanted = process.env["CHROMIUM_PATH"] ?? SYSTEM_CHROMIUM;
  if (wanted !== "npm" && existsSync(wanted)) {
    return { source: "system", executablePath: wanted, args: [], env: environment() };
  }
  unpacked ??= unpackChromium();
  return await unpacked;
}

/** Once for all that ask at the same time: variables are set meanwhile, one of which is TMPDIR. */
let unpacked: Promise<ChromiumProgram> | undefined;

/** Runs `work` with some environment variables set, and sets them back. */
async function withVariables<T>(
  variables: Readonly<Record<string, string>>,
  work: () => Promise<T>,
): Promise<T> {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, variables);
  try {
    return await work();
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}

/**
 * Unpacks the npm Chromium next to a lock-free rename, so that two test files may do it at once.
 * AWS_EXECUTION_ENV makes the package unpack its own NSS libraries too: then no system package is
 * needed.
 */
async function unpackChromium(): Promise<ChromiumProgram> {
  mkdirSync(join(UNPACKED, ".."), { recursive: true });
  const draft = mkdtempSync(`${UNPACKED}-`);
  const variables = { AWS_EXECUTION_ENV: "AWS_Lambda_nodejs20.x", TMPDIR: draft };
  const packaged = await withVariables(variables, async () => {
    const { default: found } = await import("@sparticuz/chromium");
    if (!existsSync(UNPACKED)) await found.executablePath();
    return found;
  });
  if (!existsSync(UNPACKED)) renameIfFirst(draft);
  rmSync(draft, { recursive: true, force: true });
  const libraries = [join(UNPACKED, "al2023", "lib"), process.env["LD_LIBRARY_PATH"]];
  return {
    source: "npm",
    executablePath: join(UNPACKED, "chromium"),
    // With a zygote a process of a page begins as a copy of one that has its libraries.
    args: packaged.args.filter(
      (flag) => !/headless|single-process|web-security|site-per-process|zygote/.test(flag),
    ),
    env: {
      ...environment(),
      FONTCONFIG_FILE: fontSettings(),
      LD_LIBRARY_PATH: libraries.filter(Boolean).join(":"),
    },
  };
}

/**
 * Settings by which Chromium finds the fonts it came with, next to the system's: without any, text
 * has no height. Its own settings name folders of another machine.
 */
function fontSettings(): string {
  // The same from whichever link to the folder: several checkouts may share it.
  const own = join(realpathSync(UNPACKED), "fonts");
  const file = join(own, "local.conf");
  const rows = [join(own, "fonts"), "/usr/share/fonts"]
    .map((folder) => `<dir>${folder}</dir>`)
    .join("");
  const cache = `<cachedir>${join(own, "cache")}</cachedir>`;
  const draft = `${file}.${randomUUID()}`;
  const head = '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">';
  writeFileSync(draft, `${head}<fontconfig>${rows}${cache}</fontconfig>`);
  renameSync(draft, file);
  return file;
}

function renameIfFirst(draft: string): void {
  try {
    renameSync(draft, UNPACKED);
  } catch (error) {
    // Another process was first; its copy is as good.
    if (!existsSync(UNPACKED)) throw error;
  }
}

/** Starts a Chromium on a profile. */
export async function startChromium(
  program: ChromiumProgram,
  profile: string,
  options: LaunchOptions = {},
): Promise<BrowserContext> {
  const context = await chromium.launchPersistentContext(profile, {
    ...options,
    executablePath: program.executablePath,
    headless: true,
    args: [...CHROMIUM_FLAGS, ...program.args],
    env: program.env,
    timeout: PATIENCE_MS,
  });
  context.setDefaultTimeout(PATIENCE_MS);
  return context;
}

type AllOptions = NonNullable<Parameters<typeof chromium.launchPersistentContext>[1]>;
type LaunchOptions = Omit<AllOptions, "args">;

/** The browser of this worker, once a file has asked for one. */
let shared: Promise<Browser> | undefined;

async function startShared(): Promise<Browser> {
  const program = await findChromium();
  const home = process.env[RUN_FOLDER] ?? tmpdir();
  const context = await startChromium(program, mkdtempSync(join(home, "chain-node-shared-")));
  const browser = context.browser();
  if (browser === null) throw new Error("Chromium has told of no browser");
  browser.once("disconnected", () => {
    shared = undefined;
  });
  return browser;
}

/**
 * A profile of its own, in memory, in the one browser that all files of a worker share: starting
 * one takes more than most files ask of it. The browser ends with the worker.
 */
export async function openContext(options: ContextOptions = {}): Promise<BrowserContext> {
  shared ??= startShared();
  const context = await (await shared).newContext(options);
  context.setDefaultTimeout(PATIENCE_MS);
  return context;
}

type ContextOptions = NonNullable<Parameters<Browser["newContext"]>[0]>;

/** A page that is open, with the server behind it. */
export interface OpenPage {
  readonly page: Page;
  /** Where the files are served, as `http://127.0.0.1:1234`. */
  readonly base: string;
  readonly chromium: ChromiumProgram["source"];
  /** Errors that no script caught. */
  readonly errors: readonly string[];
  close(): Promise<void>;
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  js: "text/javascript",
  json: "application/json",
  wasm: "application/wasm",
  css: "text/css",
};

/** Serves the files on loopback; the root is an empty page that loads the module `script`. */
async function serve(files: ReadonlyMap<string, string>, script: string) {
  const load = `<script type="module" src="/${script}"></script>`;
  const html = `<!doctype html><meta charset="utf-8">${load}`;
  const server = createServer((request, response) => {
    const name = new URL(request.url ?? "/", "http://localhost").pathname.slice(1);
    const text = name === "" ? html : files.get(name);
    const type = CONTENT_TYPES[name.split(".").at(-1) ?? ""] ?? "text/html";
    response.writeHead(text === undefined ? 404 : 200, { "content-type": type });
    response.end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { server, base: `http://127.0.0.1:${port}` };
}

/** Opens an empty page in a profile of its own and loads the module `script` from the files. */
export async function openPage(
  files: ReadonlyMap<string, string>,
  script: string,
): Promise<OpenPage> {
  const { source } = await findChromium();
  const { server, base } = await serve(files, script);
  const errors: string[] = [];
  const context = await openContext();
  const close = async (): Promise<void> => {
    await context.close();
    server.closeAllConnections();
    server.close();
  };
  try {
    const page = await context.newPage();
    page.on("pageerror", (error) => errors.push(error.message));
    await page.goto(`${base}/`);
    return { page, base, chromium: source, errors, close };
  } catch (error) {
    await close();
    throw error;
  }
}
