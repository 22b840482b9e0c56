/** Mosquitto, the broker of Debian: as it is installed, or unpacked into a cache folder. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { ROOT } from "../../support/runner/root.ts";

const run = promisify(execFile);
const INSTALLED = "/usr/sbin/mosquitto";
const FOLDER = join(ROOT, "node_modules/.cache/mosquitto");
/** The broker, and what it needs that not every machine has. Nothing of it is installed. */
const PACKAGES = ["mosquitto", "libcjson1", "libmosquitto1", "libdlt2", "libwrap0", "libcap2"];
const LIBRARIES = ["usr/lib", "lib"].flatMap((folder) =>
  ["x86_64-linux-gnu", "aarch64-linux-gnu"].map((machine) => join(FOLDER, folder, machine)),
);
const START_MS = 10_000;
const LOOK_MS = 50;

/** A broker that runs. */
export interface Mosquitto {
  readonly version: string;
  /** Ends it as a power cut would. */
  kill(): void;
}

interface Program {
  readonly file: string;
  readonly env: NodeJS.ProcessEnv;
}

/** @throws Error where neither the program nor Debian's packages are to be had */
async function program(say: (line: string) => void): Promise<Program> {
  if (existsSync(INSTALLED)) return { file: INSTALLED, env: process.env };
  const file = join(FOLDER, "usr/sbin/mosquitto");
  if (!existsSync(file)) {
    say(`mosquitto is not installed: its packages are unpacked into ${FOLDER}`);
    await mkdir(FOLDER, { recursive: true });
    await run("apt-get", ["download", ...PACKAGES], { cwd: FOLDER });
    for (const name of await readdir(FOLDER)) {
      if (name.endsWith(".deb")) await run("dpkg", ["-x", name, "."], { cwd: FOLDER });
    }
  }
  return { file, env: { ...process.env, LD_LIBRARY_PATH: LIBRARIES.join(":") } };
}

function isReached(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const done = (isThere: boolean): void => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once("connect", () => done(true));
    socket.once("error", () => done(false));
  });
}

async function untilReached(child: ChildProcess, port: number): Promise<void> {
  const end = performance.now() + START_MS;
  while (!(await isReached(port))) {
    if (child.exitCode !== null || performance.now() > end) {
      throw new Error(`mosquitto does not listen at port ${port}`);
    }
    await sleep(LOOK_MS);
  }
}

/** Starts a broker on loopback. @param folder for its configuration */
export async function startMosquitto(
  port: number,
  folder: string,
  say: (line: string) => void,
): Promise<Mosquitto> {
  const { file, env } = await program(say);
  const config = join(folder, "mosquitto.conf");
  const lines = [
    `listener ${port} 127.0.0.1`,
    "allow_anonymous true",
    "persistence false",
    "log_type error",
  ];
  await writeFile(config, `${lines.join("\n")}\n`);
  const help = await run(file, ["-h"], { env }).catch((told: { stdout?: string }) => told);
  const [version = "mosquitto"] = (help.stdout ?? "").split("\n");
  const child = spawn(file, ["-c", config], { env, stdio: ["ignore", "ignore", "inherit"] });
  child.once("error", (cause) => say(`mosquitto: ${cause.message}`));
  try {
    await untilReached(child, port);
  } catch (cause) {
    child.kill("SIGKILL");
    throw cause;
  }
  return { version, kill: () => void child.kill("SIGKILL") };
}
