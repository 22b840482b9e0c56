/**
 * Fetches a version of the package through the user's own npm client, which checks its integrity.
 * Source: generator 11
 */
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { FolderFault, reasonOf } from "../../../folder/folder-fault.ts";
import { PROGRAM_FOLDER } from "../../../folder/node-scripts.ts";
import { parseIni } from "../../../formats/config/ini-text.ts";
import {
  type FoundPackage,
  outsideNames,
  packageIn,
  PRODUCT,
  requireBuilt,
} from "./program-package.ts";
import { archivedFiles } from "./tar-files.ts";

/** Where packages come from, and who is told what is done. */
export interface PackOptions {
  /** `x.y.z`. */
  readonly version: string;
  /** A registry to be asked first; npm's own setting when absent. */
  readonly mirror?: string | undefined;
  readonly say: (line: string) => void;
}

/** A package that was fetched. */
export interface FetchedPackage {
  readonly program: FoundPackage;
  readonly remove: () => Promise<void>;
}

interface Pins {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

interface Ended {
  readonly code: number | null;
  readonly errors: string;
}

/** Versions that npm is asked for. */
const VERSION = /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/;
/** Addresses of registries; nothing that a shell would read. */
const REGISTRY = /^https?:\/\/[\w.:[\]/@~%-]+$/;
/** Settings of the tool folder, and what is read of them. */
export const TOOL_SETTINGS = "conf/tool.ini";
const MIRROR_SECTION = "npm";
const MIRROR_KEY = "mirror";
/** npm says the cause in its last lines. */
const SHOWN_LINES = 3;

/** @throws FolderFault argument */
function requireFit({ version, mirror }: PackOptions): void {
  if (!VERSION.test(version))
    throw new FolderFault("argument", `"${version}" is no version: one like 2.12.0 is wanted.`);
  if (mirror !== undefined && !REGISTRY.test(mirror)) {
    const said = `"${mirror}" is no registry: an address like https://registry.example is wanted`;
    throw new FolderFault("argument", `${said} (npm_config_registry, or mirror in conf/tool.ini).`);
  }
}

/** Runs npm in a folder; its registry is the one of its own settings unless one is given. */
function runNpm(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Ended> {
  // On Windows npm is a .cmd file, which only a shell can start; no argument has a blank.
  const shell = process.platform === "win32";
  const quiet = ["--loglevel=error", "--no-audit", "--no-fund", "--no-update-notifier"];
  const child = spawn("npm", [...args, ...quiet], {
    cwd,
    env,
    shell,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  return new Promise((resolve, reject) => {
    child.once("error", (cause) => {
      const next = `Install npm, or copy ${PRODUCT} and ${PROGRAM_FOLDER} from another host.`;
      const said = `npm cannot be started: ${reasonOf(cause)}. ${next}`;
      reject(new FolderFault("missing", said, { cause }));
    });
    child.once("close", (code) => resolve({ code, errors }));
  });
}

function causeOf({ errors }: Ended): string {
  const lines = errors
    .split("\n")
    .map((line) => line.replace(/^npm (error|ERR!)\s*/, "").trim())
    .filter((line) => line !== "" && !line.startsWith("A complete log"));
  return lines.slice(0, SHOWN_LINES).join("; ") || "npm gave no reason";
}

/**
 * Runs npm with the mirror, and again without when that fails.
 * @throws FolderFault missing when npm is; unusable with its reason when it fails
 */
async function npm(cwd: string, args: readonly string[], options: PackOptions): Promise<void> {
  const { mirror, version, say } = options;
  // A mirror that the environment names is no default.
  const { npm_config_registry: named, ...others } = process.env;
  const plain = mirror === undefined || named !== mirror ? process.env : others;
  if (mirror !== undefined) {
    const first = await runNpm(cwd, args, { ...others, npm_config_registry: mirror });
    if (first.code === 0) return;
    say(`the mirror ${mirror} failed: ${causeOf(first)}`);
    say("npm's default registry is tried");
  }
  const ended = await runNpm(cwd, args, plain);
  if (ended.code === 0) return;
  const next = `See whether the registry has ${PRODUCT} ${version} and can be reached from here.`;
  const said = `npm ${args[0]} ended with ${ended.code}: ${causeOf(ended)}`;
  throw new FolderFault("unusable", `${said}. ${next}`);
}

async function unpack(archive: string, folder: string): Promise<void> {
  for (const { path, content } of archivedFiles(await readFile(archive), archive)) {
    const place = join(folder, path);
    await mkdir(dirname(place), { recursive: true });
    await writeFile(place, content);
  }
}

/** A package.json by which npm installs what a program needs besides its bundles, and no more. */
async function outsideManifest(program: FoundPackage): Promise<string> {
  const text = await readFile(join(program.folder, "package.json"), "utf8");
  const { dependencies = {}, optionalDependencies = {} } = JSON.parse(text) as Pins;
  const pins = { ...dependencies, ...optionalDependencies };
  const { needed, wanted } = outsideNames(program);
  const pick = (names: readonly string[]) =>
    Object.fromEntries(names.flatMap((name) => (pins[name] ? [[name, pins[name]]] : [])));
  const parts = { dependencies: pick(needed), optionalDependencies: pick(wanted) };
  return `${JSON.stringify({ private: true, ...parts })}\n`;
}

/**
 * Fetches a version of the package, and what it needs of other packages, into a temporary folder.
 * @throws FolderFault argument, missing or unusable; nothing is left then
 */
export async function fetchPackage(options: PackOptions): Promise<FetchedPackage> {
  requireFit(options);
  const home = await mkdtemp(join(tmpdir(), "chain-node-package-"));
  const remove = () => rm(home, { recursive: true, force: true });
  try {
    const { version, say } = options;
    say(`fetching ${PRODUCT} ${version} with npm`);
    await npm(home, ["pack", `${PRODUCT}@${version}`], options);
    const archive = (await readdir(home)).find((name) => name.endsWith(".tgz"));
    if (archive === undefined)
      throw new FolderFault("unusable", `npm pack has written no package into ${home}.`);
    const folder = join(home, "program");
    await unpack(join(home, archive), folder);
    const program = await packageIn(folder);
    if (program?.name !== PRODUCT)
      throw new FolderFault("unusable", `${archive} is no package of ${PRODUCT}.`);
    await requireBuilt(program);
    say("fetching the native parts with npm");
    await writeFile(join(home, "package.json"), await outsideManifest(program));
    // Prebuilt parts come with the packages; compiling is for those who install for one host.
    await npm(home, ["install", "--ignore-scripts", "--no-package-lock"], options);
    return { program, remove };
  } catch (error) {
    await remove().catch(() => undefined);
    throw error;
  }
}

/** What `--cdn` means here. */
export interface MirrorChoice {
  /** The registry to ask first. */
  readonly mirror: string | undefined;
  /** Where it is named, for messages. */
  readonly from: string;
}

/**
 * The mirror that the user has set: of npm's environment, else of the tool's own file.
 * @param toolSettings text of `conf/tool.ini`; undefined when there is none
 */
export function chosenMirror(toolSettings: string | undefined): MirrorChoice {
  const named = process.env["npm_config_registry"]?.trim();
  if (named) return { mirror: named, from: "npm_config_registry" };
  const entry = parseIni(toolSettings ?? "").entries.find(
    ({ section, key }) => section === MIRROR_SECTION && key === MIRROR_KEY,
  );
  const mirror = entry?.value.trim();
  return { mirror: mirror === "" ? undefined : mirror, from: TOOL_SETTINGS };
}
