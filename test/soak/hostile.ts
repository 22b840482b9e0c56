/**
 * Hostile clients, all at once, against one node of four that has work to do: whoever asks it for
 * little is answered, and the chain goes on.
 */
import assert from "node:assert/strict";
import { setPriority } from "node:os";
import { NODE_ENVIRONMENT } from "../../runtimes/folder/node-scripts.ts";
import { request, sleep } from "../support/process/dev-process.ts";
import { countTimeouts } from "../support/process/group-clients.ts";
import { initProcessChain } from "../support/process/node-processes.ts";
import { startLoad } from "../support/process/steady-load.ts";
import { FALLEN_ROWS, ROWS, type Target } from "./hostile-attackers.ts";
import { runEach } from "./hostile-each.ts";
import {
  Asker,
  type Attack,
  cpuSeconds,
  memoryOf,
  residentMib,
  startAttackers,
  started,
  Watch,
} from "./hostile-watch.ts";
import { numberOption, profilingTo, type Soak, textOption } from "./soak.ts";

const MINUTES = 10;
const RATE = 100;
const MINUTE_MS = 60_000;
/** By load alone a node grows by 50 MiB in its first minutes: caches fill, code is compiled. */
const WARM_MS = 180_000;
const LOOK_EVERY_MS = 1_000;
/** Bounds of the acceptance. */
const MOST_TURN_MS = 100;
const MOST_P99_MS = 250;
const MOST_RSS_MIB = 600;
const MOST_GROWTH_MIB = 100;
/** Lowest priority. */
const NICE = 19;

/** The attackers' own process. */
async function attack(target: Target, { rows, nice }: Attack): Promise<void> {
  setPriority(nice);
  process.stdout.write("they attack\n");
  await Promise.all(rows.split(",").flatMap((name) => ROWS[name]?.(target) ?? []));
}

async function attacked(
  [minutes, profile]: readonly [number, string | undefined],
  by: Attack,
  say: (line: string) => void,
): Promise<void> {
  const run = { nodeArgs: profilingTo(profile) };
  const chain = await initProcessChain({ nodes: 4, metrics: true, run });
  try {
    const [victim, ...others] = chain.nodes;
    assert.ok(victim);
    const { target, pid } = await started(chain, victim);
    const urls = others.map(({ url }) => url);
    const load = startLoad(urls, RATE);
    // Code is compiled and heaps have grown to what the load alone takes.
    await sleep(WARM_MS);
    const atStart = await memoryOf(victim);
    const startMib = await residentMib(pid);
    const timeouts = countTimeouts(chain.nodes);
    const asker = new Asker(() => request(victim.url, "getBlockNumber", [1]));
    const watch = new Watch();
    const attackers = await startAttackers(target, by);
    const end = performance.now() + minutes * MINUTE_MS;
    while (performance.now() < end) {
      await watch.look(victim, pid).catch((cause: unknown) => say(`not seen: ${String(cause)}`));
      assert.equal(attackers.exitCode, null, "the attackers ended before their time");
      await sleep(LOOK_EVERY_MS);
    }
    const atEnd = await memoryOf(victim);
    await asker.stop();
    const attackerCpuSeconds = await cpuSeconds(attackers.pid);
    attackers.kill("SIGKILL");
    await sleep(MINUTE_MS);
    const endMib = await residentMib(pid);
    const report = await load.stop();
    const views = countTimeouts(chain.nodes) - timeouts;
    const figures = {
      ...by,
      attackerCpuSeconds,
      ...asker.figures,
      startMib: Math.round(startMib),
      endMib: Math.round(endMib),
      atStart,
      atEnd,
      kindsAtEnd: await memoryOf(victim),
      ...watch.figures,
      views,
      submitted: report.submitted,
      refused: report.refused.length,
      lost: report.lost.length,
      longestGapMs: Math.round(report.longestGapMs),
    };
    say(JSON.stringify(figures, undefined, 1));
    say(victim.errors());
    judge({ ...figures, growthMib: endMib - startMib });
  } finally {
    // In order, so that profiles are written.
    if (profile) await Promise.all(chain.nodes.map((node) => node.end("SIGTERM")));
    await chain.close();
  }
}

/** What the acceptance bounds. */
interface Judged {
  readonly mostTurnMs: number;
  readonly p99Ms: number;
  readonly mostMib: number;
  readonly growthMib: number;
  readonly views: number;
}

function judge({ mostTurnMs, p99Ms, mostMib, growthMib, views }: Judged): void {
  assert.ok(mostTurnMs <= MOST_TURN_MS, `a turn took ${mostTurnMs} ms`);
  assert.ok(p99Ms <= MOST_P99_MS, `p99 of another client: ${p99Ms} ms`);
  assert.ok(mostMib <= MOST_RSS_MIB, `${mostMib} MiB resident`);
  assert.ok(growthMib <= MOST_GROWTH_MIB, `${growthMib} MiB more a minute later`);
  assert.equal(views, 0, "views were lost");
}

/** Names of rows; `all` for each there is. */
function rowsOf(args: readonly string[]): string {
  const rows = textOption(args, "rows") ?? Object.keys(FALLEN_ROWS).join();
  if (rows === "all") return Object.keys(ROWS).join();
  const strange = rows.split(",").filter((name) => !Object.hasOwn(ROWS, name));
  if (strange.length === 0) return rows;
  throw new Error(`no rows: ${strange.join()}; there are ${Object.keys(ROWS).join()}, or all`);
}

/**
 * `npm run soak -- hostile [--minutes N] [--rows NAME,NAME|all] [--nice N] [--each SECONDS]
 * [--profile FOLDER]`.
 */
export const hostileSoak: Soak = {
  about:
    `hostile clients, all at once: [--minutes ${MINUTES}] [--rows NAME,NAME|all] [--nice ${NICE}]` +
    " [--each SECONDS] [--profile FOLDER] [--attack TARGET]",
  async run(args, say) {
    const rows = rowsOf(args);
    const target = textOption(args, "attack");
    const by = { rows, nice: numberOption(args, "nice", NICE) };
    if (target !== undefined) return attack(JSON.parse(target) as Target, by);
    // As the scripts of a node's folder start it.
    Object.assign(process.env, NODE_ENVIRONMENT);
    const seconds = numberOption(args, "each", 0);
    if (seconds > 0) return runEach(seconds, by, say);
    const minutes = numberOption(args, "minutes", MINUTES);
    await attacked([minutes, textOption(args, "profile")], by, say);
  },
};
