// Installs, bundles and runs everything here: all scripts of package.json call this file.
// Everything it has to say goes to stderr; stdout belongs to the program that is run.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { constants } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import {
  chunksFirst,
  entrySets,
  joined,
  packagesOf,
  removeOldChunks,
  RUNTIMES,
  SIZED,
  sizesOf,
  TARGETS,
  writeWhole,
} from "./runtimes/bundles.mjs";
import { makeClientPackage } from "./runtimes/client-package.mjs";
import { ensureInstalled, Failure, say, seconds } from "./runtimes/install.mjs";

const ROOT = dirname(fileURLToPath(import.meta.url));
const MIN_NODE = [20, 19];
/**
 * How long a child may have had a signal of the whole group before it is told again. Shorter than
 * the patience of `chain-node dev`, which takes a second signal within 2 s for the same request.
 */
const FORWARD_AFTER_MS = 1_000;

const USAGE = `Usage: node build.mjs [command]
  (none)             build everything into dist/
  start [options]    run a development chain (npm start -- --help)
  edge [options]     run the gateway in a local workerd (npm run edge -- --help)
  test [options]     run all tests; options go to vitest
  check [--write]    types, format, lint, rules and fast tests; --write formats, --list lists
  simulate [options] run the simulator (npm run simulate -- --seed=1)
  soak NAME          run a long, resumable check
  bench [options]    measure
  house [--json]     count what the rooms hold and who imports whom
  take-over [FOLDER] show what a library (../shared) has that docs/spec and test/data lack
`;

/** A command that runs a bundled program of the house, given the bundles that it needs. */
const program = (bundles, name) => async (args) => {
  await ensureInstalled("full");
  await bundle(bundles);
  return await runBundle(name, args);
};

const COMMANDS = {
  build: async () => {
    await ensureInstalled("full");
    await bundle(Object.keys(TARGETS));
    removeOldChunks(ROOT, JSON.parse(readFileSync(recordFile("node"), "utf8")).outputs);
    const code = await runBundle("tools/copy-compilers", [join(ROOT, "dist", "web")]);
    return code || (await declare());
  },
  start: async (args) => {
    await ensureInstalled("production");
    await bundle(["node", "web", "compiler"]);
    return await runBundle("node/main", ["dev", ...args]);
  },
  edge: async (args) => {
    // The edge runtime is one of those that only tests need.
    await ensureInstalled("full");
    await bundle(["node", "edge"]);
    return await runBundle("node/main", ["edge", "dev", ...args]);
  },
  check: async (args) => {
    await ensureInstalled("full");
    return await check(args);
  },
  test: async (args) => {
    await ensureInstalled("full");
    await bundle(RUNTIMES);
    // What the package declares is tested too.
    return (await declare()) || (await runTests(args));
  },
  simulate: program(["simulation"], "simulation/main"),
  soak: program(["node", "soak"], "soak/main"),
  bench: program(["node", "web", "edge", "bench"], "bench/main"),
  house: program(["house"], "tools/house"),
  "take-over": program(["library"], "tools/take-over"),
};

function packageFile(name, file) {
  return join(ROOT, "node_modules", name, file);
}

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const [needMajor, needMinor] = MIN_NODE;
  if (major > needMajor || (major === needMajor && minor >= needMinor)) return;
  throw new Failure(
    `Node.js ${needMajor}.${needMinor} or newer is needed, this is ${process.versions.node}. ` +
      "Install a newer one from https://nodejs.org and run the same command again.",
  );
}

// ---------------------------------------------------------------- bundles

function git(...args) {
  if (!existsSync(join(ROOT, ".git"))) return "unknown";
  const { status, stdout } = spawnSync("git", ["-C", ROOT, ...args], { encoding: "utf8" });
  return status === 0 ? stdout.trim() : "unknown";
}

