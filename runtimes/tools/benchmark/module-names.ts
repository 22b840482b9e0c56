/**
 * What modules of users import of the reference's core package, so that they need not install it:
 * this tool stands in for `@hyperledger/caliper-core` (earlier `caliper-core`). Source: benchmark 5
 */
import Module, { register } from "node:module";
import { WorkloadModuleBase } from "../../shared/benchmark/workload-module.ts";
import { TxStatus } from "../../shared/benchmark/tx-status.ts";

const NAMES = ["@hyperledger/caliper-core", "caliper-core"];
const MODULES = Symbol.for("chain-node.benchmark.core");

function loggerOf(name: string) {
  const say =
    (level: string) =>
    (...parts: readonly unknown[]): void => {
      process.stderr.write(`${level} [${name}] ${parts.map(String).join(" ")}\n`);
    };
  return { info: say("info"), warn: say("warn"), error: say("error"), debug: () => undefined };
}

/** Custom rate controllers of either generation extend one of these. */
class RateControllerBase {
  readonly testMessage: unknown;
  readonly stats: unknown;
  readonly workerIndex: unknown;

  constructor(testMessage: unknown, stats: unknown, workerIndex: unknown) {
    this.testMessage = testMessage;
    this.stats = stats;
    this.workerIndex = workerIndex;
  }

  async applyRateControl(): Promise<void> {}

  async end(): Promise<void> {}
}

const CORE = {
  WorkloadModuleBase,
  WorkloadModuleInterface: WorkloadModuleBase,
  RateInterface: RateControllerBase,
  RateControllerBase,
  TxStatus,
  CaliperUtils: {
    getLogger: loggerOf,
    sleep: (ms: number) => new Promise<void>((resume) => void setTimeout(resume, ms)),
  },
};

type Load = (request: string, ...rest: readonly unknown[]) => unknown;

/** ES modules get the same object: a module of text reads it from where it is put. */
function hooksText(): string {
  const names = Object.keys(CORE).join(", ");
  const source = [
    `const core = globalThis[Symbol.for(${JSON.stringify(MODULES.description)})];`,
    `export const { ${names} } = core;`,
    "export default core;",
  ].join("\n");
  const url = `data:text/javascript,${encodeURIComponent(source)}`;
  return [
    `const names = ${JSON.stringify(NAMES)};`,
    `const url = ${JSON.stringify(url)};`,
    "export const resolve = (name, context, next) =>",
    "  names.includes(name) ? { url, shortCircuit: true } : next(name, context);",
  ].join("\n");
}

let isStandingIn = false;

/** From now on the core package is this tool, for `require` and `import`. */
export function standInForCore(): void {
  if (isStandingIn) return;
  isStandingIn = true;
  const modules = globalThis as { [MODULES]?: typeof CORE };
  modules[MODULES] = CORE;
  const loader = Module as unknown as { _load: Load };
  const load = loader._load;
  loader._load = function (this: unknown, request, ...rest) {
    return NAMES.includes(request) ? CORE : load.call(this, request, ...rest);
  };
  register(`data:text/javascript,${encodeURIComponent(hooksText())}`);
}
