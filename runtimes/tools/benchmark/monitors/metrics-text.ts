/** Figures in the text format in which nodes show them. */

/** One line. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})?\s+(\S+)/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, (_, letter: string) => (letter === "n" ? "\n" : letter));
}

function figureOf(text: string): number {
  if (text === "+Inf") return Number.POSITIVE_INFINITY;
  return text === "-Inf" ? Number.NEGATIVE_INFINITY : Number(text);
}

/** All samples; comments and lines of other forms are left out. */
export function readSamples(text: string): Sample[] {
  return text.split("\n").flatMap((line) => {
    const [, name, labels = "", value = ""] = LINE.exec(line) ?? [];
    if (name === undefined) return [];
    const pairs = [...labels.matchAll(LABEL)].map(([, key = "", word = ""]) => [
      key,
      unescaped(word),
    ]);
    return [{ name, labels: Object.fromEntries(pairs), value: figureOf(value) }];
  });
}
