/** One workspace that both tools read: a contract, two rounds, and the keys of a chain. */
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ROOT } from "../../support/runner/root.ts";
import type { ProcessChain } from "../../support/process/node-processes.ts";

const CONTRACT = join(ROOT, "test/contracts/HelloWorld.sol");

/** A workload as users have it: of the base class of Caliper, which our tool provides too. */
const workload = (request: string): string => `"use strict";
const { WorkloadModuleBase } = require("@hyperledger/caliper-core");

class Workload extends WorkloadModuleBase {
  async submitTransaction() {
    await this.sutAdapter.sendRequests(${request});
  }
}

module.exports.createWorkloadModule = () => new Workload();
`;

const GET = workload(
  '{ contractId: "hello", args: { transaction_type: "get()" }, readOnly: true }',
);
const SET_ARGS = '{ transaction_type: "set(string)", name: "hello" }';
const SET = workload(`{ contractId: "hello", args: ${SET_ARGS}, readOnly: false }`);

/** How many are sent, and how fast. */
export interface Load {
  readonly number: number;
  readonly tps: number;
}

const round = (label: string, { number, tps }: Load): string => `    - label: ${label}
      description: ${label}
      txNumber: ${number}
      rateControl: { type: fixed-rate, opts: { tps: ${tps} } }
      workload: { module: ${label}.js }
`;

async function portOf(folder: string, key: string): Promise<string> {
  const text = await readFile(join(folder, "config.ini"), "utf8");
  const [, port] = new RegExp(`^\\s*${key}\\s*=\\s*(\\d+)\\s*$`, "m").exec(text) ?? [];
  if (port === undefined) throw new Error(`${folder}/config.ini has no ${key}`);
  return port;
}

/** Writes it. A chain of one agency is wanted. */
export async function writeWorkspace(folder: string, chain: ProcessChain, load: Load) {
  await mkdir(join(folder, "src"), { recursive: true });
  const sdk = join(chain.folder, "agency/sdk");
  for (const name of ["ca.crt", "sdk.crt", "sdk.key"])
    await cp(join(sdk, name), join(folder, name));
  const nodes = chain.nodes.map(async ({ folder: node }) => ({
    ip: "127.0.0.1",
    rpcPort: await portOf(node, "jsonrpc_listen_port"),
    channelPort: await portOf(node, "channel_listen_port"),
  }));
  const network = {
    caliper: { blockchain: "fisco-bcos", command: {} },
    "fisco-bcos": {
      config: {
        privateKey: "bcec428d5205abe0f0cc8a734083908d9eb8563e31f943d760786edf42ad67dd",
        account: "0x64fa644d2a694681bd6addd6c5e36cccd8dcdde3",
      },
      network: {
        nodes: await Promise.all(nodes),
        authentication: { key: "./sdk.key", cert: "./sdk.crt", ca: "./ca.crt" },
        groupID: 1,
        timeout: 100_000,
      },
      smartContracts: [
        { id: "hello", path: "src/HelloWorld.sol", language: "solidity", version: "v0" },
      ],
    },
    info: { Version: "2.0.0", Size: "4 Nodes", Distribution: "Single Host" },
  };
  const rounds = round("get", load) + round("set", load);
  const bench = `test:\n  name: hello\n  workers: { number: 1 }\n  rounds:\n${rounds}`;
  await Promise.all([
    cp(CONTRACT, join(folder, "src/HelloWorld.sol")),
    writeFile(join(folder, "network.json"), JSON.stringify(network, undefined, 2)),
    writeFile(join(folder, "bench.yaml"), bench),
    writeFile(join(folder, "get.js"), GET),
    writeFile(join(folder, "set.js"), SET),
  ]);
}
