/** The timers of those who wait for a leader: drawn apart, or made to end together. */
import { coresOf } from "../node-view.ts";
import { isSealer as isPbftSealer } from "../../../../core/consensus/pbft/state.ts";
import { viewDeadline } from "../../../../core/consensus/pbft/timer.ts";
import { GROUP_ID } from "./chain-setup.ts";
import type { Machine } from "./machine.ts";

/** A wait that ends at a time of the stage. */
interface Wait {
  readonly machine: Machine;
  readonly endsAt: number;
}

function waitOf(machine: Machine): Wait | undefined {
  if (machine.power !== "on") return undefined;
  const { pbft, raft } = coresOf(machine.actors, GROUP_ID);
  if (pbft && isPbftSealer(pbft)) return { machine, endsAt: machine.timeOf(viewDeadline(pbft)) };
  if (!raft || raft.role === "leader" || raft.role === "suspended") return undefined;
  return { machine, endsAt: machine.timeOf(raft.electionAt) };
}

function waitsOf(machines: readonly Machine[]): Wait[] {
  return machines
    .flatMap((machine) => waitOf(machine) ?? [])
    .sort((left, right) => left.endsAt - right.endsAt);
}

/** All waits end when the first of them does. Clocks only go ahead. False: no caller waits. */
export function alignTimers(machines: readonly Machine[]): boolean {
  const waits = waitsOf(machines);
  const [first] = waits;
  if (!first) return false;
  for (const { machine, endsAt } of waits) machine.jump(endsAt - first.endsAt);
  return true;
}

/** The waits end one after the other, as far apart as the longest of them allows. */
export function spreadTimers(machines: readonly Machine[], now: number): boolean {
  const waits = waitsOf(machines);
  const last = waits.at(-1);
  if (!last) return false;
  const gap = Math.floor(Math.max(0, last.endsAt - now) / waits.length);
  let next = last.endsAt + gap;
  for (const { machine, endsAt } of waits.toReversed()) {
    next = Math.min(endsAt, next - gap);
    machine.jump(Math.max(0, endsAt - next));
  }
  return true;
}
