/** `npm run soak -- NAME [options]`: one long check. Without a name: lists them. */
import { channelConnectionsSoak } from "./channel-connections.ts";
import { channelTimesSoak } from "./channel-times.ts";
import { diskFullSoak } from "./disk-full.ts";
import { fuzzChannelSoak } from "./fuzz-channel.ts";
import { fuzzEvmSoak } from "./fuzz-evm.ts";
import { fuzzIniSoak } from "./fuzz-ini.ts";
import { fuzzP2pSoak } from "./fuzz-p2p.ts";
import { catchUpSoak } from "./catch-up.ts";
import { heavySoak } from "./heavy.ts";
import { killSoak } from "./kill.ts";
import { ledgerHeightSoak } from "./ledger-height.ts";
import { ledgersSoak } from "./ledgers/ledgers.ts";
import { networkRssSoak } from "./network-rss.ts";
import { powerSoak } from "./power.ts";
import { regressSoak } from "./regress.ts";
import { cutsSoak, roundsSoak } from "./rounds.ts";
import { rssSoak } from "./rss.ts";
import { simulationSoak } from "./simulation.ts";
import { exitOnSignals } from "../support/own-children.ts";
import type { Soak } from "./soak.ts";
import { tenGroupsSoak } from "./ten-groups.ts";

/** All of them, by name. */
const SOAKS: Readonly<Record<string, Soak>> = {
  regress: regressSoak,
  kill: killSoak,
  power: powerSoak,
  heavy: heavySoak,
  rounds: roundsSoak,
  cuts: cutsSoak,
  "ten-groups": tenGroupsSoak,
  "catch-up": catchUpSoak,
  rss: rssSoak,
  simulation: simulationSoak,
  "fuzz-p2p": fuzzP2pSoak,
  "fuzz-ini": fuzzIniSoak,
  "fuzz-evm": fuzzEvmSoak,
  "fuzz-channel": fuzzChannelSoak,
  "channel-connections": channelConnectionsSoak,
  "disk-full": diskFullSoak,
  "ledger-height": ledgerHeightSoak,
  "network-rss": networkRssSoak,
  "channel-times": channelTimesSoak,
  ledgers: ledgersSoak,
};

function usage(): string {
  const lines = Object.entries(SOAKS).map(([name, { about }]) => `  ${name.padEnd(20)} ${about}`);
  return `Usage: npm run soak -- NAME [options]\n${lines.join("\n")}\n`;
}

async function main([name = "", ...args]: readonly string[]): Promise<number> {
  const soak = Object.hasOwn(SOAKS, name) ? SOAKS[name] : undefined;
  if (!soak) {
    process.stderr.write(usage());
    return 1;
  }
  await soak.run(args, (line) => process.stdout.write(`${line}\n`));
  return 0;
}

exitOnSignals();
process.exitCode = await main(process.argv.slice(2));
