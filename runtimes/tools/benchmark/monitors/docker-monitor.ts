/** Memory, CPU, traffic and disk of containers, here and on other hosts. Source: benchmark 7 */
import type { BenchClock } from "../../../shared/benchmark/bench-clock.ts";
import {
  containerUse,
  type ContainerUse,
  type DockerPlace,
  listContainers,
  localDocker,
  placeText,
} from "./docker-api.ts";
import { type ChartOptions, LookLoop, type Monitor, reasonOf, Warnings } from "./monitor.ts";
import { TRAFFIC_COLUMNS, UsageTable } from "./usage-table.ts";

/** What a Docker monitor is made with. */
export interface DockerMonitorOptions {
  /** As in the file: `all`, `/name`, `name`, `http://host:port/name`, `http://host:port/all`. */
  readonly names: readonly string[];
  readonly intervalMs: number;
  /** CPU as a share of the whole host instead of one core. */
  readonly isCpuNormalized: boolean;
  readonly charts: readonly ChartOptions[];
  readonly clock: BenchClock;
  readonly local?: DockerPlace;
}

interface Wanted {
  readonly text: string;
  readonly place: DockerPlace;
  /** Undefined: all of them. */
  readonly name: string | undefined;
}

interface Watched {
  readonly row: string;
  readonly place: DockerPlace;
  readonly id: string;
  first: ContainerUse | undefined;
  last: { atMs: number; use: ContainerUse } | undefined;
  isGone: boolean;
}

const ALL = "all";

/** The place and the container that an entry of the file names; undefined when it names none. */
function readContainer(text: string, local: DockerPlace): Wanted | undefined {
  const [, host = "", port, path] = /^https?:\/\/(\[[^\]]+\]|[^/:]+):(\d+)\/(.+)$/.exec(text) ?? [];
  if (path !== undefined) {
    const place = { host: host.replace(/^\[|\]$/g, ""), port: Number(port) };
    return { text, place, name: path === ALL ? undefined : path };
  }
  if (text.includes("://")) return undefined;
  const name = text.replace(/^\//, "");
  if (name === "") return undefined;
  return { text, place: local, name: name === ALL ? undefined : name };
}

const FURTHER = ["trafficIn", "trafficOut", "discRead", "discWrite"] as const;

/** A monitor of containers. */
export class DockerMonitor implements Monitor {
  readonly #options: DockerMonitorOptions;
  readonly #warnings = new Warnings();
  readonly #table = new UsageTable([]);
  readonly #loop: LookLoop;
  #watched: Watched[] = [];
  #startMs = 0;

  constructor(options: DockerMonitorOptions) {
    this.#options = options;
    this.#loop = new LookLoop(options.clock, options.intervalMs, () => this.#look());
  }

  async start(): Promise<void> {
    this.#startMs = this.#options.clock.now();
    const local = this.#options.local ?? localDocker();
    const wanted = this.#options.names.flatMap((text) => {
      const read = readContainer(text, local);
      if (read === undefined) this.#warnings.add(`"${text}" names no container`);
      return read ?? [];
    });
    this.#watched = (await Promise.all(wanted.map((one) => this.#find(one)))).flat();
    for (const { row } of this.#watched) this.#table.row(row);
    await this.#loop.start();
  }

  async #find({ text, place, name }: Wanted): Promise<Watched[]> {
    const isHere = !("host" in place) || !text.includes("://");
    try {
      const all = await listContainers(place);
      const hits =
        name === undefined ? all : all.filter((one) => one.name === name || one.id === name);
      if (hits.length === 0) {
        const what = name === undefined ? "no container runs" : `no container "${name}" runs`;
        this.#warnings.add(`${what} at ${placeText(place)}`);
        if (name !== undefined) this.#table.row(text);
      }
      return hits.map(({ id, name: found }) => {
        const row = isHere ? found : `${placeText(place)}/${found}`;
        return { row, place, id, first: undefined, last: undefined, isGone: false };
      });
    } catch (error) {
      this.#warnings.add(`Docker at ${placeText(place)} cannot be asked: ${reasonOf(error)}`);
      this.#table.row(text);
      return [];
    }
  }

  async stop() {
    await this.#loop.stop();
    const head = { type: "docker", charts: this.#options.charts };
    const further = new Map(this.#watched.map((one) => [one.row, this.#further(one)]));
    return this.#table.result(head, this.#warnings, TRAFFIC_COLUMNS, further);
  }

  #further({ first, last }: Watched): Record<string, number | null> {
    const cells = FURTHER.map((key) => {
      const [from, to] = [first?.[key], last?.use[key]];
      return [key, from === undefined || to === undefined ? null : Math.max(0, to - from)];
    });
    return Object.fromEntries(cells);
  }

  async #look(): Promise<void> {
    const living = this.#watched.filter(({ isGone }) => !isGone);
    await Promise.all(living.map((one) => this.#lookAt(one)));
  }

  async #lookAt(watched: Watched): Promise<void> {
    try {
      const use = await containerUse(watched.place, watched.id);
      // Of a container that has just stopped the daemon answers with empty figures.
      if (use.cpuNs === undefined || use.memoryBytes === undefined)
        return this.#gone(watched, "it stopped");
      this.#record(watched, use);
    } catch (error) {
      this.#gone(watched, reasonOf(error));
    }
  }

  #gone(watched: Watched, reason: string): void {
    watched.isGone = true;
    this.#warnings.add(`container "${watched.row}" cannot be examined any more: ${reason}`);
  }

  #record(watched: Watched, use: ContainerUse): void {
    const atMs = this.#options.clock.now() - this.#startMs;
    const before = watched.last?.use;
    watched.first ??= use;
    watched.last = { atMs, use };
    if (use.memoryBytes !== undefined)
      this.#table.add(watched.row, "memory", atMs, use.memoryBytes);
    const [own, host] = [
      (use.cpuNs ?? 0) - (before?.cpuNs ?? 0),
      (use.hostCpuNs ?? 0) - (before?.hostCpuNs ?? 0),
    ];
    if (before === undefined || host <= 0) return;
    const cores = this.#options.isCpuNormalized ? 1 : (use.cpus ?? 1);
    this.#table.add(watched.row, "cpu", atMs, (100 * own * cores) / host);
  }
}
