/** `npm run house`: the figures of the house as a table, or with --json as data. */
import { styleText } from "node:util";
import { type Figure, houseFigures } from "./figures.ts";

const USAGE = "Usage: npm run house -- [--json]\n";

/** A figure above its bound stands out where there are colours. */
function row({ name, value, most, where }: Figure, width: number): string {
  const isOver = most !== undefined && value > most;
  const text = String(value).padStart(7);
  const shown = isOver && process.stdout.isTTY ? styleText("red", text) : text;
  const bound = most === undefined ? "" : `of ${most}${isOver ? " OVER" : ""}`;
  return `${name.padEnd(width)} ${shown} ${bound.padEnd(11)} ${where ?? ""}`.trimEnd();
}

function run(args: readonly string[]): number {
  const unknown = args.find((arg) => arg !== "--json");
  if (unknown !== undefined) {
    process.stderr.write(/^--?h(elp)?$/.test(unknown) ? USAGE : `no option ${unknown}\n${USAGE}`);
    return /^--?h(elp)?$/.test(unknown) ? 0 : 2;
  }
  const figures = houseFigures();
  if (args.length > 0) console.log(JSON.stringify(figures));
  else {
    const width = Math.max(...figures.map(({ name }) => name.length));
    for (const figure of figures) console.log(row(figure, width));
  }
  return 0;
}

process.exitCode = run(process.argv.slice(2));
