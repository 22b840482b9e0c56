/** Ports of a chain that is to be written: which are taken on this host, and free ones instead. */
import { readdir, readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import {
  type ChainPlan,
  DEFAULT_JSON_RPC_IP,
  type NodePorts,
} from "../../../folder/chain-layout.ts";
import { readNodeConfig } from "../../../formats/config/node-config.ts";
import { portsOf, tryPort } from "../../observe/keyed-ports.ts";
import { findNodeFolders } from "../../observe/node-folders.ts";

/** This many folders next to the new one are examined. */
const MOST_NEIGHBOURS = 64;
/** Other ports are looked for in steps of this size, this many times. */
const PORT_STEP = 100;
const MOST_STEPS = 40;
const HIGHEST_PORT = 65_535;

/** Ports by the folder that has them in its config.ini. */
type TakenPorts = ReadonlyMap<number, string>;

function numbersOf(ports: NodePorts): number[] {
  const { rpc, channel, p2p, ws } = ports;
  return [rpc, channel, p2p, ...(ws === undefined ? [] : [ws])];
}

async function portsIn(config: string): Promise<readonly number[]> {
  const { value } = readNodeConfig(await readFile(config, "utf8"), config);
  return [value.rpc.channel.port, ...portsOf(value).map(({ port }) => port)];
}

/** Ports of nodes in folders next to a folder; what cannot be read there is passed over. */
async function takenBeside(folder: string): Promise<TakenPorts> {
  const parent = dirname(folder);
  const names = await readdir(parent).catch(() => []);
  const beside = names.filter((name) => name !== basename(folder)).slice(0, MOST_NEIGHBOURS);
  const taken = new Map<number, string>();
  for (const name of beside) {
    const nodes = await findNodeFolders(join(parent, name)).catch(() => []);
    for (const { config } of nodes) {
      const ports = await portsIn(config).catch(() => []);
      for (const port of ports) if (!taken.has(port)) taken.set(port, dirname(config));
    }
  }
  return taken;
}

/** Those of the ports that somebody listens on now. */
async function busyPorts(plan: ChainPlan, all: readonly NodePorts[]): Promise<readonly number[]> {
  const ports = all.flatMap(({ rpc, ...others }) => [
    { host: DEFAULT_JSON_RPC_IP, port: rpc },
    ...Object.values(others).map((port) => ({ host: plan.listenIp, port })),
  ]);
  const faults = await Promise.all(ports.map(tryPort));
  return ports.flatMap(({ port }, index) => (faults[index]?.problem === "inUse" ? [port] : []));
}

function shifted(ports: NodePorts, by: number): NodePorts {
  const { rpc, channel, p2p, ws } = ports;
  const moved = { rpc: rpc + by, channel: channel + by, p2p: p2p + by };
  return ws === undefined ? moved : { ...moved, ws: ws + by };
}

/** Base ports that nobody has; undefined when none are found nearby. */
async function freeBasePorts(plan: ChainPlan, taken: TakenPorts): Promise<string | undefined> {
  const all = plan.nodes.map(({ ports }) => ports);
  for (let step = 1; step <= MOST_STEPS; step++) {
    const moved = all.map((ports) => shifted(ports, step * PORT_STEP));
    const numbers = moved.flatMap(numbersOf);
    if (numbers.some((port) => port > HIGHEST_PORT)) return undefined;
    // Ports of the same chain, too, must not meet: a shift keeps them apart as they are.
    if (numbers.some((port) => taken.has(port))) continue;
    if ((await busyPorts(plan, moved)).length > 0) continue;
    return moved[0] && numbersOf(moved[0]).join(",");
  }
  return undefined;
}

function sentenceOfTaken(clashes: readonly number[], taken: TakenPorts): string {
  const folders = [...new Set(clashes.map((port) => taken.get(port) ?? ""))];
  const shown = folders.slice(0, 3).join(", ");
  const more = folders.length > 3 ? ` and ${folders.length - 3} more` : "";
  return `ports that nodes next to this folder have: ${clashes.join(", ")} (${shown}${more})`;
}

/**
 * Sentences about ports of a new chain that others of this host have, with the way to other ports;
 * empty when there are none. Where nodes are to run on other hosts they mean nothing.
 * @param folder of the chain, absolute
 */
export async function portWarnings(folder: string, plan: ChainPlan): Promise<readonly string[]> {
  const ports = plan.nodes.map((node) => node.ports);
  const [busy, taken] = await Promise.all([busyPorts(plan, ports), takenBeside(folder)]);
  const clashes = ports.flatMap(numbersOf).filter((port) => taken.has(port));
  if (busy.length === 0 && clashes.length === 0) return [];
  const free = await freeBasePorts(plan, taken);
  const choice = free === undefined ? "--base-ports" : `--base-ports ${free}`;
  return [
    ...(busy.length > 0 ? [`ports in use on this host now: ${busy.join(", ")}`] : []),
    ...(clashes.length > 0 ? [sentenceOfTaken(clashes, taken)] : []),
    `nodes with the same port cannot run at the same time: remove ${folder}, and write it ` +
      `again with ${choice}`,
  ];
}
