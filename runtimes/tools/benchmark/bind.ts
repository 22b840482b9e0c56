/**
 * `bind` and `unbind`: the chain's adapter is built in, so that nothing is installed unless a file
 * asks for packages. Source: benchmark 1
 */
import { spawn } from "node:child_process";
import { BenchmarkFault, faultText } from "../../shared/benchmark/benchmark-fault.ts";
import { BUILD_INFO } from "../../shared/platform/build-info.ts";
import type { CommandWords } from "./command-words.ts";
import { EXIT } from "./exit-codes.ts";
import { inWorkspace } from "./files/network-file.ts";
import { readPlaced } from "./files/placed-file.ts";
import type { RunIo } from "./run-io.ts";
import { Settings } from "./settings.ts";

const BUILT_IN = ["fisco-bcos", "chain-node"];
const LATEST = "latest";
/** Its number, which a thread has too. */
const STDERR = 2;

interface Binding {
  readonly sut: string;
  readonly version: string;
  /** Packages that a file asks for. */
  readonly packages: readonly string[];
  readonly cwd: string;
  readonly npmArgs: readonly string[];
}

async function packagesOf(file: string, sut: string, version: string): Promise<readonly string[]> {
  const { data, refuse } = await readPlaced("bind file", file);
  const all = data.has("sut") ? data.section("sut") : data;
  const path = data.has("sut") ? ["sut"] : [];
  if (!all.has(sut)) refuse(path, `has no entry ${sut}`);
  const versions = all.section(sut);
  if (!versions.has(version))
    refuse([...path, sut], `has no version ${version}: ${versions.keys().join(", ")}`);
  const entry = versions.section(version);
  return entry.has("packages") ? entry.texts("packages") : [];
}

async function bindingOf(settings: Settings, io: RunIo): Promise<Binding> {
  const [sut = "", named = ""] = settings.text("caliper-bind-sut").split(":");
  const version = named || settings.find("caliper-bind-sdk") || LATEST;
  if (version === LATEST) io.stderr(`warning: no version of ${sut} is given: ${LATEST} is taken\n`);
  const { workspace } = settings;
  const file = settings.find("caliper-bind-file");
  if (file === undefined && !BUILT_IN.includes(sut)) {
    const what = `caliper-bind-sut is "${sut}": built in is ${BUILT_IN.join(", ")}`;
    throw new BenchmarkFault("usage", `${what}; --caliper-bind-file may name packages of others`);
  }
  const args = (settings.find("caliper-bind-args") ?? "").split(/\s+/);
  return {
    sut,
    version,
    packages:
      file === undefined ? [] : await packagesOf(inWorkspace(workspace, file), sut, version),
    cwd: inWorkspace(workspace, settings.find("caliper-bind-cwd") ?? "."),
    npmArgs: args.filter((arg) => arg !== ""),
  };
}

async function npm(verb: string, packages: readonly string[], binding: Binding): Promise<void> {
  const words = [verb, ...binding.npmArgs, ...packages];
  const why = await new Promise<string | undefined>((resolve) => {
    const stdio = ["ignore", STDERR, STDERR] as const;
    const child = spawn("npm", words, { cwd: binding.cwd, stdio: [...stdio] });
    child.once("error", (cause) => resolve(faultText(cause)));
    child.once("close", (code) => resolve(code === 0 ? undefined : `it ended with ${code}`));
  });
  if (why === undefined) return;
  throw new BenchmarkFault("engine", `npm ${words.join(" ")} failed in ${binding.cwd}: ${why}`);
}

/** The name of a package without its version; a scope begins with the same sign. */
function withoutVersion(name: string): string {
  const at = name.indexOf("@", 1);
  return at < 0 ? name : name.slice(0, at);
}

/** Binds as settings say: loads the adapter and says what is bound. @throws BenchmarkFault */
export async function bind(settings: Settings, io: RunIo): Promise<void> {
  const binding = await bindingOf(settings, io);
  const { sut, version, packages } = binding;
  if (packages.length > 0) await npm("install", packages, binding);
  if (BUILT_IN.includes(sut)) {
    await import("./adapter/chain-sender.ts");
    const adapter = `the adapter of chain-node ${BUILD_INFO.version}, which is built in`;
    io.stdout(`bound ${sut} (${version}) to ${adapter}; nothing was installed for it\n`);
  } else io.stdout(`bound ${sut} (${version}): installed ${packages.join(", ") || "nothing"}\n`);
}

/** `bind`. @throws BenchmarkFault */
export async function bindCommand(
  { flags }: CommandWords,
  _args: readonly string[],
  io: RunIo,
): Promise<number> {
  await bind(await Settings.read({ flags, env: io.env, cwd: io.cwd }), io);
  return EXIT.done;
}

/** `unbind`. @throws BenchmarkFault */
export async function unbindCommand(
  { flags }: CommandWords,
  _args: readonly string[],
  io: RunIo,
): Promise<number> {
  const settings = await Settings.read({ flags, env: io.env, cwd: io.cwd });
  const binding = await bindingOf(settings, io);
  const packages = binding.packages.map(withoutVersion);
  if (packages.length > 0) await npm("uninstall", packages, binding);
  const what = packages.length > 0 ? `removed ${packages.join(", ")}` : "nothing to remove";
  io.stdout(`unbound ${binding.sut}: ${what}; the built-in adapter stays\n`);
  return EXIT.done;
}
