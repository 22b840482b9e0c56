/**
 * Transactions until their receipts are known: asked for over HTTP, and pushed over the channel;
 * the same chain, one after the other.
 */
import type { ChainAddress } from "../../runtimes/tools/benchmark/adapter/chain.ts";
import { startChannelProcess } from "../support/channel/channel-process.ts";
import { channelAddress, openHello, rpcAddress } from "./hello-chain.ts";
import { type LoadOptions, type LoadResult, runLoad } from "./load.ts";

/** Transactions on their way, unless somebody wants others. */
const CONCURRENCY = 320;
/** Share of the transactions that warm the chain up. */
const WARM_SHARE = 0.2;

/** Both ways; the first run finds a chain that has just begun. */
export async function measureChannel(
  nodes: number,
  options: LoadOptions,
): Promise<readonly LoadResult[]> {
  const { concurrency = CONCURRENCY } = options;
  const chain = await startChannelProcess(nodes);
  const measure = async (name: string, address: ChainAddress, count: number) => {
    const hello = await openHello(address);
    const target = { ...hello, name, pids: [chain.pid], nodes, stop: hello.close };
    return await runLoad(target, { ...options, count, concurrency }).finally(hello.close);
  };
  try {
    const { count } = options;
    const pushed = channelAddress(chain);
    await measure("warm-up", pushed, Math.ceil(count * WARM_SHARE));
    return [
      await measure("HTTP, receipts of a block at a time", rpcAddress(chain.urls), count),
      await measure("channel, receipts pushed", pushed, count),
    ];
  } finally {
    await chain.stop();
  }
}
