/**
 * One Solidity compiler in a place of its own, which the page ends to cancel a compilation: a
 * classic worker, because compilers are classic scripts that leave a global `Module`; or a frame
 * without an origin, for the asm.js compilers before 0.6, which nest too deep for the small stack
 * that Chromium gives workers.
 */
import {
  type Compile,
  compileCallOf,
  type CompilerModule,
  started,
  versionTextOf,
} from "../../runtimes/shared/solidity/compiler-module.ts";
import type { CompileRequest, CompilerReport, CompilerRequest } from "./compiler/protocol.ts";

interface Place {
  readonly Module?: CompilerModule;
  importScripts?(url: string): void;
}

const place = globalThis as unknown as Place;
const isFrame = typeof document !== "undefined";

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
  return await started(module);
}

/** Whether the stack was too small. */
function isDeep(cause: unknown): boolean {
  return cause instanceof RangeError || /call stack/i.test(String(cause));
}

async function load(script: Blob): Promise<Compile | undefined> {
  try {
    const module = await startModule(script);
    const compile = compileCallOf(module);
    tell({ type: "ready", version: versionTextOf(module) });
    return compile;
  } catch (cause) {
    tell({ type: "unloadable", reason: String(cause), isDeep: isDeep(cause) });
    return undefined;
  }
}

let loaded: Promise<Compile | undefined> = Promise.resolve(undefined);

async function compile({ id, input }: CompileRequest): Promise<void> {
  const run = await loaded;
  // Why there is none was reported when it was loaded.
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
