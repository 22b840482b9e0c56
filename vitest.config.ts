/** The runner's settings: all tests, or for `npm run check` the fast ones, told by their place. */
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { DurationsReporter, LongestFirst } from "./test/support/runner/longest-first.ts";
import { moduleCacheFolder } from "./test/support/runner/module-cache.ts";
import { leftOut } from "./test/support/runner/regress-files.ts";
import { SummaryReporter } from "./test/support/runner/summary-reporter.ts";

/** Tests that start processes, browsers or long searches; `npm run check` leaves them out. */
const SLOW = [
  "test/bench/**/*.test.ts",
  "test/codes/**/*.test.ts",
  "test/differential/**/*.test.ts",
  "test/golden/**/*.test.ts",
  "test/runtimes/**/*.test.ts",
  "test/simulation/**/*.test.ts",
  "test/support/runner/where-it-stands.test.ts",
  "test/tools/**/*.test.ts",
  "test/web/**/*.test.ts",
  "test/**/*.differential.test.ts",
  "test/**/differential.test.ts",
  "test/rules/readme.test.ts",
];
/**
 * Those of the slow ones that change what a whole worker shares, its clock, its globals, its
 * signals, a module, or that measure its heap or what runs in it.
 */
const ALONE = [
  "test/core/execution/evm/exhaustion.differential.test.ts",
  "test/runtimes/node/channel/times.test.ts",
  "test/runtimes/node/log/log-fault.test.ts",
  "test/runtimes/node/machine/allocator-trim.test.ts",
  "test/runtimes/node/machine/memory-trim.test.ts",
  "test/runtimes/node/observe/telemetry.test.ts",
  "test/runtimes/node/process/ending.test.ts",
  "test/runtimes/node/server/hono-answers.test.ts",
  "test/runtimes/node/server/request-garbage.test.ts",
  "test/runtimes/node/server/websocket-bounds.test.ts",
  "test/web/data/gateway-proof.test.ts",
  "test/web/data/trust.test.ts",
];
/** What only a run of all cases has; a file that is named runs all the same. */
const REGRESS = leftOut(process.argv.slice(2));
/** Set by `npm run check`. In a whole run one project has both: its workers load modules once. */
const IS_FAST_ONLY = process.env["FAST_TESTS"] === "1";
/** Set up for every file. */
const PROPERTIES = "test/support/runner/steady-properties.ts";
const SECOND_MS = 1_000;
/** Tests wait for events: on a busy machine a run takes longer, and nothing in it is too late. */
const PATIENCE = { testTimeout: 900 * SECOND_MS, hookTimeout: 900 * SECOND_MS };

/** A row of a protocol's table that the tests do without; see test/simulation/rows. */
const ROWS = process.env["CHAIN_NODE_WITHOUT_ROW"] ? ["test/simulation/rows/taken-out.ts"] : [];

/** Set up for every worker; own-environment does it where many files share one. */
const LANE_END = "test/support/runner/lane-end.ts";
/** Set up first: workers, and the runner itself, load sources as plain modules from then on. */
const PLAIN = "test/support/runner/plain-modules.mjs";
const CACHE = moduleCacheFolder(import.meta.dirname);
process.env["PLAIN_MODULES"] = join(CACHE, "plain");
await import(join(import.meta.dirname, PLAIN));

export default defineConfig({
  // The runner would take the build for development, which looks into every event.
  resolve: {
    alias: { xstate: join(import.meta.dirname, "node_modules/xstate/dist/xstate.cjs.mjs") },
  },
  test: {
    watch: false,
    experimental: {
      fsModuleCache: true,
      fsModuleCachePath: CACHE,
    },
    reporters: ["default", new SummaryReporter(), new DurationsReporter()],
    sequence: { sequencer: LongestFirst },
    // To start a program copies the tables of a process's memory: that of five threads takes a
    // tenth of a second.
    pool: "forks",
    // One collector thread: helpers of three workers take the processors from each other.
    execArgv: [...process.execArgv, "--single-threaded-gc"],
    // One more than there are processors: many files wait for processes and browsers. With each
    // worker more, more networks are alive that have nothing to do, and take time from the others.
    maxWorkers: 3,
    projects: [
      {
        extends: true,
        test: {
          name: "shared",
          include: ["test/**/*.test.ts"],
          exclude: [...(IS_FAST_ONLY ? SLOW : ALONE), ...REGRESS],
          // Modules hold no state between files: loading each once per worker saves most of the
          // time.
          isolate: false,
          globalSetup: "test/support/runner/run-folder.ts",
          experimental: { viteModuleRunner: false, nodeLoader: false },
          sequence: { setupFiles: "list" },
          setupFiles: [PLAIN, PROPERTIES, "test/support/runner/own-environment.ts", ...ROWS],
          ...PATIENCE,
        },
      },
      ...(IS_FAST_ONLY
        ? []
        : [
            {
              extends: true as const,
              test: {
                name: "alone",
                include: ALONE,
                exclude: [...REGRESS],
                setupFiles: [PROPERTIES, LANE_END],
                ...PATIENCE,
              },
            },
          ]),
    ],
  },
});
