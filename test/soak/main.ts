/** `npm run soak -- NAME [options]`: one long check. Without a name: lists them. */
import { caliperSoak } from "./caliper/compare.ts";
import { channelConnectionsSoak } from "./channel-connections.ts";
import { channelTimesSoak } from "./channel-times.ts";
import { clocksSoak } from "./clocks.ts";
import { damagesSoak } from "./damages/damages.ts";
import { diskFullSoak } from "./disk-full.ts";
import { fuzzChannelSoak } from "./fuzz-channel.ts";
import { fuzzEvmSoak } from "./fuzz-evm.ts";
import { fuzzIniSoak } from "./fuzz-ini.ts";
import { fuzzP2pSoak } from "./fuzz-p2p.ts";
import { catchUpSoak } from "./catch-up.ts";
import { hostileSoak } from "./hostile.ts";
import { heavySoak } from "./heavy.ts";
import { graphsSoak } from "./graphs.ts";
import { killSoak } from "./kill.ts";
import { largeSoak } from "./large.ts";
import { ledgerHeightSoak } from "./ledger-height.ts";
import { ledgersSoak } from "./ledgers/ledgers.ts";
import { mqttSoak } from "./mqtt/workers.ts";
import { networkRssSoak } from "./network-rss.ts";
import { powerSoak } from "./power.ts";
import { regressSoak } from "./regress.ts";
import { cutsSoak, roundsSoak } from "./rounds.ts";
import { rowsSoak } from "./rows.ts";
import { rssSoak } from "./rss.ts";
import { simulationSoak } from "./simulation.ts";
import { exitOnSignals } from "../support/runner/own-children.ts";
import { OptionFault, type Soak, unknownOption } from "./soak.ts";
import { tenGroupsSoak } from "./ten-groups.ts";

/** All of them, by name. */
const SOAKS: Readonly<Record<string, Soak>> = {
  regress: regressSoak,
  kill: killSoak,
  power: powerSoak,
  heavy: heavySoak,
  large: largeSoak,
  hostile: hostileSoak,
  rounds: roundsSoak,
  cuts: cutsSoak,
  graphs: graphsSoak,
  clocks: clocksSoak,
  damages: damagesSoak,
  "ten-groups": tenGroupsSoak,
  "catch-up": catchUpSoak,
  rows: rowsSoak,
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
  caliper: caliperSoak,
  mqtt: mqttSoak,
};

function usage(): string {
  const lines = Object.entries(SOAKS).map(([name, { about }]) => `  ${name.padEnd(20)} ${about}`);
  return `Usage: npm run soak -- NAME [options]\n${lines.join("\n")}\n`;
}

function refuse(reason: string, help: string): number {
  process.stderr.write(`${reason}\n${help}`);
  return 2;
}

async function main([name = "--help", ...args]: readonly string[]): Promise<number> {
  const say = (line: string) => void process.stdout.write(`${line}\n`);
  if (name === "--help") {
    process.stdout.write(usage());
    return 0;
  }
  const soak = Object.hasOwn(SOAKS, name) ? SOAKS[name] : undefined;
  if (!soak) return refuse(`there is no soak ${name}`, usage());
  const help = `npm run soak -- ${name}: ${soak.about}\n`;
  if (args.includes("--help")) {
    process.stdout.write(help);
    return 0;
  }
  const wrong = unknownOption(args, soak.about);
  if (wrong !== undefined) return refuse(`${name} has no option ${wrong}`, help);
  try {
    await soak.run(args, say);
    return 0;
  } catch (cause) {
    if (cause instanceof OptionFault) return refuse(cause.message, help);
    throw cause;
  }
}

exitOnSignals();
process.exitCode = await main(process.argv.slice(2));
