/** A chain of ours as loads need it: reached as the benchmark tool does, HelloWorld deployed. */
import { join } from "node:path";
import { hexBytes } from "../../core/bytes/hex.ts";
import { type SignedBytes, TransactionMaker } from "../../runtimes/shared/benchmark/signing.ts";
import { signersOf } from "../../runtimes/tools/benchmark/adapter/accounts.ts";
import { type ChainAddress, openChain } from "../../runtimes/tools/benchmark/adapter/chain.ts";
import { deploy } from "../../runtimes/tools/benchmark/adapter/install.ts";
import { HeightWatch } from "../../runtimes/tools/benchmark/adapter/height-watch.ts";
import { helloWorldBytecode, signSet } from "./hello-world.ts";
import { CLOCK } from "./load.ts";
import { type RunningLoad, startLoad } from "./signed-load.ts";
import type { Target } from "./target.ts";

/** The part of a target that speaks to nodes. */
export interface HelloChain extends Pick<Target, "prepare" | "submit" | "blockNumber"> {
  /** Calls at a rate, each signed when it is sent, until somebody stops them. */
  keep(rate: number, timeoutMs?: number): Promise<RunningLoad>;
  close(): Promise<void>;
}

const GROUP = 1;
const TIMEOUT_MS = 60_000;
const SENDERS = 32;
/** Equal runs have equal senders. */
const KEY = "42".repeat(32);

interface SdkPlace {
  /** Folder with the files of a client. */
  readonly sdk: string;
  /** `host:port` of each node. */
  readonly channels: readonly string[];
}

/** Nodes by their RPC URLs. */
export function rpcAddress(urls: readonly string[]): ChainAddress {
  const nodes = urls.map((url) => {
    const { hostname, port } = new URL(url);
    return { ip: hostname, rpcPort: Number(port), channelPort: undefined };
  });
  const place = { groupId: GROUP, groupIds: [GROUP], timeoutMs: TIMEOUT_MS };
  return { ...place, mode: "rpc", nodes, authentication: undefined };
}

/** Nodes by their channel ports. */
export function channelAddress({ sdk, channels }: SdkPlace): ChainAddress {
  const nodes = channels.map((place) => {
    const { hostname, port } = new URL(`tls://${place}`);
    return { ip: hostname, rpcPort: undefined, channelPort: Number(port) };
  });
  const file = (name: string) => join(sdk, name);
  const authentication = { key: file("sdk.key"), cert: file("sdk.crt"), ca: file("ca.crt") };
  return { ...rpcAddress([]), mode: "channel", nodes, authentication };
}

/** Opens a chain and deploys HelloWorld. */
export async function openHello(address: ChainAddress): Promise<HelloChain> {
  const chain = await openChain(address, CLOCK);
  const height = new HeightWatch(chain, CLOCK);
  const close = async () => {
    height.stop();
    await chain.close();
  };
  try {
    await height.start();
    const maker = new TransactionMaker(chain, signersOf(KEY, SENDERS, chain.suite));
    const contract = await deploy(chain, hexBytes(helloWorldBytecode()), maker);
    const submit = (transaction: SignedBytes) => chain.pick().submit(transaction);
    const call = { method: "getBlockNumber", params: [GROUP] };
    const blockNumber = async () => Number(await chain.request(call));
    let sent = 0;
    return {
      prepare: async (count) => {
        const head = await blockNumber();
        return Array.from({ length: count }, (_, i) => signSet(maker, contract, i, head));
      },
      submit,
      blockNumber,
      keep: (rate, timeoutMs) =>
        startLoad({
          next: () => signSet(maker, contract, sent++, height.height),
          submit,
          clock: CLOCK,
          ...{ rate, timeoutMs },
        }),
      close,
    };
  } catch (cause) {
    await close();
    throw cause;
  }
}
