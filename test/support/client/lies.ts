/** What a Byzantine node could say: any value, and truths of which one member is changed. */
import fc from "fast-check";

/** Converts to no text and no number: where one is written anyway, a TypeError comes. */
const UNWRITABLE = { toString: 1, valueOf: 1 };

/** Values that some check or codec could stumble over. */
const ODD: readonly unknown[] = [
  undefined,
  null,
  "",
  "0x",
  "0x1",
  "0xzz",
  `0x${"f".repeat(65)}`,
  "zz",
  -1,
  1.5,
  2 ** 60,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  5,
  [],
  [null],
  {},
  UNWRITABLE,
  [UNWRITABLE],
  Array.from({ length: 200_000 }, () => "0x00"),
  new Array(3),
  new Array(2 ** 32 - 1),
];

const odd = fc.constantFrom(...ODD);

/** Values of every kind, of JSON and not. */
export const ANYTHING: fc.Arbitrary<unknown> = fc.oneof(
  odd,
  fc.jsonValue(),
  fc.anything({ withBigInt: true, withNullPrototype: true, withSparseArray: true }),
);

type Path = readonly (string | number)[];

/** Where the members of a value stand, the deepest too. */
function pathsOf(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value !== "object" || value === null) return [path];
  const names = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  const members = value as Readonly<Record<string | number, unknown>>;
  return [path, ...names.flatMap((name) => pathsOf(members[name], [...path, name]))];
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((at, name) => (at as Record<string | number, unknown>)[name], value);
}

function changedAt(value: unknown, [name, ...rest]: Path, lie: unknown): unknown {
  if (name === undefined) return lie;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<
    string | number,
    unknown
  >;
  copy[name] = changedAt(copy[name], rest, lie);
  return copy;
}

/** Near what is true: other digits, more, fewer or twice the items. */
function nearTo(value: unknown): fc.Arbitrary<unknown> {
  if (typeof value === "string") {
    const flipped = value.slice(0, -1) + (value.endsWith("1") ? "2" : "1");
    return fc.constantFrom(flipped, `${value}00`, value.slice(0, -2), value.toUpperCase());
  }
  if (typeof value === "number") return fc.constantFrom(value + 1, -value, `0x${value}`);
  if (!Array.isArray(value)) return odd;
  return fc.constantFrom(value.slice(1), [...value, ...value], [...value, null], { ...value });
}

/** The value with one of its members changed, to something near or to anything. */
export function liesIn(value: unknown): fc.Arbitrary<unknown> {
  return fc
    .constantFrom(...pathsOf(value))
    .chain((path) =>
      fc
        .oneof(odd, ANYTHING, nearTo(valueAt(value, path)))
        .map((lie) => changedAt(value, path, lie)),
    );
}
