/**
 * One Solidity compiler in a place of its own, which the page ends to cancel a compilation: a
 * classic worker, because compilers are classic scripts that leave a global `Module`; or a frame
 * without an origin, for the asm.js compilers before 0.6, which nest too deep for the small stack
 * that Chromium gives workers.
 */
import type { CompileRequest, CompilerReport, CompilerRequest } from "./compiler/protocol.ts";

/** The part of a compiler's module that is used. */
interface CompilerModule {
  cwrap(
    name: string,
    result: string,
    parameters: readonly string[],
  ): (...values: unknown[]) => string;
  readonly calledRun?: boolean;
  onRuntimeInitialized?: () => void;
  readonly _solidity_compile?: unknown;
  readonly _solidity_reset?: unknown;
  readonly _solidity_version?: unknown;
}

interface Place {
  readonly Module?: CompilerModule;
  importScripts?(url: string): void;
}

const place = globalThis as unknown as Place;
const isFrame = typeof document !== "undefined";
const NO_CALLBACK = 0;

function tell(report: CompilerReport): void {
  // A frame without an origin cannot name that of the page; nothing here is a secret.
  if (isFrame) parent.postMessage(report, "*");
  else (postMessage as (report: CompilerReport) => void)(report);
}

/** Runs a script as an element of the frame's document. */
async function runElement(url: string): Promise<void> {
  const script = document.createElement("script");
  const ended = new Promise<void>((resolve, reject) => {
    addEventListener("error", ({ message }) => reject(new Error(message)), { once: true });
    script.onload = () => resolve();
    script.onerror = () => reject(new Error("the script did not load"));
  });
  script.src = url;
  document.head.append(script);
  await ended;
}

/** Runs the script, and waits where the module starts later. */
async function startModule(script: Blob): Promise<CompilerModule> {
  const url = URL.createObjectURL(script);
  try {
    if (place.importScripts) place.importScripts(url);
    else await runElement(url);
  } finally {
    URL.revokeObjectURL(url);
  }
  const module = place.Module;
  if (module === undefined) throw new TypeError("the script is no compiler");
  if (module.calledRun !== true) {
    await new Promise<void>((resolve) => {
      module.onRuntimeInitialized = resolve;
    });
  }
  return module;
}

/** The call of each generation of compilers: 0.4, 0.5, and from 0.6 on. */
function compileCallOf(module: CompilerModule): (input: string) => string {
  if (module._solidity_compile === undefined) {
    const compile = module.cwrap("compileStandard", "string", ["string", "number"]);
    return (input) => compile(input, NO_CALLBACK);
  }
  if (module._solidity_reset === undefined) {
    const compile = module.cwrap("solidity_compile", "string", ["string", "number"]);
    return (input) => compile(input, NO_CALLBACK);
  }
  const parameters = ["string", "number", "number"];
  const compile = module.cwrap("solidity_compile", "string", parameters);
  return (input) => compile(input, NO_CALLBACK, NO_CALLBACK);
}

function versionOf(module: CompilerModule): string {
  const name = module._solidity_version === undefined ? "version" : "solidity_version";
  return module.cwrap(name, "string", [])();
}

type Compile = (input: string) => string;

/** Whether the stack was too small. */
function isDeep(cause: unknown): boolean {
  return cause instanceof RangeError || /call stack/i.test(String(cause));
}

async function load(script: Blob): Promise<Compile | undefined> {
  try {
    const module = await startModule(script);
    const compile = compileCallOf(module);
    tell({ type: "ready", version: versionOf(module) });
    return compile;
  } catch (cause) {
    tell({ type: "unloadable", reason: String(cause), isDeep: isDeep(cause) });
    return undefined;
  }
}

let loaded: Promise<Compile | undefined> = Promise.resolve(undefined);

async function compile({ id, input }: CompileRequest): Promise<void> {
  const run = await loaded;
  // Why there is none was told when it was loaded.
  if (run === undefined) return;
  try {
    tell({ type: "compiled", id, output: run(input) });
  } catch (cause) {
    tell({ type: "crashed", id, reason: String(cause), isDeep: isDeep(cause) });
  }
}

addEventListener("message", ({ data, source }: MessageEvent<CompilerRequest>) => {
  if (isFrame && source !== parent) return;
  if (data.type === "load") loaded = load(data.script);
  else void compile(data);
});
tell({ type: "open" });
