/** What a schedule saw: a run that never saw a fault proves nothing about it. */

/** Events of one schedule. */
export class Sights {
  readonly seen = new Set<string>();
  steps = 0;
  blocks = 0;
  persists = 0;

  /** Notes that something happened at least once. */
  add(event: string): void {
    this.seen.add(event);
  }
}

/** Sums over schedules. */
export interface Totals {
  schedules: number;
  steps: number;
  blocks: number;
  persists: number;
  seen: Record<string, number>;
}

/** Nothing seen yet. */
export function noTotals(): Totals {
  return { schedules: 0, steps: 0, blocks: 0, persists: 0, seen: {} };
}

/** Adds one schedule. */
export function addSights(totals: Totals, sights: Sights): void {
  totals.schedules++;
  totals.steps += sights.steps;
  totals.blocks += sights.blocks;
  totals.persists += sights.persists;
  for (const event of sights.seen) totals.seen[event] = (totals.seen[event] ?? 0) + 1;
}

/** Adds the sums of another run. */
export function addTotals(totals: Totals, other: Totals): void {
  totals.schedules += other.schedules;
  totals.steps += other.steps;
  totals.blocks += other.blocks;
  totals.persists += other.persists;
  for (const [event, count] of Object.entries(other.seen)) {
    totals.seen[event] = (totals.seen[event] ?? 0) + count;
  }
}