/** What getClientVersion reports this build; injected as __BUILD_INFO__. Source: interface 2.6 */
function buildInfo() {
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  return {
    version,
    buildTime: new Date().toISOString().replace(/^(....)-(..)-(..)T(.*)\..*$/, "$1$2$3 $4"),
    gitBranch: git("rev-parse", "--abbrev-ref", "HEAD"),
    gitCommit: git("rev-parse", "HEAD"),
  };
}

/** As the reference node reports it: platform, tool, kind. */
function buildType(target) {
  const place = { web: "browser", edge: "edge", objects: "edge" }[target] ?? process.platform;
  return `${place}/esbuild/release`;
}

function fingerprint(path) {
  const stat = statSync(join(ROOT, path), { throwIfNoEntry: false });
  return stat === undefined ? "absent" : `${stat.size}:${stat.mtimeMs}`;
}

/** What a bundle depends on besides its sources: this file, lockfile, commit, entries. */
function buildKey(target, info) {
  const hash = createHash("sha256");
  for (const file of ["build.mjs", "runtimes/bundles.mjs", "package.json", "package-lock.json"]) {
    hash.update(readFileSync(join(ROOT, file)));
  }
  const files = filesToCopy(TARGETS[target].copied ?? []);
  hash.update(JSON.stringify([info.gitBranch, info.gitCommit, TARGETS[target].entries, files]));
  return hash.digest("hex");
}

function recordFile(target) {
  return join(ROOT, "dist", ".build", `${target}.json`);
}

function isFresh(target, key) {
  let record;
  try {
    record = JSON.parse(readFileSync(recordFile(target), "utf8"));
  } catch {
    return false;
  }
  return (
    record.key === key &&
    record.outputs.every((path) => existsSync(join(ROOT, path))) &&
    Object.entries(record.inputs).every(([path, print]) => fingerprint(path) === print)
  );
}

/** Files that are served as they are, in pairs of source and place. */
function filesToCopy(folders) {
  return folders.flatMap(({ from, to }) =>
    readdirSync(join(ROOT, from), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => {
        const path = relative(join(ROOT, from), join(entry.parentPath, entry.name));
        return { from: join(from, path), to: join(to, path) };
      }),
  );
}

/** Copies them; the files, in pairs. */
function copyStatic(folders) {
  const pairs = filesToCopy(folders);
  for (const { from, to } of pairs) writeWhole(join(ROOT, to), readFileSync(join(ROOT, from)));
  return pairs;
}

/**
 * The sizes of a target's bundles next to their budgets; also in a file, for the benchmark. Whoever
 * starts or tests hears only of those that are too large.
 */
function tellSizes(target, metafile) {
  const sizes = sizesOf(ROOT, metafile);
  writeWhole(join(ROOT, "dist", `${target}-sizes.json`), `${JSON.stringify(sizes)}\n`);
  const isBuild = (process.argv[2] ?? "build") === "build";
  for (const { name, kib, budget } of sizes) {
    if (!isBuild && !(kib > budget)) continue;
    const limit = budget === undefined ? "" : ` of ${budget}${kib > budget ? ": OVER BUDGET" : ""}`;
    say(`  ${name}: ${kib.toFixed(1)} KiB${limit} (gzip -9)`);
  }
}

async function bundleTarget(esbuild, target, { key, info }) {
  const make = (entryPoints) =>
    esbuild.build({
      absWorkingDir: ROOT,
      entryPoints,
      outdir: "dist",
      bundle: true,
      format: "esm",
      metafile: true,
      write: false,
      legalComments: "none",
      logLevel: "silent",
      define: {
        __BUILD_INFO__: JSON.stringify(JSON.stringify({ ...info, buildType: buildType(target) })),
      },
      ...TARGETS[target].options,
    });
  const sets = entrySets(TARGETS[target].entries, TARGETS[target].apart);
  const { outputFiles, metafile } = joined(await Promise.all(sets.map(make)));
  for (const { path, contents } of chunksFirst(outputFiles)) writeWhole(path, contents);
  removeOldChunks(ROOT, Object.keys(metafile.outputs));
  const sources = Object.keys(metafile.inputs).filter((path) => !path.includes("node_modules"));
  const copied = copyStatic(TARGETS[target].copied ?? []);
  const inputs = [...sources, ...copied.map(({ from }) => from)];
  const record = {
    key,
    inputs: Object.fromEntries(inputs.map((path) => [path, fingerprint(path)])),
    outputs: [...Object.keys(metafile.outputs), ...copied.map(({ to }) => to)],
    ...packagesOf(metafile),
  };
  writeWhole(recordFile(target), JSON.stringify(record));
  if (SIZED.includes(target)) tellSizes(target, metafile);
}

