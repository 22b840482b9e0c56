/** A protocol as a table: state x event -> guard, target, functions; charts are made of it. */

/** One way to take an event. Of several the first whose guard holds is taken. */
export interface Row<State extends string, Guard extends string, Action extends string> {
  /** Absent: always. */
  readonly guard?: Guard;
  /** Absent: the state stays. */
  readonly target?: State;
  /** In order, when the target is the state already. Absent: the event is ignored on purpose. */
  readonly run?: readonly Action[];
}

/** What a function of a table is given. An event without an input has `undefined`. */
type Callable = (...given: never[]) => unknown;

/** Names of those functions that can be called with an input, and give a result of that kind. */
type NamesFor<Functions, Input, Kind> = {
  [Name in keyof Functions & string]: Functions[Name] extends (
    core: never,
    input: infer Wanted,
  ) => infer Result
    ? [Input, Result] extends [Wanted, Kind]
      ? Name
      : never
    : never;
}[keyof Functions & string];

/** A row for an input: guards say yes or no, the others give nothing. */
type RowFor<State extends string, Functions, Input> = Row<
  State,
  NamesFor<Functions, Input, boolean>,
  NamesFor<Functions, Input, void>
>;

/** Rows of a state, and the states inside it; an inner row goes before an outer one. */
export interface StateRows<State extends string, Events, Functions> {
  readonly on?: {
    readonly [Event in keyof Events]?: readonly RowFor<State, Functions, Events[Event]>[];
  };
  /** Taken after every event, again and again, until the guard of none holds. */
  readonly always?: readonly RowFor<State, Functions, undefined>[];
  /** The first one is the initial one. */
  readonly states?: { readonly [Name in string]: StateRows<State, Events, Functions> };
}

/** A whole protocol. */
export interface Table<State extends string, Events, Functions> {
  /** Name of the chart. */
  readonly id: string;
  /** Where the core holds its state. */
  readonly field: string;
  /** Those that rows name, and others. */
  readonly functions: Functions;
  /** The first one is the initial one; one without rows is final. */
  readonly states: { readonly [Name in string]: StateRows<State, Events, Functions> };
}

/** A table without its types, as compilers and charts read it. */
export interface AnyTable {
  readonly id: string;
  readonly field: string;
  readonly functions: Readonly<Record<string, Callable>>;
  readonly states: AnyStates;
}

/** States of {@link AnyTable} by name. */
export type AnyStates = Readonly<Record<string, AnyState>>;

/** A state of {@link AnyTable}. */
export interface AnyState {
  readonly on?: Readonly<Record<string, readonly Row<string, string, string>[] | undefined>>;
  readonly always?: readonly Row<string, string, string>[];
  readonly states?: AnyStates;
}

/** A row with its functions at hand. */
export interface Way {
  readonly row: Row<string, string, string>;
  readonly guard: ((core: object, input: unknown) => unknown) | undefined;
  readonly target: string | undefined;
  readonly run: ((core: object, input: unknown) => unknown)[];
}

/** The ways out of an innermost state, its own before those of the states around it. */
export interface Ways {
  readonly on: Map<string, Way[]>;
  readonly always: Way[];
}

/** An event and what is known of it. */
export interface ProtocolEvent {
  readonly type: string;
  readonly input: unknown;
  /** Another one of the same turn comes before anything is done by itself. */
  readonly isFollowed?: boolean;
}

/** A table made ready to run. */
export interface Dispatcher {
  readonly field: string;
  /** By the name of the innermost state. */
  readonly states: ReadonlyMap<string, Ways>;
}

/** Looks up all functions once, so that a step only calls them. */
export function compile(table: AnyTable): Dispatcher {
  const states = new Map<string, Ways>();
  const wayOf = (row: Row<string, string, string>): Way => ({
    row,
    guard: row.guard === undefined ? undefined : (table.functions[row.guard] as Way["guard"]),
    target: row.target,
    run: (row.run ?? []).map((name) => table.functions[name] as Way["run"][number]),
  });
  const visit = (inner: AnyStates, around: Ways): void => {
    for (const [name, { on = {}, always = [], states: deeper }] of Object.entries(inner)) {
      const ways: Ways = { on: new Map(), always: [...always.map(wayOf), ...around.always] };
      for (const event of new Set([...Object.keys(on), ...around.on.keys()]))
        ways.on.set(event, [...(on[event] ?? []).map(wayOf), ...(around.on.get(event) ?? [])]);
      if (deeper) visit(deeper, ways);
      else states.set(name, ways);
    }
  };
  visit(table.states, { on: new Map(), always: [] });
  return { field: table.field, states };
}

/**
 * Gives an event to a core, changed in place; the active state chooses what runs. What it does not
 * declare has no effect.
 */
export function dispatch(
  { field, states }: Dispatcher,
  core: object,
  { type, input, isFollowed }: ProtocolEvent,
): void {
  const place = core as Record<string, string>;
  const active = () => states.get(place[field] ?? "");
  const takeFirst = (ways: readonly Way[] | undefined): boolean => {
    for (const { guard, target, run } of ways ?? []) {
      if (guard && guard(core, input) !== true) continue;
      if (target !== undefined) place[field] = target;
      for (const call of run) call(core, input);
      return true;
    }
    return false;
  };
  takeFirst(active()?.on.get(type));
  while (!isFollowed && takeFirst(active()?.always));
}
