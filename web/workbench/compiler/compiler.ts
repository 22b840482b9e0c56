/** The compilers as the page sees them: one at a time, in a place that is ended to cancel. */
import { type CompilerPlace, openPlace, type PlaceKind } from "./compiler-place.ts";
import type { OfferedCompiler } from "../../../runtimes/shared/solidity/compiler-versions.ts";
import type { CompilerReport } from "./protocol.ts";

/** How far a compilation is. */
export type CompileProgress =
  | { readonly phase: "fetching"; readonly received: number; readonly total: number }
  | { readonly phase: "starting" | "compiling" };

/** Why there is no output. */
type CompileTrouble = "cancelled" | "unloadable" | "crashed" | "tooDeep";

/** A compilation ended without output. */
export class CompileFault extends Error {
  override readonly name = "CompileFault";
  readonly trouble: CompileTrouble;

  constructor(trouble: CompileTrouble, reason: string) {
    super(reason);
    this.trouble = trouble;
  }
}

/** What is to be compiled. */
interface CompileOrder {
  readonly compiler: OfferedCompiler;
  /** Standard JSON, as text. */
  readonly input: string;
  onProgress(progress: CompileProgress): void;
}

/** Where the compilers and their list lie, next to the page. */
function compilersUrl(path: string): string {
  return new URL(`compilers/${path}`, document.baseURI).href;
}

/** The compilers that are offered here; none where nothing is served. */
export async function offeredCompilers(): Promise<readonly OfferedCompiler[]> {
  try {
    const answer = await fetch(compilersUrl("index.json"));
    if (!answer.ok) return [];
    const { compilers } = (await answer.json()) as { compilers?: readonly OfferedCompiler[] };
    return compilers ?? [];
  } catch {
    return [];
  }
}

/** The text of a compiler, with progress on the way. */
async function fetchScript(
  { version, bytes }: OfferedCompiler,
  onProgress: CompileOrder["onProgress"],
  signal: AbortSignal,
): Promise<Blob> {
  const answer = await fetch(compilersUrl(`${version}/soljson.js`), { signal });
  if (!answer.ok) throw new CompileFault("unloadable", `${answer.status} ${answer.statusText}`);
  const reader = answer.body?.getReader();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let received = 0;
  for (let part = await reader?.read(); part?.value; part = await reader?.read()) {
    parts.push(part.value as Uint8Array<ArrayBuffer>);
    received += part.value.length;
    onProgress({ phase: "fetching", received, total: bytes });
  }
  return new Blob(parts, { type: "text/javascript" });
}

interface Loaded {
  readonly version: string;
  readonly place: CompilerPlace;
}

interface Running {
  readonly id: number;
  readonly order: CompileOrder;
  readonly stop: AbortController;
  resolve(output: string): void;
  reject(fault: CompileFault): void;
}

/** Compiles one input after the other; nothing is loaded before it is needed. */
export class Compiler {
  #loaded: Loaded | undefined;
  #running: Running | undefined;
  #lastId = 0;
  /** Compilers that a worker's stack is too small for. */
  readonly #deep = new Set<string>();

  /** The output, as text. What runs already is cancelled. @throws CompileFault */
  compile(order: CompileOrder): Promise<string> {
    this.cancel();
    return new Promise((resolve, reject) => {
      const stop = new AbortController();
      this.#running = { id: ++this.#lastId, order, stop, resolve, reject };
      void this.#begin(this.#running);
    });
  }

  /** Ends what is running, however busy it is. */
  cancel(): void {
    if (this.#running) this.#fail("cancelled", "cancelled");
  }

  async #begin(running: Running): Promise<void> {
    const { order, stop, id } = running;
    const { version } = order.compiler;
    try {
      if (this.#loaded?.version !== version) {
        this.#unload();
        const script = await fetchScript(order.compiler, order.onProgress, stop.signal);
        if (this.#running !== running) return;
        order.onProgress({ phase: "starting" });
        this.#load(version, script);
      } else order.onProgress({ phase: "compiling" });
      this.#loaded?.place.post({ type: "compile", id, input: order.input });
    } catch (cause) {
      if (this.#running === running) this.#fail("unloadable", reasonOf(cause));
    }
  }

  #load(version: string, script: Blob): void {
    const kind: PlaceKind = this.#deep.has(version) ? "frame" : "worker";
    const isCurrent = (): boolean => this.#loaded?.place === place;
    const onReport = (report: CompilerReport): void => {
      if (!isCurrent()) return;
      if (report.type === "unloadable" && report.isDeep && kind === "worker") {
        this.#deep.add(version);
        this.#unload();
        this.#load(version, script);
        this.#resend();
      } else this.#hear(report);
    };
    const onFailure = (reason: string): void => {
      if (isCurrent()) this.#fail("crashed", reason);
    };
    const place = openPlace(kind, { onReport, onFailure });
    this.#loaded = { version, place };
    place.post({ type: "load", script });
  }

  #resend(): void {
    if (!this.#running) return;
    const { id, order } = this.#running;
    this.#loaded?.place.post({ type: "compile", id, input: order.input });
  }

  #hear(report: CompilerReport): void {
    if (report.type === "ready") this.#running?.order.onProgress({ phase: "compiling" });
    if (report.type === "unloadable") this.#fail("unloadable", report.reason);
    if (report.type === "compiled" && report.id === this.#running?.id) {
      const { resolve } = this.#running;
      this.#running = undefined;
      resolve(report.output);
    }
    // What has thrown once is not trusted with the next source.
    if (report.type === "crashed") this.#fail(report.isDeep ? "tooDeep" : "crashed", report.reason);
  }

  #fail(trouble: CompileTrouble, reason: string): void {
    const running = this.#running;
    this.#running = undefined;
    this.#unload();
    running?.stop.abort();
    running?.reject(new CompileFault(trouble, reason));
  }

  #unload(): void {
    this.#loaded?.place.end();
    this.#loaded = undefined;
  }
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
