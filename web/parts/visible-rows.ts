/** Which rows of a long list are on the screen. */

/** Browsers lay out nothing taller than some 16 million pixels: longer lists scroll faster. */
const MOST_PIXELS = 8_000_000;
/** Rows above and below the screen, so that quick scrolling shows no gaps. */
const SPARE_ROWS = 6;

/** Which rows are on the screen, and where they are drawn. */
export interface View {
  readonly first: number;
  readonly last: number;
  /** Pixels from the top of the list to the first row. */
  readonly offset: number;
}

/** How long the list is on the screen, and how long it would be if it could. */
export function lengths(count: number, rowHeight: number) {
  const whole = count * rowHeight;
  return { whole, drawn: Math.min(whole, MOST_PIXELS) };
}

/** How many pixels of the list one pixel of the scroll bar stands for. */
export function scaleOf(
  { count, rowHeight }: { readonly count: number; readonly rowHeight: number },
  height: number,
): number {
  const { whole, drawn } = lengths(count, rowHeight);
  return Math.max(1, (whole - height) / Math.max(1, drawn - height));
}

/** The rows at a place of the scroll bar. */
export function viewAt(
  { count, rowHeight }: { readonly count: number; readonly rowHeight: number },
  { top, height }: { readonly top: number; readonly height: number },
): View {
  const scale = scaleOf({ count, rowHeight }, height);
  const place = Math.max(0, top) * scale;
  const first = Math.max(0, Math.floor(place / rowHeight) - SPARE_ROWS);
  const last = Math.min(count - 1, Math.ceil((place + height) / rowHeight) + SPARE_ROWS);
  return { first, last, offset: Math.max(0, top - (place - first * rowHeight)) };
}
