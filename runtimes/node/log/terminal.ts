/** How texts look on a terminal: colours, and columns. */

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;

/** Colours for a terminal; identity functions when the output is piped. */
export function colours(isTerminal: boolean) {
  const paint = (code: number) => (text: string) =>
    isTerminal ? `\u001b[${code}m${text}\u001b[0m` : text;
  return {
    bold: paint(CODES.bold),
    dim: paint(CODES.dim),
    red: paint(CODES.red),
    green: paint(CODES.green),
    yellow: paint(CODES.yellow),
    cyan: paint(CODES.cyan),
  };
}

/** Whether stdout shows colours: a terminal that was not asked to stay plain. */
export function isColourful(): boolean {
  const { NO_COLOR = "", TERM = "" } = process.env;
  return process.stdout.isTTY === true && NO_COLOR === "" && TERM !== "dumb";
}

/** Rows of cells as lines: columns as wide as their widest cell, each cell painted if need be. */
export function columns(
  rows: readonly (readonly string[])[],
  paint: (cell: string, column: number, row: number) => string = (cell) => cell,
): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows.map((cells, row) =>
    cells
      .map((cell, i) => paint(cell, i, row) + " ".repeat((widths[i] ?? 0) - cell.length))
      .join("  ")
      .trimEnd(),
  );
}
