/**
 * The Dockerfile: its RUN lines are executed in a clean folder, and what they leave runs a node
 * that its health check finds well. With all cases npm installs; else the files are put where npm
 * puts them.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import { dockerfileText } from "../../../../runtimes/tools/network/manifests/dockerfile.ts";
import { endLeftovers, endOf, run, untilSaid } from "../../../support/process/dev-chain-process.ts";
import { packedTarball } from "../../../support/process/packed.ts";
import { installLinked } from "../../../support/process/linked-install.ts";
import { writeChainFolder } from "../../../support/process/written-chain.ts";
import { portsInRow } from "../../../support/process/ports.ts";
import { TAKES_ALL_CASES } from "../../../support/runner/cases.ts";

/** What npm says when there is no registry, or not all of it. */
const NO_REGISTRY = /ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|ENOTCACHED|E40[34]/;

/** One line of a Dockerfile. */
interface Instruction {
  readonly word: string;
  readonly rest: string;
}

const INSTRUCTIONS: readonly Instruction[] = dockerfileText()
  .replaceAll(/\\\n\s*/g, "")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"))
  .map((line) => {
    const [word = "", ...rest] = line.split(" ");
    return { word, rest: rest.join(" ").trim() };
  });

function all(word: string): readonly string[] {
  return INSTRUCTIONS.filter((each) => each.word === word).map(({ rest }) => rest);
}

const home = mkdtempSync(join(tmpdir(), "chain-image-"));
const PREFIX = join(home, "opt/chain-node");
const SOURCE = join(home, "tmp");
const HOME_FOLDER = join(home, "var/lib/chain-node");
/** Arguments of the build that differ here: no root is needed, and nothing else is touched. */
const ARGUMENTS = { PREFIX, SOURCE, HOME_FOLDER, OWNER: `${userInfo().uid}` };

afterAll(() => {
  endLeftovers();
  rmSync(home, { recursive: true, force: true });
});

/** Arguments as the Dockerfile has them, but for those above. */
function environment(): NodeJS.ProcessEnv {
  const given = Object.fromEntries(all("ARG").map((text) => text.split("=")));
  return { ...process.env, ...given, ...ARGUMENTS };
}

/** What `npm install --global` leaves, without npm. */
function installGlobally(tarball: string): void {
  const lib = join(PREFIX, "lib");
  mkdirSync(join(PREFIX, "bin"), { recursive: true });
  mkdirSync(lib);
  installLinked(lib, tarball);
  symlinkSync("../lib/node_modules/chain-node/dist/node/main.js", join(PREFIX, "bin/chain-node"));
}

function execute(line: string): void {
  const { status, stdout, stderr } = spawnSync("bash", ["-ec", line], {
    cwd: home,
    env: environment(),
    encoding: "utf8",
  });
  assert.equal(status, 0, `${line}\n${stdout}\n${stderr}`);
}

/** Whether npm could do what the line says. */
function isInstalledByNpm(line: string): boolean {
  if (!TAKES_ALL_CASES) return false;
  const { status, stderr } = spawnSync("bash", ["-ec", `${line} --prefer-offline`], {
    cwd: home,
    env: environment(),
    encoding: "utf8",
  });
  if (status !== 0 && NO_REGISTRY.test(stderr)) {
    rmSync(PREFIX, { recursive: true, force: true });
    return false;
  }
  assert.equal(status, 0, stderr);
  return true;
}

beforeAll(async () => {
  const tarball = await packedTarball();
  const name = basename(tarball);
  assert.equal(environment()["PACKAGE"], name, "the package of this release");
  // COPY of the first stage.
  mkdirSync(SOURCE, { recursive: true });
  copyFileSync(tarball, join(SOURCE, name));
  for (const line of all("RUN")) {
    const isNpm = line.startsWith("npm install --global --prefix");
    if (!isNpm) execute(line);
    else if (!isInstalledByNpm(line)) installGlobally(join(SOURCE, name));
  }
});

test("it has two stages on a pinned image, is not root, and says how it is asked and ended", () => {
  assert.deepEqual(all("FROM"), ["node:20-bookworm-slim AS install", "node:20-bookworm-slim"]);
  assert.deepEqual(all("USER"), ["1000:1000"]);
  assert.equal(all("RUN").length, 3);
  assert.match(all("COPY")[1] ?? "", /^--from=install /);
  assert.deepEqual(all("ENTRYPOINT"), ['["chain-node"]']);
  assert.deepEqual(all("CMD"), ['["start", "-c", "config.ini"]']);
  assert.deepEqual(all("STOPSIGNAL"), ["SIGTERM"]);
});

test("the home of nodes is there after its RUN lines", () => {
  assert.ok(existsSync(HOME_FOLDER));
});

/** Runs the health check of the image against another port. */
function healthCheck(port: number): number | null {
  const [, command = "[]"] = /CMD (\[.*\])$/.exec(all("HEALTHCHECK")[0] ?? "") ?? [];
  const [program = "", ...args] = JSON.parse(command) as readonly string[];
  const moved = args.map((text) => text.replace("127.0.0.1:8545", `127.0.0.1:${port}`));
  assert.notDeepEqual(moved, args);
  return spawnSync(program, moved, { cwd: HOME_FOLDER }).status;
}

test("what it installs runs a node that its health check finds well, until it is ended", async () => {
  const port = await portsInRow(3);
  const program = join(PREFIX, "bin/chain-node");
  const basePorts = { rpc: port, channel: port + 1, p2p: port + 2 };
  const chain = { nodes: 1, groups: "1:pbft", sm: false, basePorts };
  await writeChainFolder(join(HOME_FOLDER, "chain"), chain);
  assert.equal(healthCheck(port), 1);
  const cwd = join(HOME_FOLDER, "chain/node0");
  const node = run(program, ["start", "-c", "config.ini"], { cwd });
  await untilSaid(node, ({ stdout }) => stdout.includes("running"));
  assert.equal(healthCheck(port), 0);
  node.child.kill("SIGTERM");
  assert.equal((await endOf(node)).code, 0);
});
