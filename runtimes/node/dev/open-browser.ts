/** Opens an address in the browser of the user who sits at this machine. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";

/** A program with its arguments; the address comes last. */
type Launcher = readonly [program: string, ...args: string[]];

/** What is asked of the machine. */
export interface Desktop {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Linux inside Windows. */
  readonly isWsl: boolean;
}

/** This machine. */
export function thisDesktop(): Desktop {
  return { platform: process.platform, env: process.env, isWsl: isWsl() };
}

function isWsl(): boolean {
  if (process.platform !== "linux") return false;
  try {
    return /microsoft/i.test(readFileSync("/proc/version", "utf8"));
  } catch {
    return false;
  }
}

const WINDOWS_HANDLER = "url.dll,FileProtocolHandler";

/**
 * What opens addresses here; undefined without a screen, where the usual program would begin a
 * browser inside the terminal.
 */
export function launcherOf({ platform, env, isWsl: inWsl }: Desktop): Launcher | undefined {
  if (platform === "darwin") return ["open"];
  if (platform === "win32") return ["rundll32", WINDOWS_HANDLER];
  if (inWsl) return ["rundll32.exe", WINDOWS_HANDLER];
  const hasScreen = (env["DISPLAY"] ?? "") !== "" || (env["WAYLAND_DISPLAY"] ?? "") !== "";
  return hasScreen ? ["xdg-open"] : undefined;
}

/** Begins the program and does not wait for it. @returns why it could not; undefined when it did */
export function openBrowser(url: string, desktop: Desktop): Promise<string | undefined> {
  const launcher = launcherOf(desktop);
  if (!launcher) return Promise.resolve("there is no screen here");
  const [program, ...args] = launcher;
  return new Promise((resolve) => {
    const child = spawn(program, [...args, url], { detached: true, stdio: "ignore" });
    child.once("error", (cause) => resolve(`${program}: ${cause.message}`));
    child.once("exit", (code) => resolve(code === 0 ? undefined : `${program} failed`));
    // One that stays is the browser itself.
    child.once("spawn", () => setTimeout(() => resolve(undefined), LAUNCH_MS).unref());
    child.unref();
  });
}

/** Programs that cannot open an address say so within this. */
const LAUNCH_MS = 3_000;
