/** Nodes that run in this process from their folders, with one set of threads for all of them. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { SuiteName } from "../../../core/crypto/suite.ts";
import type { Log } from "../../../core/ports/log.ts";
import { ListenFault } from "../../../runtimes/node/machine/listen-fault.ts";
import { createLog } from "../../../runtimes/node/log/log.ts";
import { type Machinery, startMachinery } from "../../../runtimes/node/threads/machinery.ts";
import { type StartedNode, startNode } from "../../../runtimes/node/process/start.ts";
import { Undo } from "../../../runtimes/node/machine/undo.ts";
import type { PassPace } from "../../../runtimes/shared/checksums/background-pass.ts";
import type { RunningProgram } from "./node-processes.ts";
import { ROOT } from "../runner/root.ts";

const MARKER = /ViewChangeWarning/;
const LAST_CHARACTERS = 4_000;
const LISTEN_TRIES = 50;
const LISTEN_PAUSE_MS = 100;
const SILENT: Log = { write: () => undefined };

/** A node of this process. */
export interface HostedNode extends RunningProgram {
  readonly started: StartedNode;
}

/** What nodes of one process share. */
export interface House {
  /** Starts a node; tries again while a port is busy, unless it may try once. */
  start(config: string, tries?: number): Promise<HostedNode>;
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

/**
 * A port that a node of this process gave up may be busy for a moment: a child that another file is
 * starting has a copy of all sockets until it runs its own program.
 */
async function whenPortsAreFree<T>(most: number, start: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await start();
    } catch (error) {
      const isBusy = error instanceof ListenFault && error.problem === "inUse";
      if (!isBusy || tries === most) throw error;
      await sleep(LISTEN_PAUSE_MS);
    }
  }
}

/**
 * Makes room for nodes of a suite; its threads start with the first node.
 *
 * @param pace of the looks through their stores
 */
export function createHouse(suite: SuiteName, pace?: PassPace): House {
  const undo = new Undo();
  let machinery: Promise<Machinery> | undefined;
  return {
    async start(config, tries = LISTEN_TRIES) {
      process.env["CHAIN_NODE_DIST"] ??= join(ROOT, "dist", "node");
      machinery ??= startMachinery(SILENT, undo, suite);
      const screen = createTerminal();
      const hosted = {
        config,
        machinery: { ...(await machinery), pace },
        terminal: () => createLog({ level: "warning", target: screen }),
      };
      const started = await whenPortsAreFree(tries, () => startNode(hosted));
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
