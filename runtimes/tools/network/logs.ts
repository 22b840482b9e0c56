/** `chain-node network logs`: the last lines of nodes' logs, and those that come. */
import { open, readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readableLine } from "../../node/log/log.ts";
import { outliveReaders, untilAsked } from "../../node/process/ending.ts";
import { chosenNodes, type LiveNode, openNetwork } from "./live-network.ts";
import { readNetwork } from "./network-source.ts";

/** Options of `chain-node network logs`. */
export interface LogsOptions {
  readonly follow: boolean;
  /** Last lines of each node. */
  readonly lines: number;
  readonly json: boolean;
}

const POLL_MS = 250;
/** No more of a file than this is read for its last lines. */
const MOST_TAIL_BYTES = 4 * 1024 * 1024;
const MOST_READ_BYTES = 1024 * 1024;

/** One line of a node's log. */
interface LogLine {
  readonly node: string;
  readonly text: string;
}

/** Files of a folder with a node's log, the one that is written now last. */
async function logFiles(folder: string): Promise<readonly string[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => /\.log$/.test(name));
  const files = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      const found = await stat(path).catch(() => undefined);
      return { path, time: found?.mtimeMs ?? 0 };
    }),
  );
  return files.toSorted((left, right) => left.time - right.time).map(({ path }) => path);
}

/** Reads a part of a file; what is there of it. */
async function readPart(path: string, from: number, most: number): Promise<Buffer> {
  const handle = await open(path, "r").catch(() => undefined);
  if (!handle) return Buffer.alloc(0);
  try {
    const { size } = await handle.stat();
    const length = Math.max(0, Math.min(most, size - from));
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, from);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** The log of one node: its last lines, then what is added. */
class LogTail {
  readonly #name: string;
  readonly #folder: string;
  #path: string | undefined;
  /** Where the next read begins: behind the last whole line. */
  #offset = 0;

  constructor({ spec, found }: LiveNode) {
    this.#name = spec.name;
    this.#folder = resolve(found.folder, found.config.log.log_path);
  }

  #lines(text: string): LogLine[] {
    const lines = text.split("\n").filter((line) => line !== "");
    return lines.map((line) => ({ node: this.#name, text: line }));
  }

  async last(count: number): Promise<readonly LogLine[]> {
    const path = (await logFiles(this.#folder)).at(-1);
    if (path === undefined) return [];
    const size = (await stat(path)).size;
    const from = Math.max(0, size - MOST_TAIL_BYTES);
    const text = (await readPart(path, from, MOST_TAIL_BYTES)).toString("utf8");
    const end = text.lastIndexOf("\n") + 1;
    this.#path = path;
    this.#offset = from + Buffer.byteLength(text.slice(0, end));
    return count === 0 ? [] : this.#lines(text.slice(0, end)).slice(-count);
  }

  /** Lines that were added; the file changes by the hour. */
  async next(): Promise<readonly LogLine[]> {
    const files = await logFiles(this.#folder);
    const found: LogLine[] = [];
    const at = this.#path === undefined ? 0 : files.indexOf(this.#path);
    for (const path of at < 0 ? files.slice(-1) : files.slice(at)) {
      if (path !== this.#path) this.#offset = 0;
      this.#path = path;
      found.push(...(await this.#read(path)));
    }
    return found;
  }

  async #read(path: string): Promise<readonly LogLine[]> {
    const part = await readPart(path, this.#offset, MOST_READ_BYTES);
    const end = part.lastIndexOf("\n") + 1;
    this.#offset += end;
    return this.#lines(part.subarray(0, end).toString("utf8"));
  }
}

function timeOf({ text }: LogLine): string {
  return /"time":"([^"]+)"/.exec(text)?.[1] ?? "";
}

/** A line for people; one that is none of the log's own is shown as it is. */
function shown({ text }: LogLine): string {
  try {
    return readableLine(text).trimEnd();
  } catch {
    return text.replace(/\p{Cc}/gu, "?");
  }
}

function print(lines: readonly LogLine[], isJson: boolean, width: number): void {
  for (const line of lines) {
    const { node, text } = line;
    const json = `${JSON.stringify({ node, line: text })}\n`;
    process.stdout.write(isJson ? json : `${node.padEnd(width)} | ${shown(line)}\n`);
  }
}

/** Prints logs; with `follow` until it is interrupted. Gives the exit code. */
export async function runLogs(
  file: string,
  name: string | undefined,
  { follow, lines, json }: LogsOptions,
): Promise<number> {
  const network = await openNetwork(await readNetwork(file));
  const nodes = chosenNodes(network, name);
  const width = Math.max(...nodes.map(({ spec }) => spec.name.length));
  const tails = nodes.map((node) => new LogTail(node));
  const last = (await Promise.all(tails.map((tail) => tail.last(lines)))).flat();
  print(
    last.toSorted((left, right) => timeOf(left).localeCompare(timeOf(right))),
    json,
    width,
  );
  if (!follow) return 0;
  outliveReaders();
  let code: number | undefined;
  void untilAsked("session").end.then((asked) => {
    code = asked;
  });
  while (code === undefined) {
    const next = (await Promise.all(tails.map((tail) => tail.next()))).flat();
    print(next, json, width);
    await sleep(POLL_MS);
  }
  return code;
}
