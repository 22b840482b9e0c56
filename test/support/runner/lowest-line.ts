/** The trend of what goes up and down by itself: memory between two collections of garbage. */

/** A sample of something over time or over work done. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/**
 * The slope of the line through the lowest sample of each window: single samples show how long ago
 * garbage was collected. In units of y for each x.
 */
export function slopeOfLowest(samples: readonly Point[], windowWidth: number): number {
  const lowest = new Map<number, Point>();
  for (const point of samples) {
    const window = Math.floor(point.x / windowWidth);
    const known = lowest.get(window);
    if (known === undefined || point.y < known.y) lowest.set(window, point);
  }
  const points = [...lowest.values()];
  const mean = (of: (point: Point) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [xMean, yMean] = [mean(({ x }) => x), mean(({ y }) => y)];
  const joint = mean(({ x, y }) => (x - xMean) * (y - yMean));
  return joint / mean(({ x }) => (x - xMean) ** 2);
}
