/** Each row of the attacks for a while by itself: what other clients have of the node meanwhile. */
import assert from "node:assert/strict";
import { countTimeouts } from "../support/process/group-clients.ts";
import { request, sleep } from "../support/process/dev-process.ts";
import {
  initProcessChain,
  type NodeProcess,
  type ProcessChain,
} from "../support/process/node-processes.ts";
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

type Prepared = Awaited<ReturnType<typeof started>>;

/** One row. */
async function look(
  { nodes }: ProcessChain,
  { target, pid }: Prepared,
  by: Attack,
  seconds: number,
) {
  const [victim] = nodes;
  assert.ok(victim);
  const timeouts = countTimeouts(nodes);
  const watch = new Watch();
  const startMib = await residentMib(pid);
  const asking = askers(victim);
  const attackers = await startAttackers(target, by);
  const end = performance.now() + seconds * 1_000;
  let unseen = 0;
  while (performance.now() < end) {
    await watch.look(victim, pid).catch(() => void unseen++);
    await sleep(LOOK_EVERY_MS);
  }
  for (const asker of Object.values(asking)) await asker.stop();
  const attackerCpu = await cpuSeconds(attackers.pid);
  attackers.kill("SIGKILL");
  await sleep(REST_MS);
  const mib = [startMib, watch.mostMib, await residentMib(pid)].map(Math.round);
  return {
    row: by.rows,
    ...Object.fromEntries(Object.entries(asking).map(([name, it]) => [name, figuresOf(it)])),
    mib: mib.join(" > "),
    longTurnsMs: watch.longTurnsMs.join(),
    mostTurnMs: Math.round(watch.mostTurnMs),
    views: countTimeouts(nodes) - timeouts,
    attackerCpu,
    unseen,
  };
}

function figuresOf(asker: Asker): string {
  const [p50, p99, most] = [0.5, 0.99, 1 - 1e-9].map((part) => asker.at(part));
  return `${asker.tookMs.length} asked, ${asker.failed} failed; p50 ${p50} p99 ${p99} most ${most}`;
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
    const prepared = await started(chain, victim);
    const urls = others.map(({ url }) => url);
    const load = startLoad(urls, RATE);
    await sleep(WARM_MS);
    for (const rows of by.rows.split(","))
      say(JSON.stringify(await look(chain, prepared, { ...by, rows }, seconds)));
    const { submitted, refused, lost, longestGapMs } = await load.stop();
    say(JSON.stringify({ submitted, refused: refused.length, lost: lost.length, longestGapMs }));
    say(victim.errors());
  } finally {
    await chain.close();
  }
}
