/** Many SDKs at once: each asks, all are answered; what a connection costs. */
import assert from "node:assert/strict";
import { ChannelLink, linkTarget } from "../support/channel/channel-link.ts";
import { startChannelProcess } from "../support/channel/channel-process.ts";
import { numberOption, type Soak } from "./soak.ts";

const CONNECTIONS = 1_000;
const REQUESTS = 20;
/** Handshakes at one time. */
const WAVE = 50;
const KIB = 1_024;

async function inWaves<Item, Result>(
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let from = 0; from < items.length; from += WAVE) {
    const wave = items.slice(from, from + WAVE);
    results.push(...(await Promise.all(wave.map((item, i) => work(item, from + i)))));
  }
  return results;
}

/** `npm run soak -- channel-connections [--connections N] [--requests N]`. */
export const channelConnectionsSoak: Soak = {
  about: `SDKs at once: [--connections ${CONNECTIONS}] [--requests ${REQUESTS}]`,
  async run(args, say) {
    const connections = numberOption(args, "connections", CONNECTIONS);
    const requests = numberOption(args, "requests", REQUESTS);
    const chain = await startChannelProcess(1);
    try {
      const target = linkTarget(chain.channel, chain.sdk);
      const warm = await ChannelLink.open(target);
      for (let i = 0; i < REQUESTS; i++) await warm.request("getBlockNumber", [1]);
      const before = chain.residentKib();
      const begun = performance.now();
      const links = await inWaves(Array.from({ length: connections }), () =>
        ChannelLink.open(target),
      );
      const opened = performance.now();
      const answers = links.map(async (link) => {
        const asked = Array.from({ length: requests }, () => link.request("getBlockNumber", [1]));
        return (await Promise.all(asked)).length;
      });
      const counts = await Promise.all(answers);
      const asked = performance.now();
      const total = counts.reduce((sum, count) => sum + count, 0);
      assert.equal(total, connections * requests);
      assert.ok(
        links.every(({ isOpen }) => isOpen),
        "no connection was lost",
      );
      const perConnection = (chain.residentKib() - before) / connections;
      say(`${connections} connections in ${((opened - begun) / 1000).toFixed(1)} s`);
      say(`${total} requests answered in ${((asked - opened) / 1000).toFixed(1)} s, no error`);
      say(`memory of the node: ${perConnection.toFixed(0)} KiB a connection`);
      const after = chain.residentKib();
      say(`(${(before / KIB).toFixed(0)} MiB before, ${(after / KIB).toFixed(0)} after)`);
      for (const link of [warm, ...links]) link.close();
    } finally {
      await chain.stop();
    }
  },
};
