/** One node of the start benchmark: its process, and when it got how far at what cost. */
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { NODE_ENVIRONMENT } from "../../runtimes/folder/node-scripts.ts";
import { endWithUs } from "../support/runner/own-children.ts";
import { endProcess } from "../support/process/dev-process.ts";
import type { NodeProcess } from "../support/process/node-processes.ts";
import { usageOf } from "./process-usage.ts";

/** A node that was written. */
export type WrittenNode = Pick<NodeProcess, "folder" | "nodeId" | "url">;

/** How far a process has come: since its start, in all its threads. */
export interface Mark {
  readonly wallMs: number;
  readonly cpuMs: number;
}

const PEER = /"peer":"([0-9a-f]+)".*"msg":"peer connected"/;
const READY = '"ready":true';
const MS = 1_000;

/** A process of a node. A class because it remembers what its log said. */
export class StartedNode {
  readonly written: WrittenNode;
  readonly connected: Promise<Mark>;
  readonly ready: Promise<Mark>;
  readonly #child: ChildProcess;
  readonly #startedAt = performance.now();

  /**
   * @param program `main.js` of a build
   * @param peers how many others it is to be connected to
   */
  constructor(program: string, written: WrittenNode, peers: number) {
    this.written = written;
    const config = join(written.folder, "config.ini");
    const args = [program, "start", "-c", config, "--json", "--log-level", "info"];
    this.#child = spawn(process.execPath, args, {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...NODE_ENVIRONMENT },
    });
    endWithUs(this.#child);
    const met = new Set<string>();
    this.connected = this.#when("stderr", (line) => {
      const peer = PEER.exec(line)?.[1];
      if (peer !== undefined) met.add(peer);
      return met.size >= peers;
    });
    this.ready = this.#when("stdout", (line) => line.includes(READY));
    for (const mark of [this.connected, this.ready]) mark.catch(() => undefined);
  }

  get url(): string {
    return this.written.url;
  }

  mark(): Mark {
    const { pid = 0 } = this.#child;
    const wallMs = performance.now() - this.#startedAt;
    return { wallMs, cpuMs: usageOf([pid]).cpuSeconds * MS };
  }

  async end(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    await endProcess(this.#child, signal);
  }

  /** Resolves with the first line that is the one. */
  #when(name: "stdout" | "stderr", isIt: (line: string) => boolean): Promise<Mark> {
    return new Promise((resolve, reject) => {
      let rest = "";
      this.#child[name]?.on("data", (chunk: Buffer) => {
        const lines = (rest + chunk.toString()).split("\n");
        rest = lines.pop() ?? "";
        if (lines.some(isIt)) resolve(this.mark());
      });
      this.#child.once("exit", (code) => reject(new Error(`a node ended with ${code}: ${rest}`)));
    });
  }
}
