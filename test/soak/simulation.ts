/** A million schedules of the simulator; goes on where an earlier run was stopped. */
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { endWithUs } from "../support/runner/own-children.ts";
import { numberOption, type Soak } from "./soak.ts";

/** Schedules before a change of the protocol is called done. */
const SCHEDULES = 1_000_000;
/** Where an interrupted run is taken up again. */
const FOLDER = ".cache";

/** Runs the simulator in a process of its own, with its progress on this terminal. */
export const simulationSoak: Soak = {
  about: "adversarial schedules of consensus; --seeds N, --workers 1|2, resumable",
  async run(args, say) {
    const seeds = numberOption(args, "seeds", SCHEDULES);
    const workers = numberOption(args, "workers", 2);
    mkdirSync(FOLDER, { recursive: true });
    const resume = join(FOLDER, `simulation-${seeds}.json`);
    const options = ["--seeds", `${seeds}`, "--workers", `${workers}`, "--resume", resume];
    const child = spawn(process.execPath, ["build.mjs", "simulate", ...options], {
      stdio: "inherit",
    });
    endWithUs(child);
    const code = await new Promise<number | null>((resolve) => child.once("exit", resolve));
    if (code !== 0) throw new Error(`the simulator ended with ${code}`);
    say(`${seeds} schedules held`);
  },
};
