/** `chain-node network logs`: the last lines of nodes' logs, and those that come. */
import { setTimeout as sleep } from "node:timers/promises";
import { readableLine } from "../../../node/log/log.ts";
import { outliveReaders, untilAsked } from "../../../node/process/ending.ts";
import { chosenNodes, openNetwork } from "../live-network.ts";
import { LogTail } from "./log-tail.ts";
import { readNetwork } from "../classic-files.ts";

/** Options of `chain-node network logs`. */
export interface LogsOptions {
  readonly follow: boolean;
  readonly lines: number;
  readonly json: boolean;
}

const POLL_MS = 250;

interface LogLine {
  readonly node: string;
  readonly text: string;
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
  const tails = nodes.map(({ spec, found }) => ({
    node: spec.name,
    tail: new LogTail(found.folder, found.config),
  }));
  const linesOfAll = async (read: (tail: LogTail) => Promise<readonly string[]>) => {
    const found = tails.map(async ({ node, tail }) =>
      (await read(tail)).map((text): LogLine => ({ node, text })),
    );
    return (await Promise.all(found)).flat();
  };
  try {
    const last = await linesOfAll((tail) => tail.last(lines));
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
      print(await linesOfAll((tail) => tail.next()), json, width);
      await sleep(POLL_MS);
    }
    return code;
  } finally {
    await Promise.all(tails.map(({ tail }) => tail.close()));
  }
}
