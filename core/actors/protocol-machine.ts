/** Makes the statechart of a protocol from its table: the same rows, guards and functions. */
import { assign, setup } from "xstate";
import type { Take } from "../protocol/step.ts";
import type { AnyStates, AnyTable, ProtocolEvent, Row } from "../protocol/table.ts";

/** Rows that are taken by themselves wait for the last of events that belong together. */
const BY_ITSELF = { waits: true };

type Call = (core: object, input: unknown) => unknown;

/** The machine examines its rows once before the first event. */
const BEFORE_ALL = "xstate.init";

function mapped<From, To>(from: Readonly<Record<string, From>>, map: (value: From) => To) {
  return Object.fromEntries(Object.entries(from).map(([name, value]) => [name, map(value)]));
}

/** How a target is written: a state anywhere in the chart. */
function pathsOf(states: AnyStates, above: string): readonly (readonly [string, string])[] {
  return Object.entries(states).flatMap(([name, { states: inner }]) => [
    [name, `${above}.${name}`] as const,
    ...(inner ? pathsOf(inner, `${above}.${name}`) : []),
  ]);
}

/** States as xstate writes them. */
function configOf(table: AnyTable) {
  const paths = new Map(pathsOf(table.states, `#${table.id}`));
  const rowOf = ({ guard, target, run = [] }: Row<string, string, string>) => ({
    ...(guard === undefined ? {} : { guard }),
    ...(target === undefined ? {} : { target: paths.get(target) }),
    actions: [...(target === undefined ? [] : [{ type: "enter", params: { target } }]), ...run],
  });
  const innerOf = (states: AnyStates): object => ({
    initial: Object.keys(states)[0],
    states: mapped(states, (state) => {
      const { on = {}, always = [], states: inner } = state;
      return {
        ...(Object.keys(state).length === 0 ? { type: "final" } : {}),
        on: mapped(on, (rows = []) => rows.map(rowOf)),
        always: always.map((row) => {
          const { guard: type, ...rest } = rowOf(row);
          return { ...rest, guard: { type, params: BY_ITSELF } };
        }),
        ...(inner ? innerOf(inner) : {}),
      };
    }),
  });
  return { id: table.id, ...innerOf(table.states) };
}

/** The machine of a table; its context holds the core, which is changed in place. */
export function machineOf<Held extends Readonly<Record<string, object>>>(
  table: AnyTable,
  key: keyof Held & string,
) {
  const functions = table.functions as Readonly<Record<string, Call>>;
  const machine = setup({
    types: {} as { input: Held; context: Held; events: ProtocolEvent },
    guards: mapped(functions, (guard) => {
      return (
        { context, event }: { context: Held; event: ProtocolEvent },
        params?: { readonly waits: boolean },
      ) => {
        if (event.type === BEFORE_ALL || (params?.waits && event.isFollowed)) return false;
        return guard(context[key] as object, event.input) === true;
      };
    }),
    actions: {
      ...mapped(functions, (action) =>
        assign(({ context, event }: { context: Held; event: ProtocolEvent }) => {
          action(context[key] as object, event.input);
          return {};
        }),
      ),
      enter: assign(({ context }: { context: Held }, { target }: { readonly target: string }) => {
        (context[key] as Record<string, string>)[table.field] = target;
        return {};
      }),
    },
  });
  const context = ({ input }: { readonly input: Held }) => input;
  return machine.createMachine({ ...configOf(table), context } as never);
}

/** Takes a step by an actor; gives its effects. Undefined: it ended before, or failed meanwhile. */
export function takeStep<Effects>(
  actor: { send(event: ProtocolEvent): void; getSnapshot(): { readonly status: string } },
  step: (take: Take) => Effects,
): Effects | undefined {
  const isActive = () => actor.getSnapshot().status === "active";
  if (!isActive()) return undefined;
  const effects = step((event) => {
    if (isActive()) actor.send(event);
  });
  return actor.getSnapshot().status === "error" ? undefined : effects;
}
