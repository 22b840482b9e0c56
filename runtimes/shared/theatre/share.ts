/** Keeps what did not change: frames of thousands of steps then cost what is new in them. */

/** The earlier value where both are equal, else the newer one with equal parts replaced. */
export function share<Value>(earlier: Value | undefined, newer: Value): Value {
  if (earlier === newer || earlier === undefined) return newer;
  if (typeof newer !== "object" || newer === null) return newer;
  if (typeof earlier !== "object" || earlier === null) return newer;
  return (Array.isArray(newer)
    ? shareList(earlier as readonly unknown[], newer)
    : shareRecord(earlier as Fields, newer as Fields)) as unknown as Value;
}

type Fields = Readonly<Record<string, unknown>>;

function shareList(earlier: readonly unknown[], newer: readonly unknown[]): readonly unknown[] {
  if (!Array.isArray(earlier)) return newer;
  let same = earlier.length === newer.length;
  const shared = newer.map((value, at) => {
    const kept = share(earlier[at], value);
    if (kept !== earlier[at]) same = false;
    return kept;
  });
  return same ? earlier : shared;
}

function shareRecord(earlier: Fields, newer: Fields): Fields {
  const names = Object.keys(newer);
  let same = Object.keys(earlier).length === names.length;
  const shared: Record<string, unknown> = {};
  for (const name of names) {
    const kept = share(earlier[name], newer[name]);
    if (kept !== earlier[name] || !(name in earlier)) same = false;
    shared[name] = kept;
  }
  return same ? earlier : shared;
}
