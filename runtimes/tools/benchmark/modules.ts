/**
 * Loads the user's modules: workloads and rate controllers, CommonJS or ES, by path or package.
 * Source: benchmark 5, 6
 */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { BenchmarkFault, faultText } from "../../shared/benchmark/benchmark-fault.ts";
import { type Workload, workloadOf } from "../../shared/benchmark/workload-module.ts";
import { inWorkspace } from "./files/network-file.ts";
import { standInForCore } from "./module-names.ts";

const FRAME = /\(?((?:file:\/\/)?(?:\/|[A-Za-z]:[\\/])[^\s()]+?):(\d+)(?::(\d+))?\)?$/;

/** Frames that are of the tool or its packages, and not of the user. */
function isOurs(path: string): boolean {
  return /[\\/]node_modules[\\/]|[\\/]dist[\\/]node[\\/]|[\\/]runtimes[\\/]|^node:/.test(path);
}

/**
 * Where something was thrown: `callback/open.js:12`, relative to the workspace; undefined when the
 * stack names no file of the user's.
 */
function thrownAt(cause: unknown, workspace: string): string | undefined {
  const stack = cause instanceof Error ? (cause.stack ?? "") : "";
  const frames = stack.split("\n").flatMap((line) => {
    const [, file = "", row = ""] = FRAME.exec(line.trim()) ?? [];
    if (file === "") return [];
    const path = file.startsWith("file://") ? fileURLToPath(file) : file;
    return [{ path, row }];
  });
  const inside = frames.find(({ path }) => path.startsWith(`${workspace}/`));
  const frame = inside ?? frames.find(({ path }) => !isOurs(path));
  if (frame === undefined) return undefined;
  const { path, row } = frame;
  const name = path.startsWith(`${workspace}/`) ? path.slice(workspace.length + 1) : path;
  return `${name}:${row}`;
}

/** What a module threw, with file and line. */
export function moduleFault(name: string, cause: unknown, workspace: string): BenchmarkFault {
  if (cause instanceof BenchmarkFault && cause.kind !== "module") return cause;
  const at = thrownAt(cause, workspace);
  const where = at === undefined ? name : `${name} (${at})`;
  return new BenchmarkFault("module", `${where}: ${faultText(cause)}`, { cause });
}

/** The file of a module: a path of the workspace, or a package that is installed there. */
function fileOf(name: string, workspace: string): string {
  const path = inWorkspace(workspace, name);
  const found = [path, `${path}.js`, `${path}.mjs`, `${path}.cjs`].find((each) => existsSync(each));
  const require = createRequire(join(workspace, "package.json"));
  try {
    return require.resolve(found ?? name);
  } catch (cause) {
    const what = `there is no module ${name}: neither ${path} nor a package of that name`;
    throw new BenchmarkFault("module", what, { cause });
  }
}

/** Whether there is a module of a name. */
export function hasModuleIn(name: string, workspace: string): boolean {
  try {
    fileOf(name, workspace);
    return true;
  } catch {
    return false;
  }
}

/** What a module exports. @throws BenchmarkFault `module` that names file and line */
export async function loadModule(name: string, workspace: string): Promise<unknown> {
  const file = fileOf(name, workspace);
  standInForCore();
  try {
    return (await import(pathToFileURL(file).href)) as unknown;
  } catch (cause) {
    throw moduleFault(name, cause, workspace);
  }
}

/** A workload by its path or package. @throws BenchmarkFault `module` */
export async function loadWorkload(name: string, workspace: string): Promise<Workload> {
  const exported = await loadModule(name, workspace);
  try {
    return workloadOf(exported, name);
  } catch (cause) {
    throw moduleFault(name, cause, workspace);
  }
}
