/** A network file in a folder of its own, with commands on it, and the end of all its nodes. */
import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Ended, endOf, runProgram } from "./dev-chain-process.ts";
import type { LiveNetwork } from "../../../runtimes/tools/network/live-network.ts";
import { readNetwork } from "../../../runtimes/tools/network/classic-files.ts";
import { writeMissing } from "../../../runtimes/tools/network/up.ts";
import { asProgram, runHosted } from "./hosted-command.ts";
import { portsInRow } from "./ports.ts";

/** Uses of ports: RPC, SDKs, peers. */
const USES = 3;

/** What `network up --json` and `network status --json` print, as far as tests look at it. */
export interface ToldNetwork {
  readonly nodes: readonly {
    readonly name: string;
    readonly folder: string;
    readonly pid?: number;
    readonly rpc?: string;
    readonly nodeId?: string;
    readonly writable: boolean;
  }[];
  readonly groups: readonly {
    readonly id: number;
    readonly consensus: string;
    readonly height: number;
    readonly sealers: readonly string[];
    readonly observers: readonly string[];
    readonly voting: readonly string[];
    readonly writable: boolean;
  }[];
  readonly joins: readonly { readonly name: string; readonly papers?: string }[];
  readonly pending: readonly { readonly node: string; readonly reason: string }[];
  readonly seconds: number;
}

/** A folder with a network file. */
export interface NetworkPlace {
  readonly home: string;
  readonly file: string;
  /** The chain's folder. */
  readonly folder: string;
  /** `network COMMAND FILE ...` in this process; nodes that it starts have their own. */
  run(command: string, ...args: readonly string[]): Promise<Ended>;
  /** The same in a process of its own, for what only that shows. */
  apart(command: string, ...args: readonly string[]): Promise<Ended>;
  /** `--json` of a command that must succeed. */
  told(command: string, ...args: readonly string[]): Promise<ToldNetwork>;
  /** Writes what the file asks for, and starts nothing. */
  write(): Promise<LiveNetwork>;
  text(...path: readonly string[]): Promise<string>;
  close(): Promise<void>;
}

/** Ends nodes that are no children of the test. */
async function endNodes(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const pid = Number(await readFile(join(folder, name, "node.pid"), "utf8").catch(() => "0"));
    try {
      if (pid > 0) process.kill(pid, "SIGKILL");
    } catch {
      // It has ended.
    }
  }
}

/**
 * Writes a network file.
 *
 * @param text what follows the chain's name and ports
 * @param nodes this many may get ports
 */
export async function createNetworkPlace(text: string, nodes: number): Promise<NetworkPlace> {
  const home = await mkdtemp(join(tmpdir(), "chain-network-"));
  const first = await portsInRow(USES * nodes);
  const ports = [0, 1, 2].map((use) => first + use * nodes).join(",");
  const file = join(home, "network.yaml");
  await writeFile(file, `chain:\n  name: demo\n  ports: ${ports}\n${text}`);
  const folder = join(home, "demo");
  const run = (command: string, ...args: readonly string[]) =>
    runHosted("network", command, file, ...args);
  return {
    home,
    file,
    folder,
    run,
    apart: (command, ...args) => endOf(runProgram("network", command, file, ...args)),
    async told(command, ...args) {
      const { code, stdout, stderr } = await run(command, ...args, "--json");
      assert.equal(code, 0, `${stderr}\n${stdout}`);
      return JSON.parse(stdout) as ToldNetwork;
    },
    async write() {
      const spec = await readNetwork(file);
      return asProgram(() => writeMissing(spec, () => undefined));
    },
    text: (...path) => readFile(join(home, ...path), "utf8"),
    async close() {
      await endNodes(folder);
      await rm(home, { recursive: true, force: true });
    },
  };
}
