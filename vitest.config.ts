/** The runner's settings: a fast tier for `npm run check` and the rest, told apart by location. */
import { defineConfig } from "vitest/config";
import { DurationsReporter, LongestFirst } from "./test/support/longest-first.ts";
import { moduleCacheFolder } from "./test/support/module-cache.ts";
import { SummaryReporter } from "./test/support/summary-reporter.ts";

/** Tests that start processes, browsers or long searches; `npm run check` leaves them out. */
const SLOW = [
  "test/bench/**/*.test.ts",
  "test/codes/**/*.test.ts",
  "test/differential/**/*.test.ts",
  "test/golden/**/*.test.ts",
  "test/runtimes/**/*.test.ts",
  "test/simulation/**/*.test.ts",
  "test/tools/**/*.test.ts",
  "test/web/**/*.test.ts",
  "test/**/*.differential.test.ts",
  "test/**/differential.test.ts",
  "test/rules/readme.test.ts",
];
/**
 * Those of them that change what a whole thread shares, its clock, its globals, a module, or that
 * measure its heap.
 */
const ALONE = [
  "test/core/execution/evm/exhaustion.differential.test.ts",
  "test/runtimes/node/channel/times.test.ts",
  "test/runtimes/node/log-fault.test.ts",
  "test/runtimes/node/telemetry.test.ts",
  "test/runtimes/node/websocket-bounds.test.ts",
  "test/web/data/trust.test.ts",
];
/** Set up for every file. */
const PROPERTIES = "test/support/steady-properties.ts";
const SECOND_MS = 1_000;
/** Tests wait for events: on a busy machine a run takes longer, and nothing in it is too late. */
const PATIENCE = { testTimeout: 900 * SECOND_MS, hookTimeout: 900 * SECOND_MS };

export default defineConfig({
  test: {
    watch: false,
    experimental: {
      fsModuleCache: true,
      fsModuleCachePath: moduleCacheFolder(import.meta.dirname),
    },
    reporters: ["default", new SummaryReporter(), new DurationsReporter()],
    sequence: { sequencer: LongestFirst },
    pool: "threads",
    maxWorkers: 3,
    projects: [
      {
        extends: true,
        test: {
          name: "fast",
          include: ["test/**/*.test.ts"],
          exclude: SLOW,
          // Modules hold no state between files: loading each once per worker saves most of the
          // time.
          isolate: false,
          setupFiles: PROPERTIES,
          ...PATIENCE,
        },
      },
      {
        extends: true,
        test: {
          name: "slow",
          include: SLOW,
          exclude: ALONE,
          isolate: false,
          globalSetup: "test/support/run-folder.ts",
          setupFiles: [PROPERTIES, "test/support/own-environment.ts"],
          ...PATIENCE,
        },
      },
      {
        extends: true,
        test: { name: "alone", include: ALONE, setupFiles: PROPERTIES, ...PATIENCE },
      },
    ],
  },
});
