/** The keys of `chain-node dev` at a terminal: what they do, and when there are any. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** What a key does. */
export interface HotKey {
  readonly key: string;
  /** On the first screen, after the key. */
  readonly short: string;
  /** In the list of `?`. */
  readonly long: string;
  press(): void;
}

/** The side of a terminal that keys come from: `process.stdin` at one. */
interface KeyInput {
  setRawMode(isRaw: boolean): unknown;
  on(event: "data", listener: (bytes: Buffer | string) => void): unknown;
  off(event: "data", listener: (bytes: Buffer | string) => void): unknown;
  resume(): unknown;
  pause(): unknown;
}

/** What keys act on. */
export interface KeyWatch {
  readonly input: KeyInput;
  readonly keys: readonly HotKey[];
  write(text: string): void;
  /** As the terminal does for Ctrl-C and Ctrl-Z while nobody reads keys. */
  interrupt(): void;
  suspend(): void;
}

const CTRL_C = "\u0003";
const CTRL_Z = "\u001a";
const ENTER = /[\r\n]/;

/** The line of the first screen. */
export function keysLine(keys: readonly HotKey[]): string {
  const own = keys.map(({ key, short }) => `${key} ${short}`);
  return [...own, "? all keys", "Ctrl-C stop"].join(", ");
}

/** What `?` shows. */
export function keysHelp(keys: readonly HotKey[]): string {
  const rows = [
    ...keys,
    { key: "?", long: "show this list" },
    { key: "Enter", long: "an empty line, to tell what comes from what was" },
    { key: "Ctrl-C", long: "stop the chain in order" },
  ];
  return rows.map(({ key, long }) => `  ${key.padEnd(8)}${long}\n`).join("");
}

/** Reads keys until the returned function is called, which gives the terminal back. */
export function watchKeys({ input, keys, write, interrupt, suspend }: KeyWatch): () => void {
  const byKey = new Map(keys.map((each) => [each.key, each]));
  const press = (key: string): void => {
    if (key === "?") return write(`\n${keysHelp(keys)}`);
    if (ENTER.test(key)) return write("\n");
    byKey.get(key.toLowerCase())?.press();
  };
  const onData = (bytes: Buffer | string): void => {
    const text = bytes.toString();
    // From here on Ctrl-C is the terminal's again: the next one is a signal even if we hang.
    if (text.includes(CTRL_C)) {
      end();
      return interrupt();
    }
    if (text.includes(CTRL_Z)) return suspend();
    // Arrow keys and pasted texts come as several characters at once: they are no keys of ours.
    if ([...text].length === 1) press(text);
  };
  let ended = false;
  const end = (): void => {
    if (ended) return;
    ended = true;
    input.off("data", onData);
    input.setRawMode(false);
    input.pause();
  };
  input.setRawMode(true);
  input.on("data", onData);
  input.resume();
  return end;
}

/** Whether a build server runs the program, as nearly all of them say. */
export function isBuildServer({ CI = "" }: Readonly<Record<string, string | undefined>>): boolean {
  return !["", "0", "false"].includes(CI.toLowerCase());
}

/** Fields of `/proc/self/stat` behind the name, which may hold spaces: group, foreground group. */
const GROUP_FIELD = 2;
const FOREGROUND_FIELD = 5;

/**
 * Whether the process may set the terminal: in the background the system would stop it for that.
 * Where nobody can tell it is taken to be in the background.
 */
export function isInForeground(): boolean {
  try {
    if (process.platform === "win32") return true;
    const [group, foreground] = process.platform === "linux" ? groupsOfLinux() : groupsOfPs();
    return group !== undefined && group === foreground;
  } catch {
    return false;
  }
}

function groupsOfLinux(): readonly (string | undefined)[] {
  const stat = readFileSync("/proc/self/stat", "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return [fields[GROUP_FIELD], fields[FOREGROUND_FIELD]];
}

function groupsOfPs(): readonly (string | undefined)[] {
  const args = ["-o", "pgid=", "-o", "tpgid=", "-p", `${process.pid}`];
  return execFileSync("ps", args, { encoding: "utf8" }).trim().split(/\s+/);
}

/** Sends a signal to all that the terminal would send it to: npm and the like stand before us. */
function signalAll(signal: "SIGINT" | "SIGTSTP"): void {
  if (process.platform === "win32") process.emit(signal);
  else process.kill(0, signal);
}

/** Reads the keys of this process's terminal, also after it was put aside and taken up again. */
export function watchTerminal(keys: readonly HotKey[]): () => void {
  const { stdin, stdout } = process;
  let release = (): void => {};
  const write = (text: string): void => void stdout.write(text);
  const suspend = (): void => {
    release();
    signalAll("SIGTSTP");
  };
  const begin = (): void => {
    release();
    if (!isInForeground()) return;
    const interrupt = () => signalAll("SIGINT");
    release = watchKeys({ input: stdin, keys, write, interrupt, suspend });
  };
  // A terminal that is closed says so with a signal; what its stream says is no news.
  stdin.on("error", () => undefined);
  process.on("SIGCONT", begin);
  begin();
  return () => {
    process.off("SIGCONT", begin);
    release();
  };
}
