/**
 * One Raft schedule: half a minute of faults or more, then a healed network that must make
 * progress. Source: raft 10
 */
import { InvariantFault } from "../../../core/fault/invariant.ts";
import { Violation } from "../checkers.ts";
import type { Sights } from "../sights.ts";
import { RaftNode } from "./node.ts";
import type { RaftOptions } from "./options.ts";
import { World } from "./world.ts";

/** Blocks that must follow once the faults have stopped. */
const GOAL_BLOCKS = 2;
/** In this much virtual time: a few election timeouts, a restart, a download. */
const CALM_LIMIT_MS = 60_000;
/** Faults end here even if hardly anything was delivered. */
const LONGEST_CHAOS_MS = 3_600_000;
/** A schedule that takes more steps than this does not end. */
const STEP_LIMIT = 1_000_000;

/** What came of a schedule. */
export interface Outcome {
  /** Undefined when every property held. */
  readonly failure: string | undefined;
  readonly sights: Sights;
  readonly delivered: number;
  readonly chaosMs: number;
  /** Virtual time from the end of the faults to the last block that was asked for. */
  readonly recoveryMs: number;
}

/** Runs one schedule to its end. */
export function runRaftSchedule(options: RaftOptions, write?: (line: string) => void): Outcome {
  const world = new World(options, write);
  let failure: string | undefined;
  let chaosMs = 0;
  try {
    begin(world);
    runChaos(world);
    chaosMs = world.timeline.now;
    failure = runCalm(world);
  } catch (cause) {
    if (!(cause instanceof Violation) && !(cause instanceof InvariantFault)) throw cause;
    failure = `${cause.name}: ${cause.message}`;
  }
  if (failure) world.log(`FAILED ${failure}`);
  const { sights, delivered, timeline } = world;
  return { failure, sights, delivered, chaosMs, recoveryMs: timeline.now - chaosMs };
}

function begin(world: World): void {
  const { options, random } = world;
  for (let number = 0; number < options.nodes; number++) {
    world.nodes.push(new RaftNode(number, world));
  }
  for (const node of world.nodes) {
    world.timeline.after(random.between(0, 50), () => node.start());
  }
  if (options.loss > 0) world.sights.add("loss");
  if (options.duplication > 0) world.sights.add("duplication");
  if (options.clocksDiffer) world.sights.add("clockSkew");
  if (options.slowness > 1) world.sights.add("slowNode");
  planFaults(world);
}

/** Crashes, pauses and partitions, each at irregular intervals until the calm. */
function planFaults(world: World): void {
  const { options, random, sights } = world;
  repeat(world, options.crashMs, () => {
    random.pick(world.nodes).crash();
  });
  repeat(world, options.pauseMs, () => {
    random.pick(world.nodes).pause(world.timeline.now + random.between(500, 10_000));
    sights.add("pause");
  });
  repeat(world, options.muteMs, () => {
    const node = random.pick(world.nodes);
    if (node.isAbstaining) return;
    node.mute(true);
    world.timeline.after(random.between(50, 8_000), () => node.mute(false));
    world.sights.add("muted");
  });
  repeat(world, options.partitionMs, () => {
    const { split, oneWay, sides } = world.network.repartition();
    if (split && sides > 1) sights.add(oneWay ? "oneWayPartition" : "partition");
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
  const { options, timeline } = world;
  while (timeline.now < options.chaosMs || world.delivered < options.leastDelivered) {
    if (timeline.now > LONGEST_CHAOS_MS || !timeline.advance()) return;
    checkSteps(world);
  }
}

/** Heals everything but a minority that may be missing; the others must write blocks. */
function runCalm(world: World): string | undefined {
  world.calm = true;
  world.blocks.calm = true;
  world.network.heal();
  for (const missing of missingNodes(world)) {
    missing.frozen = true;
    missing.crash();
    world.sights.add("missing");
  }
  for (const node of world.nodes) {
    node.pause(0);
    node.mute(false);
    world.restart(node);
  }
  const live = world.nodes.filter((node) => !node.frozen);
  const goal = Math.max(...live.map((node) => node.height)) + GOAL_BLOCKS;
  const limit = world.timeline.now + CALM_LIMIT_MS;
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

/** Nodes that stay away: no more than any list in force can do without. */
function missingNodes({ options, random, nodes }: World): readonly RaftNode[] {
  if (options.roleChange > 0) return options.sealers >= 3 ? [random.pick(nodes)] : [];
  const most = Math.floor((options.sealers - 1) / 2);
  const first = random.below(nodes.length);
  return Array.from(
    { length: random.below(most + 1) },
    (_, i) => nodes[(first + i) % nodes.length],
  ).filter((node): node is RaftNode => node !== undefined);
}

function checkSteps(world: World): void {
  if (world.sights.steps > STEP_LIMIT) throw new Violation("the schedule takes too many steps");
}
