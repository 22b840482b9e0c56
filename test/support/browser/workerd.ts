/** The edge runtime workerd on this machine, through miniflare. */
import { Miniflare } from "miniflare";

/** A worker that is running. */
export interface OpenWorker {
  /** Where it listens, for requests as they come from outside. */
  readonly url: string;
  /** Asks the worker for a path. */
  fetch(path: string, request?: { method?: string; body?: string }): Promise<Response>;
  close(): Promise<void>;
}

/** The class of a binding; `useSQLite` gives its objects storage of that kind. */
export type ObjectClass = string | { readonly className: string; readonly useSQLite: boolean };

/**
 * Runs a module worker; platform modules of Node are not there.
 *
 * @param durableObjects class of each binding
 * @param variables text of each other binding
 * @param folder keeps the storage of the objects; absent: it ends with the worker
 */
export async function openWorker(
  script: string,
  durableObjects: Readonly<Record<string, ObjectClass>> = {},
  variables: Readonly<Record<string, string>> = {},
  folder?: string,
): Promise<OpenWorker> {
  const worker = new Miniflare({
    modules: true,
    script,
    durableObjects: { ...durableObjects },
    durableObjectsPersist: folder ?? false,
    bindings: { ...variables },
    compatibilityDate: "2026-04-01",
    host: "127.0.0.1",
  });
  const { href } = await worker.ready;
  return {
    url: href,
    fetch: async (path, request = {}) => {
      const answer = await worker.dispatchFetch(new URL(path, "http://localhost").href, request);
      return new Response(await answer.text(), { status: answer.status });
    },
    close: () => worker.dispose(),
  };
}

/** Workers that run in parallel, each at an address of its own. */
export interface OpenWorkers {
  /** By name. */
  readonly urls: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/**
 * Runs a module worker once for each set of variables, in one process: one costs a second of CPU.
 *
 * @param sets variables by the name of the worker
 */
export async function openWorkers(
  script: string,
  sets: Readonly<Record<string, Readonly<Record<string, string>>>>,
): Promise<OpenWorkers> {
  const workers = Object.entries(sets).map(([name, bindings]) => ({
    ...{ name, script, modules: true, compatibilityDate: "2026-04-01" },
    bindings: { ...bindings },
    unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
  }));
  const all = new Miniflare({ host: "127.0.0.1", workers });
  await all.ready;
  const urls: Record<string, string> = {};
  for (const { name } of workers) urls[name] = (await all.unsafeGetDirectURL(name)).href;
  return { urls, close: () => all.dispose() };
}
