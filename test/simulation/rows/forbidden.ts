/** Rows that a protocol forbids, each of which must be found once it is added. */
import type { PbftState } from "../../../core/consensus/pbft/state.ts";
import { beginTurn, type step, takeInput } from "../../../core/consensus/pbft/step.ts";
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

/** A table with rows added. */
export function withRows(table: AnyTable, rows: readonly AddedRow[]): AnyTable {
  const states = rows.reduce((all, row) => added(all, row.state.split("."), row), table.states);
  return { ...table, states };
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
  return (state: PbftState, input) => {
    const turn = beginTurn(input);
    takeInput(state, { turn, input, take: (event) => dispatch(dispatcher, state, turn, event) });
    return { state, effects: turn.effects };
  };
}

const SEALER = "member.sealer";
const CHANGING = `${SEALER}.viewChanging`;

/** Goes on voting in a view that it gave up. Source: pbft 16.3.6 */
export const SPEAKS_ON: readonly AddedRow[] = [
  { state: CHANGING, event: "always", row: { guard: "canLock", run: ["lock"] } },
  { state: CHANGING, event: "always", row: { guard: "canSign", run: ["sign"] } },
  {
    state: CHANGING,
    event: "always",
    row: { guard: "isFinal", target: "committed", run: ["decideLast"] },
  },
];

/** Climbs from view to view alone. Source: pbft 16.3.6 */
export const CLIMBS_ALONE: readonly AddedRow[] = [
  { state: CHANGING, event: "tick", row: { guard: "isTimedOut", run: ["leaveInVain"] } },
];

/** What else PBFT forbids; the two above are looked for where they show soon (`--mutate`). */
export const PBFT_FORBIDDEN: Readonly<Record<string, readonly AddedRow[]>> = {
  "accepts a second proposal": [
    { state: `${SEALER}.prePrepared`, event: "prepare", row: { run: ["accept"] } },
  ],
  "locks without a quorum": [
    {
      state: `${SEALER}.prePrepared`,
      event: "always",
      row: { guard: "canSign", target: "prepared", run: ["sign", "lock"] },
    },
  ],
  "enters a view without proof": [
    { state: SEALER, event: "viewCertificate", row: { target: "idle", run: ["enterProven"] } },
  ],
  "goes back to a view that it gave up": [
    { state: CHANGING, event: "status", row: { target: "idle" } },
  ],
  "takes a block without seals": [
    { state: SEALER, event: "block", row: { target: "catchingUp", run: ["takeBlock"] } },
  ],
  "leaves a view in which a block is final": [
    {
      state: "member.decided",
      event: "tick",
      row: { guard: "isSealer", target: "viewChanging", run: ["leaveInVain"] },
    },
  ],
  "votes as an observer": [
    {
      state: "member.observer",
      event: "prepare",
      row: { guard: "isGoodBlock", target: "prePrepared", run: ["accept"] },
    },
  ],
  "forgets its lock when it begins again": [
    { state: "member.observer", event: "always", row: { guard: "isSealer", target: "idle" } },
  ],
  "writes again what is being written": [
    { state: "member.decided", event: "tick", row: { guard: "isSealer", run: ["write"] } },
  ],
};
