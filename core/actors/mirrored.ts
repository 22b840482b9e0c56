/** States of a chart that show what a core has decided: each leaves for whichever one it is in. */

/** One state for each name; the guard tells, by its `name`, which one holds: one at a time. */
export function mirrored<Name extends string, Guard extends string>(
  names: readonly Name[],
  guard: Guard,
) {
  const stateOf = (from: Name) => ({
    always: names
      .filter((name) => name !== from)
      .map((name) => ({ guard: { type: guard, params: { name } }, target: name })),
  });
  const states = names.map((name) => [name, stateOf(name)]);
  return Object.fromEntries(states) as Record<Name, ReturnType<typeof stateOf>>;
}
