/** Cycles of a directed graph, by the algorithm of Tarjan. */

/** Groups of files that reach each other through imports. */
export function cyclesOf(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const cycles: string[][] = [];
  const enter = (path: string): number => {
    const index = order.size;
    order.set(path, index);
    stack.push(path);
    let low = index;
    for (const next of graph.get(path) ?? []) {
      if (!order.has(next)) low = Math.min(low, enter(next));
      else if (stack.includes(next)) low = Math.min(low, lowest.get(next) ?? order.get(next) ?? 0);
    }
    lowest.set(path, low);
    if (low === index) {
      const group = stack.splice(stack.indexOf(path));
      if (group.length > 1 || (graph.get(path) ?? []).includes(path)) cycles.push(group);
    }
    return low;
  };
  for (const path of graph.keys()) if (!order.has(path)) enter(path);
  return cycles;
}
