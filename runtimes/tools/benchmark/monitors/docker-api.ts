/** The two requests of Docker's HTTP interface that a monitor needs, over TCP or a socket file. */
import { request, type RequestOptions } from "node:http";

/** Where a Docker daemon listens. */
export type DockerPlace =
  | { readonly socketPath: string }
  | { readonly host: string; readonly port: number };

/** A container that runs. */
export interface Container {
  readonly id: string;
  /** Without the slash in front. */
  readonly name: string;
}

/** What one look at a container gave; undefined is what the daemon did not tell. */
export interface ContainerUse {
  /** CPU time of the container and of the whole host, nanoseconds. */
  readonly cpuNs: number | undefined;
  readonly hostCpuNs: number | undefined;
  readonly cpus: number | undefined;
  readonly memoryBytes: number | undefined;
  readonly trafficIn: number | undefined;
  readonly trafficOut: number | undefined;
  readonly discRead: number | undefined;
  readonly discWrite: number | undefined;
}

/** A daemon that does not answer in this time is one that cannot be seen. */
const PATIENCE_MS = 10_000;
const MOST_BYTES = 8 * 1_048_576;
const DEFAULT_SOCKET = "/var/run/docker.sock";

/** The local daemon, where Docker's own variable says it is. */
export function localDocker(env: NodeJS.ProcessEnv = process.env): DockerPlace {
  const text = env["DOCKER_HOST"] ?? "";
  if (text.startsWith("unix://")) return { socketPath: text.slice("unix://".length) };
  const [, host, port] = /^(?:tcp|http):\/\/([^/:]+|\[[^\]]+\]):(\d+)/.exec(text) ?? [];
  if (host !== undefined) return { host: host.replace(/^\[|\]$/g, ""), port: Number(port) };
  return { socketPath: DEFAULT_SOCKET };
}

/** A place in words. */
export function placeText(place: DockerPlace): string {
  return "socketPath" in place ? place.socketPath : `${place.host}:${place.port}`;
}

function getJson(place: DockerPlace, path: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const options: RequestOptions = { ...place, path, timeout: PATIENCE_MS };
    const asking = request(options, (answer) => {
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (part: string) => {
        text += part;
        if (text.length > MOST_BYTES) answer.destroy(new Error("the answer is too long"));
      });
      answer.on("error", reject);
      answer.on("end", () => {
        try {
          if (answer.statusCode === 200) resolve(JSON.parse(text));
          else reject(new Error(`HTTP ${answer.statusCode}: ${text.slice(0, 200).trim()}`));
        } catch {
          reject(new Error("the answer is not JSON"));
        }
      });
    });
    asking.on("timeout", () => asking.destroy(new Error(`no answer in ${PATIENCE_MS / 1000} s`)));
    asking.on("error", reject);
    asking.end();
  });
}

function fields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function number(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** Containers that run. @throws Error why the daemon cannot be asked */
export async function listContainers(place: DockerPlace): Promise<readonly Container[]> {
  const answer = await getJson(place, "/containers/json");
  if (!Array.isArray(answer)) throw new Error("the answer is no list of containers");
  return answer.flatMap((entry) => {
    const { Id: id, Names: names } = fields(entry);
    if (typeof id !== "string" || !Array.isArray(names)) return [];
    return names.slice(0, 1).map((name) => ({ id, name: String(name).replace(/^\//, "") }));
  });
}

/** Page cache is no memory that the container needs; cgroups of both versions are known. */
function memoryOf(value: unknown): number | undefined {
  const { usage, stats } = fields(value);
  const bytes = number(usage);
  if (bytes === undefined) return undefined;
  const { inactive_file: second, total_inactive_file: first, cache } = fields(stats);
  return bytes - (number(second) ?? number(first) ?? number(cache) ?? 0);
}

function sumOf(entries: readonly unknown[], key: string): number | undefined {
  const found = entries.flatMap((entry) => number(fields(entry)[key]) ?? []);
  return found.length === 0 ? undefined : found.reduce((sum, one) => sum + one, 0);
}

function discOf(value: unknown, operation: string): number | undefined {
  const { io_service_bytes_recursive: entries } = fields(value);
  if (!Array.isArray(entries)) return undefined;
  const own = entries.filter((entry) => String(fields(entry)["op"]).toLowerCase() === operation);
  return sumOf(own, "value") ?? 0;
}

/** One look at a container. @throws Error why the daemon did not tell */
export async function containerUse(place: DockerPlace, id: string): Promise<ContainerUse> {
  // One shot: the daemon would otherwise take a second to compare two looks, as we do ourselves.
  const path = `/containers/${encodeURIComponent(id)}/stats?stream=false&one-shot=true`;
  const answer = fields(await getJson(place, path));
  const cpu = fields(answer["cpu_stats"]);
  const usage = fields(cpu["cpu_usage"]);
  const perCpu = usage["percpu_usage"];
  const networks = Object.values(fields(answer["networks"]));
  return {
    cpuNs: number(usage["total_usage"]),
    hostCpuNs: number(cpu["system_cpu_usage"]),
    cpus: number(cpu["online_cpus"]) ?? (Array.isArray(perCpu) ? perCpu.length : undefined),
    memoryBytes: memoryOf(answer["memory_stats"]),
    trafficIn: sumOf(networks, "rx_bytes"),
    trafficOut: sumOf(networks, "tx_bytes"),
    discRead: discOf(answer["blkio_stats"], "read"),
    discWrite: discOf(answer["blkio_stats"], "write"),
  };
}
