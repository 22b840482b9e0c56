/** Four workers of the benchmark tool over a real broker, and what is left when that is killed. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { RoundResult } from "../../../runtimes/shared/benchmark/round-result.ts";
import { type BenchPlace, FILES, openBenchPlace } from "../../support/benchmark/bench-place.ts";
import { steadyPorts } from "../../support/process/dev-process.ts";
import { initProcessChain } from "../../support/process/node-processes.ts";
import { untilConnected } from "../../support/process/process-checks.ts";
import { ROOT } from "../../support/runner/root.ts";
import { numberOption, type Soak } from "../soak.ts";
import { type Mosquitto, startMosquitto } from "./mosquitto.ts";

const DEFAULTS = { number: 2_000, tps: 200, seconds: 20 };
const WORKERS = 4;
const BENCH = join(ROOT, "dist/node/bench.js");
const OFTEN = [
  "--caliper-progress-reporting-interval=200",
  "--caliper-observer-internal-interval=200",
];
/** This many successes, and the broker is killed. */
const ENOUGH = 400;
const LOOK_MS = 20;

interface Ended {
  readonly code: number | null;
  readonly err: string;
}

interface Program {
  err(): string;
  readonly end: Promise<Ended>;
}

function start(folder: string, ...args: readonly string[]): Program {
  let err = "";
  const stdio = ["ignore", "ignore", "pipe"] as const;
  const child = spawn(process.execPath, [BENCH, ...args], { cwd: folder, stdio: [...stdio] });
  child.stderr?.setEncoding("utf8").on("data", (piece: string) => {
    err += piece;
  });
  const end = new Promise<Ended>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, err }));
  });
  return { err: () => err, end };
}

interface Running {
  readonly manager: Program;
  readonly workers: readonly Program[];
}

function startAll({ folder }: BenchPlace, port: number): Running {
  const how = [
    ...["--caliper-workspace", folder, ...FILES, ...OFTEN, "--caliper-round-pause=0"],
    "--caliper-worker-communication-method=mqtt",
    `--caliper-worker-communication-address=mqtt://127.0.0.1:${port}`,
    ...["--caliper-worker-remote", "true"],
  ];
  const manager = start(folder, "launch", "manager", ...how);
  const workers = Array.from({ length: WORKERS }, () => start(folder, "launch", "worker", ...how));
  return { manager, workers };
}

function partsOf({ counts, workers, chain }: RoundResult): string {
  const parts = workers.map((worker) => worker.counts.succeeded).join(" + ");
  const { succeeded, failed } = counts;
  return `${parts} = ${succeeded} (${failed} failed; the chain ${chain?.transactions})`;
}

function requireSum({ counts, workers, chain, status }: RoundResult, number?: number): void {
  const sum = workers.reduce((total, worker) => total + worker.counts.succeeded, 0);
  assert.equal(status, "finished");
  assert.deepEqual([counts.failed, counts.succeeded], [0, number ?? sum]);
  assert.deepEqual([sum, chain?.transactions], [counts.succeeded, counts.succeeded]);
}

async function sums(place: BenchPlace, port: number, number: number, say: (line: string) => void) {
  const { manager, workers } = startAll(place, port);
  const { code, err } = await manager.end;
  assert.equal(code, 0, err);
  for (const { end } of workers) assert.equal((await end).code, 0);
  const { rounds } = await place.report();
  for (const round of rounds) {
    const { label, rates, latency, generatorCpuMs, counts, remarks } = round;
    say(`${label}: ${partsOf(round)}`);
    const each = ((generatorCpuMs ?? Number.NaN) / counts.submitted).toFixed(2);
    const tps = rates.successTps?.toFixed(1);
    say(`  ${tps} TPS, p95 ${latency.p95Ms?.toFixed(0)} ms, ${each} ms CPU a transaction`);
    for (const remark of remarks) say(`  ${remark}`);
  }
  const [users, names] = rounds;
  assert.ok(users && names);
  requireSum(users, number);
  requireSum(names);
}

async function killed(
  place: BenchPlace,
  port: number,
  broker: Mosquitto,
  say: (line: string) => void,
): Promise<void> {
  await place.edit("benchmark.yaml", (text) => text.replace(/txNumber: \d+/, "txDuration: 300"));
  const { manager, workers } = startAll(place, port);
  let hasEnded = false;
  void manager.end.then(() => {
    hasEnded = true;
  });
  const told = (): number => Number([...manager.err().matchAll(/Succ: (\d+)/g)].at(-1)?.[1] ?? 0);
  while (told() < ENOUGH) {
    assert.ok(!hasEnded, manager.err());
    await sleep(LOOK_MS);
  }
  const at = performance.now();
  broker.kill();
  const { code } = await manager.end;
  const seconds = ((performance.now() - at) / 1_000).toFixed(1);
  const ends = await Promise.all(workers.map(({ end }) => end));
  const [round, ...more] = (await place.report()).rounds;
  assert.ok(round && more.length <= 1);
  say(`the broker was killed at ${told()}: the manager ended with ${code} after ${seconds} s`);
  say(`  ${round.status}: ${partsOf(round)}`);
  for (const remark of round.remarks) say(`  ${remark}`);
  assert.deepEqual([code, round.status], [3, "partial"]);
  assert.ok(round.counts.succeeded >= ENOUGH);
  assert.match(round.remarks.join(), /the MQTT broker .* was lost/);
  for (const end of ends) {
    assert.equal(end.code, 1, end.err);
    assert.match(end.err, /the manager was lost: the MQTT broker/);
  }
}

/** `npm run soak -- mqtt [--number N] [--tps N] [--seconds S]`. */
export const mqttSoak: Soak = {
  about:
    "four benchmark workers over mosquitto, which is killed: " +
    "[--number 2000], [--tps 200], [--seconds 20]",
  async run(args, say) {
    const number = numberOption(args, "number", DEFAULTS.number);
    const tps = numberOption(args, "tps", DEFAULTS.tps);
    const seconds = numberOption(args, "seconds", DEFAULTS.seconds);
    const chain = await initProcessChain({ nodes: 4 });
    const place = await openBenchPlace("g2", chain);
    let broker: Mosquitto | undefined;
    try {
      await Promise.all(chain.nodes.map((node) => node.start()));
      await untilConnected(chain.nodes);
      await place.edit("benchmark.yaml", (text) =>
        text
          .replace("txNumber: 40", `txNumber: ${number}`)
          .replace("tps: 100", `tps: ${tps}`)
          .replace(/txDuration: [\d.]+/, `txDuration: ${seconds}`),
      );
      const port = await steadyPorts(1);
      broker = await startMosquitto(port, place.folder, say);
      say(`${broker.version}, ${WORKERS} workers`);
      await sums(place, port, number, say);
      await killed(place, port, broker, say);
    } finally {
      broker?.kill();
      await chain.close();
      await place.close();
    }
  },
};