/** Bundles the targets whose sources changed. */
async function bundle(targets) {
  const info = buildInfo();
  const stale = targets
    .map((target) => ({ target, key: buildKey(target, info) }))
    .filter(({ target, key }) => !isFresh(target, key));
  if (stale.length === 0) return;
  const began = Date.now();
  const esbuild = await import("esbuild");
  const done = stale.map(async ({ target, key }) => {
    try {
      await bundleTarget(esbuild, target, { key, info });
    } catch (error) {
      if (!Array.isArray(error.errors)) throw error;
      const lines = await esbuild.formatMessages(error.errors, { kind: "error" });
      throw new Failure(`The ${target} bundle cannot be built:\n${lines.join("\n")}`);
    }
  });
  const failed = (await Promise.allSettled(done)).filter(({ status }) => status === "rejected");
  await esbuild.stop();
  if (failed.length > 0) throw failed[0].reason;
  say(`Built ${stale.map(({ target }) => target).join(", ")} in ${seconds(began)}.`);
}

/** What the declarations are made from: every source that they may name, and who makes them. */
function typesKey() {
  const hash = createHash("sha256").update(readFileSync(join(ROOT, "package-lock.json")));
  for (const folder of ["core", "runtimes"]) {
    const names = readdirSync(join(ROOT, folder), { recursive: true }).sort();
    const sources = names.filter((name) => /\.ts$|^tsconfig\.json$|\/tsconfig\.json$/.test(name));
    for (const name of sources) hash.update(`${name} ${fingerprint(join(folder, name))}\n`);
  }
  return hash.update(`${fingerprint("tsconfig.json")} ${fingerprint("build.mjs")}`).digest("hex");
}

/** Type declarations of the package's exports, and of what they name. */
async function declareTypes() {
  const key = typesKey();
  if (isFresh("types", key)) return 0;
  const { exports } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const outputs = Object.values(exports).map(({ types }) => types);
  const sourceOf = (path) => join(ROOT, path.replace("./dist/types/", "").replace(".d.ts", ".ts"));
  const place = { rootDir: ROOT, outDir: join(ROOT, "dist/types"), types: ["node"] };
  const project = {
    extends: join(ROOT, "tsconfig.json"),
    compilerOptions: { ...place, composite: false, declaration: true },
    files: outputs.map(sourceOf),
    references: [],
  };
  const file = join(ROOT, "node_modules/.cache/types.json");
  writeWhole(file, JSON.stringify(project));
  const tsc = packageFile("typescript", "bin/tsc");
  const code = await runProgram(process.execPath, [tsc, "-p", file]);
  if (code === 0) writeWhole(recordFile("types"), JSON.stringify({ key, inputs: {}, outputs }));
  return code;
}

/** Declares types; the package of the client takes its part of them. */
async function declare() {
  const code = await declareTypes();
  if (code === 0)
    makeClientPackage(ROOT, JSON.parse(readFileSync(recordFile("client-package"), "utf8")));
  return code;
}

// ---------------------------------------------------------------- running

async function runBundle(name, args) {
  return await runProgram(process.execPath, [join(ROOT, "dist", `${name}.js`), ...args]);
}

/**
 * Runs a program with our own stdin, stdout and stderr; gives its exit code.
 * A terminal signals the whole group, so the program has normally had the signal already, and npm
 * passes its own copy on to us: forwarding at once would deliver it twice. A signal sent to us
 * alone is forwarded after a grace period, as SIGTERM, which asks for an orderly stop however often
 * it comes.
 */
