/** What a node's metrics port reports its process, on every system. Source: generator 10.3 */
import type { ProcessLoad } from "./process-load.ts";

const PATIENCE_MS = 10_000;
const MS_PER_SECOND = 1_000;
/** A line of Prometheus text: name, labels, value. */
const LINE = /^(\w+)(?:\{([^}]*)\})? (\S+)$/;

/** The sum of a figure over all lines whose labels have a text; undefined when there is none. */
function figureIn(text: string, figure: string, label = ""): number | undefined {
  let sum: number | undefined;
  for (const line of text.split("\n")) {
    const [, name, labels = "", value] = LINE.exec(line) ?? [];
    if (name === figure && labels.includes(label)) sum = (sum ?? 0) + Number(value);
  }
  return sum;
}

/** Memory, processor time and age by the text of `/metrics`; undefined when it lacks one. */
export function loadByMetrics(text: string, now: number): ProcessLoad | undefined {
  const residentBytes = figureIn(text, "chain_node_memory_bytes", 'kind="rss"');
  const processorSeconds = figureIn(text, "chain_node_cpu_seconds_total");
  const began = figureIn(text, "chain_node_start_time_seconds");
  if (residentBytes === undefined || processorSeconds === undefined || began === undefined) return;
  return { residentBytes, processorSeconds, ageSeconds: now / MS_PER_SECOND - began };
}

/**
 * The text of a metrics port.
 * @param url of the port
 * @throws Error when it does not answer, or not with its figures
 */
export async function readMetrics(url: string): Promise<string> {
  const answer = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(PATIENCE_MS) });
  if (!answer.ok) throw new Error(`${url}/metrics answered with ${answer.status}`);
  return await answer.text();
}
