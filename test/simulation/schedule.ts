/**
 * One schedule: half a minute of faults, then a healed network that must make progress.
 * Source: pbft 15
 */
import { InvariantFault } from "../../core/fault/invariant.ts";
import { Byzantine } from "./byzantine.ts";
import { Violation } from "./checkers.ts";
import { SimNode } from "./node.ts";
import type { Options } from "./options.ts";
import type { Sights } from "./sights.ts";
import { World } from "./world.ts";

/** Blocks that must follow once the faults have stopped. */
const GOAL_BLOCKS = 2;
/** In this much virtual time. */
const CALM_LIMIT_MS = 30 * 60_000;
/** A schedule that takes more steps than this does not end. */
const STEP_LIMIT = 3_000_000;

/** What came of a schedule. */
export interface Outcome {
  /** Undefined when every property held. */
  readonly failure: string | undefined;
  readonly sights: Sights;
  /** Virtual time from the end of the faults to the last block that was asked for. */
  readonly recoveryMs: number;
}

/** Runs one schedule to its end. */
export function runSchedule(options: Options, write?: (line: string) => void): Outcome {
  const world = new World(options, write);
  let failure: string | undefined;
  try {
    begin(world);
    runChaos(world);
    failure = runCalm(world);
  } catch (cause) {
    if (!(cause instanceof Violation) && !(cause instanceof InvariantFault)) throw cause;
    failure = `${cause.name}: ${cause.message}`;
  }
  if (failure) world.log(`FAILED ${failure}`);
  const recoveryMs = world.timeline.now - options.chaosMs;
  return { failure, sights: world.sights, recoveryMs };
}

function begin(world: World): void {
  const { options } = world;
  for (let number = 0; number < options.nodes; number++)
    world.nodes.push(new SimNode(number, world));
  world.network.loses = options.losses?.(world.nodes);
  const faulty = options.byzantine.flatMap((number) => world.nodes[number] ?? []);
  if (faulty.length > 1) world.sights.add("twoByzantine");
  for (const node of faulty) {
    const byzantine = new Byzantine(world, node);
    node.interceptor = byzantine;
    byzantine.begin();
  }
  for (const node of world.nodes)
    world.timeline.after(world.random.between(0, 50), () => node.start());
  world.topologyChanged();
  world.timeline.after(60, () => world.topologyChanged());
  planFaults(world);
}

/** Crashes, pauses and partitions, each at irregular intervals until the calm. */
function planFaults(world: World): void {
  const { options, random } = world;
  repeat(world, options.crashMs, () => {
    random.pick(world.nodes).crash();
  });
  repeat(world, options.pauseMs, () => {
    const until = Math.min(world.timeline.now + random.between(500, 10_000), options.chaosMs);
    random.pick(world.nodes).pause(until);
    world.sights.add("pause");
  });
  repeat(world, options.muteMs, () => {
    const node = random.pick(world.nodes);
    if (node.isAbstaining) return;
    node.mute(true);
    world.timeline.after(random.between(50, 8_000), () => node.mute(false));
    world.sights.add("muted");
  });
  repeat(world, options.partitionMs, () => {
    if (world.network.repartition().split) world.sights.add("partition");
    world.topologyChanged();
  });
}

function repeat(world: World, meanMs: number, act: () => void): void {
  if (meanMs === 0) return;
  world.timeline.after(world.random.between(0, 2 * meanMs), () => {
    if (world.calm) return;
    act();
    repeat(world, meanMs, act);
  });
}

function runChaos(world: World): void {
  while (world.timeline.now < world.options.chaosMs && world.timeline.advance()) checkSteps(world);
}

/** Heals everything but one sealer where one may be missing; the others must write blocks. */
function runCalm(world: World): string | undefined {
  const { options, random } = world;
  world.calm = true;
  world.workload.calm = true;
  world.network.heal();
  for (const node of world.nodes) node.mute(false);
  for (const missing of missingNodes(world)) {
    missing.frozen = true;
    missing.crash();
  }
  for (const node of world.nodes) world.restart(node);
  world.topologyChanged();
  const live = world.nodes.filter(
    (node) => !node.frozen && !options.byzantine.includes(node.number),
  );
  const goal = Math.max(...live.map((node) => node.height)) + GOAL_BLOCKS;
  const limit = options.chaosMs + CALM_LIMIT_MS + random.below(2);
  let blocks = -1;
  while (world.timeline.now < limit) {
    if (!world.timeline.advance()) break;
    checkSteps(world);
    if (world.sights.blocks === blocks) continue;
    blocks = world.sights.blocks;
    if (live.every((node) => node.height >= goal)) return undefined;
  }
  const heights = world.nodes.map((node) => node.height).join();
  return `STALL: heights ${heights}, wanted ${goal}`;
}

/** Nodes that stay away: the Byzantine ones unless they go on, else one where f allows it. */
function missingNodes(world: World): readonly SimNode[] {
  const { options, random, nodes } = world;
  if (options.byzantine.length > 0) {
    return options.byzantineStays ? [] : options.byzantine.flatMap((number) => nodes[number] ?? []);
  }
  return options.sealers >= 4 && random.chance(0.8) ? [random.pick(nodes)] : [];
}

function checkSteps(world: World): void {
  if (world.sights.steps > STEP_LIMIT) throw new Violation("the schedule takes too many steps");
}