function runProgram(file, args, variables = {}) {
  const env = { ...process.env, ...variables };
  const child = spawn(file, args, { cwd: ROOT, stdio: "inherit", env });
  let timer;
  const onSignal = () => {
    timer ??= setTimeout(() => child.kill("SIGTERM"), FORWARD_AFTER_MS);
  };
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
  for (const signal of signals) process.on(signal, onSignal);
  return new Promise((resolve, reject) => {
    child.once("error", (error) =>
      reject(new Failure(`${file} cannot be started: ${error.message}`)),
    );
    child.once("exit", (code, signal) => {
      clearTimeout(timer);
      for (const name of signals) process.off(name, onSignal);
      resolve(code ?? 128 + constants.signals[signal]);
    });
  });
}

/** Runs a step of the check with its output held back; prints it only when the step fails. */
function runStep({ name, args }) {
  const began = Date.now();
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"] });
  const output = [];
  child.stdout.on("data", (chunk) => output.push(chunk));
  child.stderr.on("data", (chunk) => output.push(chunk));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      say(`${code === 0 ? "ok    " : "FAILED"} ${name}, ${seconds(began)}`);
      if (code !== 0) process.stderr.write(Buffer.concat(output));
      resolve(code === 0);
    });
  });
}

/** The steps of the check that only read; each project of the compiler sees its own platform. */
function checkSteps(write) {
  return [
    {
      name: "format and lint",
      args: [packageFile("@biomejs/biome", "bin/biome"), "check", ...write, "."],
    },
    {
      name: "types of core, runtimes, web and test",
      args: [packageFile("typescript", "bin/tsc"), "-b", "--pretty"],
    },
  ];
}

async function check(args) {
  const unknown = args.find((option) => option !== "--write" && option !== "--list");
  if (unknown !== undefined)
    throw new Failure(
      `check has no option "${unknown}": it has --write, which formats, and --list.`,
    );
  const began = Date.now();
  const write = args.includes("--write") ? ["--write"] : [];
  // The formatter leaves comments alone, so they are wrapped first.
  const wrap = join(ROOT, "test/support/runner/wrap-comments.mjs");
  const before = write.length > 0 ? [{ name: "comments", args: [wrap] }] : [];
  const steps = checkSteps(write);
  if (args.includes("--list")) {
    for (const { name } of [...before, ...steps, { name: "fast tests" }]) say(name);
    return 0;
  }
  let passed = true;
  for (const step of before) passed &&= await runStep(step);
  for (const done of await Promise.all(steps.map(runStep))) passed &&= done;
  const code = await runTests([], { FAST_TESTS: "1" });
  say(`check ${passed && code === 0 ? "passed" : "failed"} in ${seconds(began)}`);
  return passed ? code : 1;
}

/**
 * Flags of the engine for the tests. Much of their code runs a few times only: with the engine's
 * own settings its optimizing compiler takes a fifth of the processor for code that is thrown away
 * soon after, and small areas for new objects are collected, by all workers, many times a second.
 */
const ENGINE_FLAGS = [
  "--interrupt-budget=500000",
  "--always-sparkplug",
  "--single-threaded-gc",
  "--min-semi-space-size=64",
  "--max-semi-space-size=64",
];

async function runTests(args, variables) {
  const runner = [...ENGINE_FLAGS, packageFile("vitest", "vitest.mjs"), "run", ...args];
  return await runProgram(process.execPath, runner, variables);
}

async function main([command = "build", ...args]) {
  checkNode();
  const run = Object.hasOwn(COMMANDS, command) ? COMMANDS[command] : undefined;
  if (run === undefined) {
    process.stderr.write(USAGE);
    if (/^(--)?help$/.test(command)) return 0;
    throw new Failure(`There is no command "${command}".`);
  }
  return await run(args);
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof Failure)) throw error;
  say(error.message);
  process.exitCode = 1;
}
