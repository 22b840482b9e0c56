/** One line of progress that is written over; nothing where stderr is no terminal. */

const INTERVAL_MS = 250;

/** A line under way. */
export interface CountLine {
  /** Shows a text, now and then. */
  show(text: () => string): void;
  /** Clears the line. */
  end(): void;
}

/** Begins a line on stderr. */
export function createCountLine(): CountLine {
  const { stderr } = process;
  if (!stderr.isTTY) return { show: () => undefined, end: () => undefined };
  let shownAt = Number.NEGATIVE_INFINITY;
  return {
    show(text) {
      const now = performance.now();
      if (now - shownAt < INTERVAL_MS) return;
      shownAt = now;
      stderr.write(`\r\x1b[K${text()}`);
    },
    end: () => stderr.write("\r\x1b[K"),
  };
}
