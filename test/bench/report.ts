/** Prints results as a table, plain when piped. */

/** Lines of a table with right-aligned columns under their heads. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = heads.map((head, i) =>
    Math.max(head.length, ...rows.map((row) => (row[i] ?? "").length)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
      .join("  ");
  const bold = process.stdout.isTTY ? ["\u001b[1m", "\u001b[0m"] : ["", ""];
  return [`${bold[0]}${line(heads)}${bold[1]}`, ...rows.map(line)].join("\n");
}

/** A number with few digits. */
export function figure(value: number, digits = 0): string {
  return value.toLocaleString("en-US", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}
