/** The keys of the theatre. */

/** A key, as it is pressed and as it is shown. */
export interface Key {
  readonly id: string;
  readonly keys: readonly string[];
  readonly shown: string;
}

const TABLE = [
  { id: "play", keys: [" "], shown: "Space" },
  { id: "step", keys: [".", "ArrowRight"], shown: ". →" },
  { id: "back", keys: [",", "ArrowLeft"], shown: ", ←" },
  { id: "block", keys: ["b"], shown: "b" },
  { id: "view", keys: ["v"], shown: "v" },
  { id: "first", keys: ["Home"], shown: "Home" },
  { id: "last", keys: ["End"], shown: "End" },
  { id: "faster", keys: ["+", "="], shown: "+" },
  { id: "slower", keys: ["-"], shown: "-" },
  { id: "send", keys: ["c"], shown: "c" },
  { id: "leader", keys: ["r"], shown: "r" },
  { id: "spread", keys: ["t"], shown: "t" },
  { id: "align", keys: ["a"], shown: "a" },
  { id: "partition", keys: ["p"], shown: "p" },
  { id: "heal", keys: ["h"], shown: "h" },
  { id: "link", keys: ["l"], shown: "l" },
  { id: "screen", keys: ["f"], shown: "f" },
  { id: "node", keys: ["1", "2", "3", "4", "5", "6", "7", "8", "9", "0"], shown: "1 … 0" },
  { id: "menu", keys: ["m"], shown: "m" },
] as const satisfies readonly Key[];

/** What a key does. */
export type KeyId = (typeof TABLE)[number]["id"];

/** All keys, in the order of the help; the shell adds `?`. */
export const KEYS: readonly (Key & { readonly id: KeyId })[] = TABLE;

/** What a key does; undefined: nothing here. */
export function keyOf(pressed: string): KeyId | undefined {
  const wanted = pressed.length === 1 ? pressed.toLowerCase() : pressed;
  return KEYS.find(({ keys }) => keys.includes(wanted))?.id;
}
