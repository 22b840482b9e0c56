/**
 * The cases about codes in a worker of a browser: their nodes have the suite and the IndexedDB
 * stores of a tab, and are asked by the page. Bundled by test/codes/codes-tab.test.ts.
 */
import { expose } from "comlink";
import { createNodeEnd, type NodeLine } from "../../runtimes/browser/node-end.ts";
import { createTabSuite } from "../../runtimes/browser/tab-suite.ts";
import { nextTurn } from "../../runtimes/browser/turn.ts";
import { consoleLog, webClock } from "../../runtimes/shared/platform/web-platform.ts";
import type { Store } from "../../core/ports/store.ts";
import type { Reply } from "../support/rpc-node.ts";
import type { EntryPlace } from "./entry.ts";
import { runCase } from "./run-case.ts";
import { SECTIONS } from "./sections.ts";

/** What the page does: asks its provider of a line. */
type AskPage = (line: number, method: string, params: readonly unknown[]) => Promise<Reply>;

// Machines of the tests let messages pass in a later turn.
Object.assign(globalThis, { setImmediate: nextTurn });

const lines = new Map<number, NodeLine>();
let askPage: AskPage | undefined;
let opened = 0;

/** What is posted before a module has run to its end would be lost: it does not wait. */
const suiteOfTab = createTabSuite("standard", { recovers: true });
const place: Omit<EntryPlace, "suite"> = {
  async openWay(node) {
    const line = createNodeEnd(node, { clock: webClock, log: consoleLog }).open({
      tell: () => undefined,
      cut: () => undefined,
    });
    opened += 1;
    const number = opened;
    lines.set(number, line);
    return {
      ask(method, params) {
        if (!askPage) throw new TypeError("no page is there");
        return askPage(number, method, params);
      },
      async close() {
        lines.delete(number);
        line.close();
      },
    };
  },
};

/** Serves the page. @param openStore opens the store of that name */
export function serveCases(openStore: (name: string) => Promise<Store>): void {
  const stores = {
    openStore() {
      opened += 1;
      return openStore(`codes-${opened}`);
    },
  };
  expose({
    /** The page says how it asks. */
    meet(ask: AskPage): void {
      askPage = ask;
    },
    /** What a provider of the page sends. */
    post(line: number, body: string): Promise<string> {
      const known = lines.get(line);
      if (!known) throw new TypeError(`no line ${line}`);
      return known.post(body);
    },
    /** Runs one case. @throws when its code was not seen */
    async run(section: string, code: number): Promise<void> {
      const of = SECTIONS.find((it) => it.section === section);
      const it = of?.cases.find((one) => one.code === code);
      if (!it) throw new TypeError(`no case ${section} ${code}`);
      await runCase({ ...place, ...stores, suite: await suiteOfTab }, section, it);
    },
  });
}
