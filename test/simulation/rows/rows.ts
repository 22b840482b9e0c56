/** The rows of a protocol's table: which there are, which were taken, which are needed. */
import {
  type AnyState,
  type AnyStates,
  type AnyTable,
  compile,
  type Dispatcher,
  type Way,
} from "../../../core/protocol/table.ts";
import { type AddedRow, withRows } from "./added.ts";

/** Names a row that a run of tests is to do without: `sync running tick 1`. */
export const WITHOUT_ROW = "CHAIN_NODE_WITHOUT_ROW";

/** A protocol under test. */
export interface Protocol {
  readonly table: AnyTable;
  readonly dispatcher: Dispatcher;
}

/** A row and where it stands: `running.idle tick 1`, or `running.idle always 1`. */
export interface Place {
  readonly name: string;
  /** The row in each innermost state that it holds for. */
  readonly ways: readonly Way[];
  /** The lists that it stands in. */
  readonly lists: readonly Way[][];
}

function innermost(name: string, { states }: AnyState): readonly string[] {
  return states
    ? Object.entries(states).flatMap(([inner, state]) => innermost(inner, state))
    : [name];
}

/** All rows of a table, from the top. */
export function placesOf({ table, dispatcher }: Protocol): readonly Place[] {
  const visit = (states: AnyStates, above: string): readonly Place[] =>
    Object.entries(states).flatMap(([name, state]) => {
      const path = `${above}${name}`;
      const inside = innermost(name, state).flatMap((leaf) => dispatcher.states.get(leaf) ?? []);
      const own = Object.entries({ ...state.on, always: state.always }).flatMap(
        ([event, rows = []]) =>
          rows.map((row, index) => {
            const lists = inside.flatMap(({ on, always }) =>
              event === "always" ? [always] : [on.get(event) ?? []],
            );
            const ways = lists.flatMap((list) => list.filter((way) => way.row === row));
            return { name: `${path} ${event} ${index + 1}`, ways, lists };
          }),
      );
      return [...own, ...visit(state.states ?? {}, `${path}.`)];
    });
  return visit(table.states, "");
}

/** Counts how often each row is taken from now on; the rows go on doing what they did. */
export function watchRows(protocol: Protocol): ReadonlyMap<string, number> {
  const seen = new Map<string, number>();
  for (const { name, ways } of placesOf(protocol)) {
    seen.set(name, 0);
    const count = () => void seen.set(name, (seen.get(name) ?? 0) + 1);
    for (const way of new Set(ways)) way.run.unshift(count);
  }
  return seen;
}

/** An event came to a state that does not declare it. */
export class UndeclaredFault extends Error {
  override readonly name = "UndeclaredFault";
}

/** From now on an event that no row takes is a fault; an ended protocol takes none. */
export function refuseUndeclared({ dispatcher }: Protocol): void {
  const events = new Set([...dispatcher.states.values()].flatMap(({ on }) => [...on.keys()]));
  for (const [state, { on }] of dispatcher.states) {
    if (on.size === 0) continue;
    for (const event of events) {
      const refuse = () => {
        throw new UndeclaredFault(`${state} does not declare ${event}`);
      };
      const way = { row: {}, guard: undefined, target: undefined, run: [refuse] };
      on.set(event, [...(on.get(event) ?? []), way]);
    }
  }
}

/** Takes a row out; one that is out already stays so. */
export function withoutRow(protocol: Protocol, name: string): void {
  const place = placesOf(protocol).find((candidate) => candidate.name === name);
  if (!place) throw new Error(`there is no row ${name}`);
  for (const list of place.lists) {
    const at = list.findIndex((way) => place.ways.includes(way));
    if (at >= 0) list.splice(at, 1);
  }
}

/** Adds rows to those of a protocol. */
export function withAdded({ table, dispatcher }: Protocol, rows: readonly AddedRow[]): void {
  const { states } = compile(withRows(table, rows));
  for (const [name, { on, always }] of dispatcher.states) {
    const ways = states.get(name);
    if (!ways) continue;
    for (const [event, list] of ways.on) on.set(event, list);
    always.splice(0, always.length, ...ways.always);
  }
}

/** Pairs of an innermost state and an event of which the table says nothing: `idle imported`. */
export function undeclaredOf({ dispatcher }: Protocol): readonly string[] {
  const events = new Set([...dispatcher.states.values()].flatMap(({ on }) => [...on.keys()]));
  return [...dispatcher.states].flatMap(([state, { on }]) =>
    on.size === 0
      ? []
      : [...events].filter((event) => !on.get(event)?.length).map((event) => `${state} ${event}`),
  );
}

/** Remembers a protocol as it is. Gives what makes it so again: others use it too. */
export function remember({ dispatcher }: Protocol): () => void {
  const before = [...dispatcher.states.values()].map(({ on, always }) => ({
    on,
    always,
    lists: new Map([...on, ["always", always] as const].map(([name, list]) => [name, [...list]])),
    runs: new Map([...on.values(), always].flat().map((way) => [way, [...way.run]])),
  }));
  return () => {
    for (const { on, always, lists, runs } of before) {
      for (const [way, run] of runs) way.run.splice(0, way.run.length, ...run);
      for (const [name, list] of lists) if (name !== "always") on.set(name, list);
      for (const name of on.keys()) if (!lists.has(name)) on.delete(name);
      always.splice(0, always.length, ...(lists.get("always") ?? []));
    }
  };
}
