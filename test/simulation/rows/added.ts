/** Rows that are added to a table, to see what comes of them. */
import { step } from "../../../core/consensus/pbft/step.ts";
import { PBFT_TABLE } from "../../../core/consensus/pbft/table.ts";
import {
  type AnyStates,
  type AnyTable,
  compile,
  dispatch,
  type Row,
} from "../../../core/protocol/table.ts";

/** A row in front of the others of a state and an event, or of those taken by themselves. */
export interface AddedRow {
  /** Path: `member.sealer.idle`. */
  readonly state: string;
  /** Or `always`. */
  readonly event: string;
  readonly row: Row<string, string, string>;
}

/** A table with rows added. @throws Error when a row names what the table does not have */
export function withRows(table: AnyTable, rows: readonly AddedRow[]): AnyTable {
  for (const { row } of rows) checkNames(table, row);
  const states = rows.reduce((all, row) => added(all, row.state.split("."), row), table.states);
  return { ...table, states };
}

/** Without that a guard that does not exist would hold always. */
function checkNames({ functions }: AnyTable, { guard, run = [] }: AddedRow["row"]): void {
  for (const name of guard === undefined ? run : [guard, ...run])
    if (!functions[name]) throw new Error(`there is no function ${name}`);
}

function added(
  states: AnyStates,
  [name = "", ...deeper]: readonly string[],
  one: AddedRow,
): AnyStates {
  const { event, row } = one;
  const state = states[name];
  if (!state) throw new Error(`there is no state ${name}`);
  if (deeper.length > 0) {
    const inner = added(state.states ?? {}, deeper, one);
    return { ...states, [name]: { ...state, states: inner } };
  }
  if (event === "always")
    return { ...states, [name]: { ...state, always: [row, ...(state.always ?? [])] } };
  const on = { ...state.on, [event]: [row, ...(state.on?.[event] ?? [])] };
  return { ...states, [name]: { ...state, on } };
}

/** How a core of PBFT takes inputs by a table with rows added. */
export function stepWith(rows: readonly AddedRow[]): typeof step {
  const dispatcher = compile(withRows(PBFT_TABLE, rows));
  return (state, input) => step(state, input, (event) => dispatch(dispatcher, state, event));
}
