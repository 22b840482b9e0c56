/** Each row of the attacks for a while by itself: what other clients have of the node meanwhile. */
import assert from "node:assert/strict";
import { countTimeouts } from "../support/process/group-clients.ts";
import { request, sleep } from "../support/process/dev-process.ts";
import { initProcessChain, type NodeProcess } from "../support/process/node-processes.ts";
import { startLoad } from "../support/process/steady-load.ts";
import {
  Asker,
  type Attack,
  cpuSeconds,
  residentMib,
  startAttackers,
  Watch,
} from "./hostile-watch.ts";
import { started } from "./hostile-watch.ts";

const RATE = 50;
const WARM_MS = 20_000;
const LOOK_EVERY_MS = 500;
/** Between two rows. */
const REST_MS = 8_000;
const IDENTITY = `0x${"0".repeat(39)}4`;
const FROM = `0x${"1".repeat(40)}`;

async function newConnection(url: string): Promise<void> {
  const answer = await fetch(`${url}/healthz`, { headers: { Connection: "close" } });
  await answer.text();
  assert.equal(answer.status, 200);
}

/** Those who ask for little. */
function askers({ url }: NodeProcess): Readonly<Record<string, Asker>> {
  const params = [1, { from: FROM, to: IDENTITY, data: "0x01020304" }];
  return {
    number: new Asker(() => request(url, "getBlockNumber", [1])),
    call: new Asker(() => request(url, "call", params)),
    opening: new Asker(() => newConnection(url)),
  };
}

/** One row. */
async function look(
  row: string,
  seconds: number,
  chain: Parameters<typeof started>[0],
  by: Attack,
  target: Awaited<ReturnType<typeof started>>,
) {
  const [victim] = chain.nodes;
  assert.ok(victim);
  const timeouts = countTimeouts(chain.nodes);
  const watch = new Watch();
  const startMib = await residentMib(target.pid);
  const asking = askers(victim);
  const attackers = await startAttackers(target.target, { ...by, rows: row });
  const end = performance.now() + seconds * 1_000;
  let unseen = 0;
  while (performance.now() < end) {
    await watch.look(victim, target.pid).catch(() => void unseen++);
    await sleep(LOOK_EVERY_MS);
  }
  for (const asker of Object.values(asking)) await asker.stop();
  const attackerCpu = await cpuSeconds(attackers.pid);
  attackers.kill("SIGKILL");
  await sleep(REST_MS);
  const figures = Object.entries(asking).map(([name, it]) => [
    name,
    `${it.tookMs.length}/${it.failed} p50 ${it.at(0.5)} p99 ${it.at(0.99)} most ${it.at(1 - 1e-9)}`,
  ]);
  return {
    row,
    ...(Object.fromEntries(figures) as Record<string, string>),
    mib: `${Math.round(startMib)} > ${Math.round(watch.mostMib)} > ${Math.round(await residentMib(target.pid))}`,
    turns: watch.longTurnsMs.join(),
    mostTurnMs: Math.round(watch.mostTurnMs),
    views: countTimeouts(chain.nodes) - timeouts,
    attackerCpu,
    unseen,
  };
}

/** All rows that are wished for, one after the other. */
export async function runEach(
  seconds: number,
  by: Attack,
  say: (line: string) => void,
): Promise<void> {
  const chain = await initProcessChain({ nodes: 4, metrics: true });
  try {
    const [victim, ...others] = chain.nodes;
    assert.ok(victim);
    const target = await started(chain, victim);
    const urls = others.map(({ url }) => url);
    const load = startLoad(urls, RATE);
    await sleep(WARM_MS);
    for (const row of by.rows.split(","))
      say(JSON.stringify(await look(row, seconds, chain, by, target)));
    const { submitted, refused, lost, longestGapMs } = await load.stop();
    say(JSON.stringify({ submitted, refused: refused.length, lost: lost.length, longestGapMs }));
    say(victim.errors());
  } finally {
    await chain.close();
  }
}
