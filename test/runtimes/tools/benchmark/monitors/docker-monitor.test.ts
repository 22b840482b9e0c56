/** The Docker monitor before posed daemons. Source: benchmark 7 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { localDocker } from "../../../../../runtimes/tools/benchmark/monitors/docker-api.ts";
import { DockerMonitor } from "../../../../../runtimes/tools/benchmark/monitors/docker-monitor.ts";
import { type PosedAnswer, poseServer } from "../../../../support/benchmark/posed-server.ts";
import { steppedClock } from "../../../../support/benchmark/stepped-clock.ts";

interface Look {
  readonly cpu: number;
  readonly host: number;
  readonly bytes: number;
}

function stats({ cpu, host, bytes }: Look): string {
  return JSON.stringify({
    cpu_stats: { cpu_usage: { total_usage: cpu }, system_cpu_usage: host, online_cpus: 4 },
    memory_stats: { usage: 5_000 + bytes, stats: { inactive_file: 1_000 } },
    networks: {
      eth0: { rx_bytes: bytes, tx_bytes: 2 * bytes },
      eth1: { rx_bytes: 1, tx_bytes: 1 },
    },
    blkio_stats: {
      io_service_bytes_recursive: [
        { op: "read", value: 7 },
        { op: "Write", value: 3 * bytes },
      ],
    },
  });
}

/** A daemon with one container, whose looks come one after the other. */
function daemon(name: string, looks: readonly PosedAnswer[]) {
  let next = 0;
  return ({ url }: { url: string }): PosedAnswer => {
    if (url === "/containers/json") return JSON.stringify([{ Id: "c0ffee", Names: [`/${name}`] }]);
    expect(url).toBe("/containers/c0ffee/stats?stream=false&one-shot=true");
    const look = looks[Math.min(next, looks.length - 1)];
    next += 1;
    return look ?? { status: 404, text: "no such container" };
  };
}

function monitorOf(names: readonly string[], isCpuNormalized = false, socketPath = "/no/where") {
  const clock = steppedClock();
  const local = { socketPath };
  const options = { names, intervalMs: 100, isCpuNormalized, charts: [], clock, local };
  return { clock, monitor: new DockerMonitor(options) };
}

const LOOKS = [
  stats({ cpu: 0, host: 0, bytes: 10 }),
  stats({ cpu: 500, host: 1_000, bytes: 30 }),
  stats({ cpu: 600, host: 2_000, bytes: 50 }),
];

test("a container of another host, named as http://host:port/name", async () => {
  const { port } = await poseServer(daemon("node0", LOOKS));
  const { clock, monitor } = monitorOf([`http://127.0.0.1:${port}/node0`]);
  await monitor.start();
  await clock.advance(100);
  const { rows, columns, warnings } = await monitor.stop();
  expect(columns.map(({ title }) => title)).toEqual([
    "Memory(max)",
    "Memory(avg)",
    "CPU%(max)",
    "CPU%(avg)",
    "Traffic In",
    "Traffic Out",
    "Disc Read",
    "Disc Write",
  ]);
  expect(rows).toEqual([
    {
      name: `127.0.0.1:${port}/node0`,
      labels: {},
      values: {
        memoryMax: 4_050,
        memoryAvg: 4_030,
        // Half of four cores, then a tenth.
        cpuMax: 200,
        cpuAvg: 120,
        trafficIn: 40,
        trafficOut: 80,
        discRead: 0,
        discWrite: 120,
      },
    },
  ]);
  expect(warnings).toEqual([]);
});

test("all containers of the local daemon, CPU as a share of the host", async () => {
  const folder = await mkdtemp(join(tmpdir(), "posed-docker-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const socketPath = join(folder, "docker.sock");
  await poseServer(daemon("node0", LOOKS), socketPath);
  const { clock, monitor } = monitorOf(["all", "/node9"], true, socketPath);
  await monitor.start();
  await clock.advance(100);
  const { rows, warnings } = await monitor.stop();
  expect(rows.map(({ name }) => name)).toEqual(["/node9", "node0"]);
  expect(rows[1]?.values["cpuMax"]).toBe(50);
  expect(warnings).toEqual([`no container "node9" runs at ${socketPath}`]);
});

test("a container that stops in the round keeps what was seen of it", async () => {
  const stopped = JSON.stringify({ cpu_stats: {}, memory_stats: {} });
  const { port } = await poseServer(daemon("node0", [...LOOKS.slice(0, 2), stopped]));
  const { clock, monitor } = monitorOf([`http://127.0.0.1:${port}/all`]);
  await monitor.start();
  await clock.advance(100);
  const { rows, warnings } = await monitor.stop();
  expect(rows[0]?.values["memoryMax"]).toBe(4_030);
  expect(warnings).toEqual([
    `container "127.0.0.1:${port}/node0" cannot be examined any more: it stopped`,
  ]);
});

test("a daemon that refuses or is not there is reported with the reason", async () => {
  const { port } = await poseServer(() => ({ status: 500, text: "boom" }));
  const names = [`http://127.0.0.1:${port}/a`, "b", "ftp://x/y", "/"];
  const { monitor } = monitorOf(names);
  await monitor.start();
  const { rows, warnings } = await monitor.stop();
  expect(rows.map(({ name }) => name).sort()).toEqual(["b", names[0]]);
  expect([...warnings].sort()).toEqual([
    '"/" names no container',
    '"ftp://x/y" names no container',
    expect.stringMatching(/^Docker at \/no\/where cannot be asked: .*ENOENT/),
    `Docker at 127.0.0.1:${port} cannot be asked: HTTP 500: boom`,
  ]);
});

test("the local daemon is where DOCKER_HOST says", () => {
  expect(localDocker({})).toEqual({ socketPath: "/var/run/docker.sock" });
  expect(localDocker({ DOCKER_HOST: "unix:///run/x.sock" })).toEqual({ socketPath: "/run/x.sock" });
  expect(localDocker({ DOCKER_HOST: "tcp://[::1]:2375" })).toEqual({ host: "::1", port: 2375 });
});
