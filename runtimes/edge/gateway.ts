/**
 * A gateway at the edge: `export default { fetch }`, for workerd, Deno and fetch servers of Node.
 * It keeps nothing between instances: each begins with the block that it is told to trust.
 */
import { UsageFault } from "../../core/client/client-fault.ts";
import type { GatewaySettings } from "../../core/gateway/gateway-settings.ts";
import {
  createGatewayApp,
  type GatewayApp,
  gatewayPorts,
  listOf,
  readTrusted,
} from "../shared/gateway/gateway-app.ts";
import { BUILD_INFO } from "../shared/platform/build-info.ts";
import { consoleLog, webClock } from "../shared/platform/web-platform.ts";
import { createWebSuite, suiteNameOf } from "../shared/platform/web-suite.ts";

/** Variables of the worker. */
interface Variables {
  /** URLs of JSON-RPC ports, separated by commas. */
  readonly UPSTREAMS?: string;
  /** The block that is trusted: `0:0x...`, number and hash. */
  readonly TRUSTED?: string;
  /** 1 when absent. */
  readonly GROUP?: string;
  /** `national` for a chain of SM2 and SM3. */
  readonly SUITE?: string;
  /** Names by which browsers reach the worker. Source: decision 24 */
  readonly ALLOWED_HOSTS?: string;
  /** Web pages that may send transactions. Source: decision 24 */
  readonly ALLOWED_ORIGINS?: string;
  /** `hosts` where answers, errors and metrics may name them; `numbers` when absent. */
  readonly UPSTREAM_NAMES?: string;
  /** MiB of answers that are kept; 16 when absent. */
  readonly KEPT_MIB?: string;
  /** Seconds until an upstream that lacks a block is left out; 10 when absent. */
  readonly STALE_SECONDS?: string;
  /** Seconds until an upstream that is asked has not answered; 5 when absent. */
  readonly TIMEOUT_SECONDS?: string;
}

const MAX_BODY_BYTES = 10 * 1024 * 1024;
const MIB = 1024 * 1024;

const NAMES = [
  ...["UPSTREAMS", "TRUSTED", "GROUP", "SUITE"],
  ...["ALLOWED_HOSTS", "ALLOWED_ORIGINS", "KEPT_MIB", "STALE_SECONDS", "TIMEOUT_SECONDS"],
  "UPSTREAM_NAMES",
];

/** Those of the worker; servers that give none have them in their environment. */
function variablesOf(given: Variables | undefined): Variables {
  if (typeof given?.UPSTREAMS === "string") return given;
  const { process } = globalThis as { process?: { env?: Readonly<Record<string, string>> } };
  const found = NAMES.map((name) => [name, process?.env?.[name]] as const);
  return Object.fromEntries(found.filter(([, value]) => value !== undefined));
}

/** What a variable may be, and how many of the gateway's units one of its own is. */
interface NumberForm {
  readonly least: number;
  readonly most: number;
  readonly whole?: true;
  readonly factor: number;
}

const NUMBERS = {
  GROUP: { least: 1, most: 32_767, whole: true, factor: 1 },
  KEPT_MIB: { least: 0, most: 1_024, factor: MIB },
  STALE_SECONDS: { least: 0.1, most: 86_400, factor: 1_000 },
  TIMEOUT_SECONDS: { least: 0.1, most: 600, factor: 1_000 },
} as const satisfies Readonly<Record<string, NumberForm>>;

const DECIMAL = /^\d+(\.\d+)?$/;

/** Undefined for one that is absent, or empty. @throws UsageFault */
function numberOf(variables: Variables, name: keyof typeof NUMBERS): number | undefined {
  const text = variables[name]?.trim();
  if (!text) return undefined;
  const { least, most, factor, ...form } = NUMBERS[name];
  const value = DECIMAL.test(text) ? Number(text) : Number.NaN;
  const isWhole = "whole" in form;
  if (value >= least && value <= most && (!isWhole || Number.isInteger(value))) {
    return value * factor;
  }
  const wanted = `a ${isWhole ? "whole number" : "number"} from ${least} to ${most}`;
  throw new UsageFault(`the variable ${name} is ${JSON.stringify(text)}, and has to be ${wanted}`);
}

/** @throws UsageFault */
function hidesHosts({ UPSTREAM_NAMES: names }: Variables): boolean {
  if (!names || names === "numbers") return true;
  if (names === "hosts") return false;
  const wanted = "numbers or hosts";
  throw new UsageFault(
    `the variable UPSTREAM_NAMES is ${JSON.stringify(names)}, and has to be ${wanted}`,
  );
}

async function open(variables: Variables): Promise<GatewayApp> {
  const { UPSTREAMS, TRUSTED = "", SUITE } = variables;
  const settings: GatewaySettings = {
    upstreams: listOf(UPSTREAMS),
    groupId: numberOf(variables, "GROUP") ?? 1,
    trusted: readTrusted(TRUSTED),
    suite: await createWebSuite(suiteNameOf(SUITE)),
    build: BUILD_INFO,
    hidesHosts: hidesHosts(variables),
    maxKeptBytes: numberOf(variables, "KEPT_MIB"),
    staleMs: numberOf(variables, "STALE_SECONDS"),
    timeoutMs: numberOf(variables, "TIMEOUT_SECONDS"),
  };
  const lists = {
    allowedHosts: listOf(variables.ALLOWED_HOSTS),
    allowedOrigins: listOf(variables.ALLOWED_ORIGINS),
  };
  const ports = gatewayPorts(webClock, consoleLog);
  return createGatewayApp({ settings, ports, lists, maxBodyBytes: MAX_BODY_BYTES });
}

/** Of the instance: its requests share what was checked and what is kept. */
let opened: Promise<GatewayApp> | undefined;

export default {
  async fetch(request: Request, variables?: Variables): Promise<Response> {
    try {
      opened ??= open(variablesOf(variables));
      const { http } = await opened;
      return await http.app.fetch(request);
    } catch (cause) {
      opened = undefined;
      const reason = cause instanceof Error ? cause.message : String(cause);
      return new Response(`the gateway is not set up: ${reason}\n`, { status: 500 });
    }
  },
};
