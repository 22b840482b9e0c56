/** What nodes report of the chain in a round, from their own metrics. Source: benchmark 7 */
import type { BenchClock } from "../../../shared/benchmark/bench-clock.ts";
import type {
  MonitorColumn,
  MonitorResult,
  MonitorRow,
  MonitorSeries,
} from "../../../shared/benchmark/round-result.ts";
import { getText } from "./http-text.ts";
import { type ChartOptions, LookLoop, type Monitor, reasonOf, Warnings } from "./monitor.ts";
import { chartsOf } from "./usage-table.ts";

/** What a chain monitor is made with. */
export interface ChainMonitorOptions {
  /** Metrics pages of nodes; `/metrics` is added where a URL has no path. */
  readonly endpoints: readonly string[];
  readonly intervalMs: number;
  readonly charts: readonly ChartOptions[];
  readonly clock: BenchClock;
}

const COLUMNS: readonly MonitorColumn[] = [
  { key: "blocks", title: "Blocks", unit: "count" },
  { key: "blockInterval", title: "Block interval(avg)", unit: "ms" },
  { key: "blockTransactions", title: "Tx per block(avg)", unit: "count" },
  { key: "poolMax", title: "Pool(max)", unit: "count" },
  { key: "poolAvg", title: "Pool(avg)", unit: "count" },
  { key: "viewChanges", title: "View changes(seen)", unit: "count" },
  { key: "termChanges", title: "Term changes", unit: "count" },
  { key: "p2pIn", title: "P2P in", unit: "bytes" },
  { key: "p2pOut", title: "P2P out", unit: "bytes" },
];

/** The text of one look at one node, by name and group. */
class Scrape {
  readonly #samples: readonly Sample[];

  constructor(text: string) {
    this.#samples = readSamples(text);
  }

  value(name: string, labels: Readonly<Record<string, string>> = {}): number | undefined {
    const wanted = Object.entries(labels);
    const isIt = (sample: Sample) => wanted.every(([key, word]) => sample.labels[key] === word);
    return this.#samples.find((sample) => sample.name === name && isIt(sample))?.value;
  }

  nodeName(): string | undefined {
    return this.#samples.find(({ name }) => name === "chain_node_info")?.labels["node"];
  }

  groups(): string[] {
    const heights = this.#samples.filter(({ name }) => name === "chain_node_block_height");
    return heights.flatMap(({ labels }) => labels["group"] ?? []);
  }
}

interface Watched {
  readonly url: string;
  first: Scrape | undefined;
  last: Scrape | undefined;
  readonly pools: Map<string, [number, number][]>;
  /** Views or terms, by group. */
  readonly views: Map<string, number[]>;
}

const POOL = "chain_node_pending_transactions";

/** The list of a group, which is there from the first question on. */
function kept<Item>(lists: Map<string, Item[]>, group: string): Item[] {
  const list = lists.get(group) ?? [];
  lists.set(group, list);
  return list;
}

function metricsUrl(text: string): string {
  const url = new URL(text);
  return url.pathname === "/" ? new URL("/metrics", url).href : url.href;
}

/** What a counter grew by; one that nobody had counted before began at 0. Null without a figure. */
function growth(from: number | undefined, to: number | undefined): number | null {
  return to === undefined ? null : to - (from ?? 0);
}

/**
 * Steps up of a view or term as it was seen from look to look. A written block sets the view back
 * to 0: a fall counts what has risen since, and what rose and fell between two looks is not seen. A
 * term never falls, so that its steps are exact.
 */
function stepsUp(seen: readonly number[]): number | null {
  if (seen.length === 0) return null;
  const steps = seen.slice(1).map((value, index) => {
    const before = seen[index] ?? 0;
    return value >= before ? value - before : value;
  });
  return steps.reduce((sum, one) => sum + one, 0);
}

/** A monitor of what nodes report of the chain. */
export class ChainMonitor implements Monitor {
  readonly #options: ChainMonitorOptions;
  readonly #warnings = new Warnings();
  readonly #watched: readonly Watched[];
  readonly #loop: LookLoop;
  #startMs = 0;

