/** Words of a node or a browser as a sentence: with a capital letter and a full stop. */
export function sentence(words: string): string {
  const first = /^[a-z]+[ ,;:]/.test(words) ? words.charAt(0).toUpperCase() : words.charAt(0);
  const end = / .*[^.!?。！？)]$/s.test(words) ? "." : "";
  return first + words.slice(1) + end;
}
