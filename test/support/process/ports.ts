/** Ports that tests listen on. */
import { createServer } from "node:net";

/**
 * Below the ports that systems give to outgoing connections: what was found free is free until
 * somebody listens there, and a process that ended finds its own free again.
 */
const LOWEST = 11_000;
/** Each worker of a run takes from a lane of its own, so that no two files get the same. */
const LANES = 8;
const LANE_PORTS = 1_100;
/** `dev` puts its ports for SDKs so far above those for JSON-RPC. */
const CHANNEL_DISTANCE = 11_655;

const worker = Number(process.env["VITEST_POOL_ID"] ?? 0);
// Workers are children of the run.
const lane = LOWEST + ((process.ppid + worker) % LANES) * LANE_PORTS;
let next = Math.floor(Math.random() * LANE_PORTS);

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });

/** The first of the next `count` ports of the lane, no matter who uses them. */
function take(count: number): number {
  if (next + count > LANE_PORTS) next = 0;
  const first = lane + next;
  next += count;
  return first;
}

/** The first of this many free ports in a row. */
export async function portsInRow(count: number): Promise<number> {
  for (let taken = 0; taken < LANE_PORTS; taken += count) {
    const first = take(count);
    const ports = Array.from({ length: count }, (_, index) => first + index);
    const all = [...ports, ...ports.map((port) => port + CHANNEL_DISTANCE)];
    if ((await Promise.all(all.map(isFree))).every(Boolean)) return first;
  }
  throw new Error(`no ${count} free ports in a row`);
}
