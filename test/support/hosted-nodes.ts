/** Nodes that run in this process from their folders, with one set of threads for all of them. */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { SuiteName } from "../../core/crypto/suite.ts";
import type { Log } from "../../core/ports/log.ts";
import { createLog } from "../../runtimes/node/log.ts";
import { type Machinery, startMachinery } from "../../runtimes/node/machinery.ts";
import { type StartedNode, startNode } from "../../runtimes/node/start.ts";
import { Undo } from "../../runtimes/node/undo.ts";
import type { RunningProgram } from "./node-processes.ts";
import { ROOT } from "./root.ts";

const MARKER = /ViewChangeWarning/;
const LAST_CHARACTERS = 4_000;
const SILENT: Log = { write: () => undefined };

/** A node of this process. */
export interface HostedNode extends RunningProgram {
  readonly started: StartedNode;
}

/** What nodes of one process share. */
export interface House {
  start(config: string): Promise<HostedNode>;
  close(): Promise<void>;
}

/** What a node writes to its terminal. */
function createTerminal() {
  let text = "";
  const marked: string[] = [];
  const write = (line: string) => {
    text = (text + line).slice(-LAST_CHARACTERS);
    if (MARKER.test(line)) marked.push(line);
  };
  return { write, text: () => text, marked };
}

/** Makes room for nodes of a suite; its threads start with the first node. */
export function createHouse(suite: SuiteName): House {
  const undo = new Undo();
  let machinery: Promise<Machinery> | undefined;
  return {
    async start(config) {
      process.env["CHAIN_NODE_DIST"] ??= join(ROOT, "dist", "node");
      machinery ??= startMachinery(SILENT, undo, suite);
      const screen = createTerminal();
      const started = await startNode({
        config,
        machinery: await machinery,
        terminal: () => createLog({ level: "warning", target: screen }),
      });
      return {
        started,
        errors: screen.text,
        marked: () => screen.marked,
        end(signal) {
          assert.equal(signal, "SIGTERM", "a node of this process cannot be killed");
          return started.close();
        },
      };
    },
    close: () => undo.run(),
  };
}
