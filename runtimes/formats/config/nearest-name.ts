/** Which known name a misspelt one was meant to be. */

/** Longer words are not compared: nobody meant a known name by them. */
const LONGEST = 64;
/** Letters that may be wrong, missing or too many: one in four, two in short names. */
const LEAST_MISTAKES = 2;

/** Letters to change, add or leave out to make one word of the other. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1];
      const changed = (row[j - 1] ?? 0) + (isSame ? 0 : 1);
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}

/** The name that is closest to a word; undefined when none is close. */
export function nearestName(word: string, names: readonly string[]): string | undefined {
  if (word.length > LONGEST) return undefined;
  const plain = word.toLowerCase();
  let best: { readonly name: string; readonly mistakes: number } | undefined;
  for (const name of names) {
    const mistakes = distance(plain, name.toLowerCase());
    // A word of which hardly a letter is right is another word.
    const most = Math.min(Math.max(LEAST_MISTAKES, Math.floor(name.length / 4)), name.length - 2);
    if (mistakes <= most && mistakes < (best?.mistakes ?? Infinity)) best = { name, mistakes };
  }
  return best?.name;
}
