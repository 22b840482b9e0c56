/**
 * The recorded chains in a worker of a browser, behind the ends that pages have to the nodes of
 * their tab. Bundled by test/support/browser/recordings-bundle.ts.
 */
import { expose } from "comlink";
import { createNodeEnd, type NodeLine } from "../../runtimes/browser/node-end.ts";
import { consoleLog, webClock } from "../../runtimes/shared/platform/web-platform.ts";
import type { Exchange } from "./exchange.ts";
import { bodyOf } from "./judge.ts";
import type { RecordedChain } from "./recorded-chain.ts";
import { RECORDINGS } from "./recordings.ts";

let chain: RecordedChain | undefined;
const lines = new Map<number, NodeLine>();

function opened(): RecordedChain {
  if (!chain) throw new TypeError("no recording is open");
  return chain;
}

function lineTo(node: number): NodeLine {
  const known = lines.get(node);
  if (known) return known;
  const running = { api: opened().api(node), onBlock: () => undefined };
  const end = createNodeEnd(running, { clock: webClock, log: consoleLog });
  const line = end.open({ tell: () => undefined, cut: () => undefined });
  lines.set(node, line);
  return line;
}

expose({
  /** The chain of a recording is the node from now on. @returns its first node */
  async open(recording: number): Promise<number> {
    chain = await RECORDINGS[recording]?.open();
    lines.clear();
    return opened().nodes[0] ?? 0;
  },
  /**
   * Asks one after the other: a message for each would take longer than most answers. Bodies of
   * 40 MiB that recordings describe are made here.
   */
  async ask(first: number, share: readonly Exchange[]): Promise<readonly string[]> {
    const answers: string[] = [];
    for (const exchange of share) {
      await opened().recall(exchange);
      const text = await lineTo(exchange.node ?? first).post(bodyOf(exchange) ?? "");
      answers.push(await opened().asRecorded(exchange, text));
    }
    return answers;
  },
});
