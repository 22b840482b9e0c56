/** Where a run takes place. Source: benchmark 9 (environment) */
import { cpus, totalmem } from "node:os";
import type { RunEnvironment } from "../../../shared/benchmark/round-result.ts";
import { BUILD_INFO } from "../../../shared/platform/build-info.ts";
import type { Chain } from "../adapter/chain.ts";

/** System settings of a chain that belong to the figures. */
const SYSTEM_KEYS = ["tx_count_limit", "tx_gas_limit"];

async function chainFacts(chain: Chain): Promise<Readonly<Record<string, string>>> {
  const { groupId } = chain;
  const facts: Record<string, string> = { groupId: `${groupId}`, suite: chain.suite.name };
  const ask = async (method: string, ...params: readonly unknown[]): Promise<unknown> =>
    await chain.request({ method, params: [groupId, ...params] }).catch(() => undefined);
  const sealers = await ask("getSealerList");
  if (Array.isArray(sealers)) facts["sealers"] = `${sealers.length}`;
  const observers = await ask("getObserverList");
  if (Array.isArray(observers)) facts["observers"] = `${observers.length}`;
  for (const key of SYSTEM_KEYS) {
    const value = await ask("getSystemConfigByKey", key);
    if (typeof value === "string") facts[key] = value;
  }
  return facts;
}

/** Machine, tool and chain; the chain's part is empty where it cannot be asked. */
export async function environmentOf(chain: Chain | undefined): Promise<RunEnvironment> {
  const all = cpus();
  const { version, gitCommit } = BUILD_INFO;
  return {
    runtime: "node",
    runtimeVersion: process.version,
    platform: `${process.platform} ${process.arch}`,
    cpuModel: all[0]?.model ?? null,
    cpuCount: all.length === 0 ? null : all.length,
    memoryBytes: totalmem(),
    toolVersion: version,
    toolCommit: gitCommit === "unknown" ? null : gitCommit,
    node: chain?.version ?? {},
    chain: chain ? await chainFacts(chain) : {},
  };
}