  constructor(options: ChainMonitorOptions) {
    this.#options = options;
    this.#watched = options.endpoints.map((endpoint) => ({
      url: metricsUrl(endpoint),
      first: undefined,
      last: undefined,
      pools: new Map(),
      views: new Map(),
    }));
    this.#loop = new LookLoop(options.clock, options.intervalMs, () => this.#look());
  }

  async start(): Promise<void> {
    this.#startMs = this.#options.clock.now();
    await this.#loop.start();
  }

  async #look(): Promise<void> {
    await Promise.all(this.#watched.map((one) => this.#lookAt(one)));
  }

  async #lookAt(watched: Watched): Promise<void> {
    try {
      const scrape = new Scrape(await getText(watched.url));
      if (scrape.groups().length === 0) throw new Error("it shows no group of a chain");
      watched.first ??= scrape;
      watched.last = scrape;
      const atMs = Math.round(this.#options.clock.now() - this.#startMs);
      for (const group of scrape.groups()) {
        const size = scrape.value(POOL, { group });
        if (size !== undefined) kept(watched.pools, group).push([atMs, size]);
        const view = scrape.value("chain_node_view", { group });
        if (view !== undefined) kept(watched.views, group).push(view);
      }
    } catch (error) {
      this.#warnings.add(`${watched.url} cannot be read: ${reasonOf(error)}`);
    }
  }

  async stop(): Promise<MonitorResult> {
    await this.#loop.stop();
    if (this.#watched.length === 0)
      this.#warnings.add("no endpoints are given: there is nothing to show");
    const rows = this.#watched.flatMap((one) => this.#rows(one));
    const series = this.#watched.flatMap((one) => this.#series(one));
    const charts = chartsOf(this.#options.charts, COLUMNS, this.#warnings);
    const warnings = this.#warnings.list();
    return { type: "chain", columns: COLUMNS, rows, series, charts, warnings };
  }

  #rowName({ url, last }: Watched, group: string): string {
    return `${last?.nodeName() ?? url} group ${group}`;
  }

  #rows(watched: Watched): MonitorRow[] {
    const { first, last, url } = watched;
    if (first === undefined || last === undefined) return [{ name: url, labels: {}, values: {} }];
    return last.groups().map((group) => {
      const of = (name: string) =>
        growth(first.value(name, { group }), last.value(name, { group }));
      const ratio = (name: string, factor: number) => {
        const [sum, count] = [of(`${name}_sum`), of(`${name}_count`)];
        return sum === null || count === null || count === 0 ? null : (factor * sum) / count;
      };
      const pools = (watched.pools.get(group) ?? []).map(([, size]) => size);
      const views = stepsUp(watched.views.get(group) ?? []);
      // Only PBFT has a view that a node may want; a Raft group shows its term as the view.
      const isPbft = last.value("chain_node_wanted_view", { group }) !== undefined;
      const bytes = (direction: string) => {
        const [from, to] = [first, last].map((one) =>
          one.value("chain_node_p2p_bytes_total", { direction }),
        );
        return growth(from, to);
      };
      const values = {
        blocks: of("chain_node_block_height"),
        blockInterval: ratio("chain_node_block_interval_seconds", 1000),
        blockTransactions: ratio("chain_node_block_transactions", 1),
        poolMax: pools.length === 0 ? null : Math.max(...pools),
        poolAvg:
          pools.length === 0 ? null : pools.reduce((sum, one) => sum + one, 0) / pools.length,
        viewChanges: isPbft ? views : null,
        termChanges: isPbft ? null : views,
        p2pIn: bytes("in"),
        p2pOut: bytes("out"),
      };
      return { name: this.#rowName(watched, group), labels: {}, values };
    });
  }

  #series(watched: Watched): MonitorSeries[] {
    return [...watched.pools].map(([group, points]) => {
      const row = this.#rowName(watched, group);
      return { row, metric: "Pool", unit: "count", points };
    });
  }
}

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
