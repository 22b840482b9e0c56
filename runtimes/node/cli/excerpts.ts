/** Two values as far as people need them to see where they differ. */

/** Letters of a value that are shown, from shortly before the first different one on. */
const SHOWN_LETTERS = 66;
/** Letters shown before it. */
const LETTERS_BEFORE = 8;

/** Both values from shortly before the first letter that differs. */
export function excerpts(left: string, right: string): readonly [string, string] {
  let same = 0;
  while (same < left.length && left[same] === right[same]) same += 1;
  const from = left.length > SHOWN_LETTERS ? Math.max(0, same - LETTERS_BEFORE) : 0;
  const cut = (text: string) => {
    const shown = text.slice(from, from + SHOWN_LETTERS);
    const more = from + SHOWN_LETTERS < text.length ? "..." : "";
    return `${from > 0 ? "..." : ""}${shown}${more}`;
  };
  return [cut(left), cut(right)];
}
