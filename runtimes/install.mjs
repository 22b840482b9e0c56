// Installs what the lockfile names. Runs before anything is installed: Node's own modules only.
import { spawn } from "node:child_process";
import { existsSync, lstatSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
/** Holds the ID of the process that installs: two at a time would undo each other's work. */
const LOCK = join(ROOT, ".installing");
/** A line of progress this often while npm is at work. */
const PROGRESS_MS = 10_000;
/** How often it is looked whether another install has ended. */
const LOOK_MS = 500;

/** Ends with a message for a person instead of a stack. */
export class Failure extends Error {}

/** One line for the person who waits. */
export function say(line) {
  process.stderr.write(`${line}\n`);
}

/** How long it took since then. */
export function seconds(since) {
  return `${((Date.now() - since) / 1_000).toFixed(1)} s`;
}

function readPackages(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8")).packages ?? {};
  } catch {
    return undefined;
  }
}

function wantedPackages() {
  const wanted = readPackages(join(ROOT, "package-lock.json"));
  if (wanted !== undefined) return wanted;
  throw new Failure("package-lock.json cannot be read; restore it from git.");
}

/** Those in node_modules, by npm's own record. */
function presentPackages() {
  return readPackages(join(ROOT, "node_modules", ".package-lock.json")) ?? {};
}

/** The first package that node_modules lacks or has in another version. */
function firstMissing(mode) {
  const present = presentPackages();
  for (const [path, entry] of Object.entries(wantedPackages())) {
    if (path === "" || entry.optional || entry.devOptional) continue;
    if (mode === "production" && entry.dev) continue;
    if (present[path]?.version !== entry.version || !existsSync(join(ROOT, path))) return path;
  }
  return undefined;
}

/**
 * True when all that is there is wanted: what is missing can be added next to programs that run.
 */
function isPart() {
  const wanted = wantedPackages();
  const present = Object.entries(presentPackages());
  return (
    present.length > 0 && present.every(([path, { version }]) => wanted[path]?.version === version)
  );
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    return cause.code === "EPERM";
  }
}

/** Waits for another install of this checkout. A caller that has died gives its lock up. */
async function takeLock() {
  for (let waits = 0; ; waits++) {
    try {
      writeFileSync(LOCK, String(process.pid), { flag: "wx" });
      return;
    } catch (cause) {
      if (cause.code !== "EEXIST") throw new Failure(`${LOCK} cannot be written: ${cause.message}`);
    }
    const holder = Number(readPid());
    if (!isAlive(holder)) rmSync(LOCK, { force: true });
    else if (waits === 0) say(`Process ${holder} installs into this folder: waiting for it ...`);
    await pause(LOOK_MS);
  }
}

/** Nothing when it has just been given up. */
function readPid() {
  try {
    return readFileSync(LOCK, "utf8");
  } catch {
    return String(process.pid);
  }
}

/** npm ci would empty the folder that a link points to, which others may be using. */
function refuseLink(lacking) {
  const modules = join(ROOT, "node_modules");
  if (!existsSync(modules) || !lstatSync(modules).isSymbolicLink()) return;
  const where = `node_modules is a link to ${realpathSync(modules)}, which lacks ${lacking}`;
  throw new Failure(`${where}: run npm ci there, or remove the link; then try again.`);
}

/** Installs what the lockfile names, unless it is there. A full install is never reduced. */
export async function ensureInstalled(mode) {
  const lacking = firstMissing(mode);
  if (lacking === undefined) return;
  refuseLink(lacking);
  await takeLock();
  try {
    if (firstMissing(mode) !== undefined) await install(mode);
  } finally {
    rmSync(LOCK, { force: true });
  }
}

async function install(mode) {
  const began = Date.now();
  const wanted = mode === "full" ? "all dependencies" : "what running needs";
  // `npm ci` empties node_modules first, from which a chain may be running.
  const verb = isPart() ? ["install", "--no-save"] : ["ci"];
  const name = `npm ${verb[0]}`;
  say(`Installing ${wanted} from package-lock.json (${name}) ...`);
  const timer = setInterval(() => say(`  still installing, ${seconds(began)}`), PROGRESS_MS);
  const scope = mode === "full" ? "--include=dev" : "--omit=dev";
  const options = ["--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"];
  // npm's own stdout goes to our stderr: stdout belongs to the program that follows.
  const code = await runNpm([...verb, scope, ...options]);
  clearInterval(timer);
  if (code !== 0) {
    throw new Failure(
      `${name} ended with code ${code}: see its message above. It needs the npm registry (or a ` +
        "filled npm cache) and a writable node_modules; then run the same command again.",
    );
  }
  const missing = firstMissing(mode);
  if (missing !== undefined) throw new Failure(`${name} ended without installing ${missing}.`);
  say(`Installed in ${seconds(began)}.`);
}

function runNpm(args) {
  const cli = process.env.npm_execpath;
  const viaNode = cli !== undefined && /npm-cli\.[cm]?js$/.test(cli);
  const [file, all] = viaNode ? [process.execPath, [cli, ...args]] : ["npm", args];
  // On Windows npm is a .cmd file, which only a shell can start.
  const shell = !viaNode && process.platform === "win32";
  const child = spawn(file, all, { cwd: ROOT, stdio: ["ignore", 2, 2], shell });
  return new Promise((resolve, reject) => {
    child.once("error", (error) => reject(new Failure(`npm cannot be started: ${error.message}`)));
    child.once("exit", (code, signal) => resolve(code ?? signal));
  });
}
