/** Malformed frames of SDKs by the million, over TLS. */
import assert from "node:assert/strict";
import { concatBytes } from "../../core/bytes/bytes.ts";
import { startDevChain } from "../../runtimes/node/dev/start-dev-chain.ts";
import { NOTHING_LISTED } from "../../runtimes/shared/http-caller.ts";
import { Random } from "../simulation/random.ts";
import { ChannelLink, linkTarget } from "../support/channel/channel-link.ts";
import { collectLog } from "../support/collected-log.ts";
import { brokenFrame, someFrame } from "./fuzz/channel/frames.ts";
import { residentMiB } from "./fuzz/run.ts";
import { numberOption, type Soak } from "./soak.ts";

const FRAMES = 1_000_000;
/** Share of frames that must pass the framing. */
const LEAST_PASSED = 0.3;
const MOST_GROWTH_MIB = 50;
/** Frames of one connection; the last has a length that cannot be. */
const SESSION = 500;
/** Frames that are written at once. */
const BATCH = 50;
const REPORTS = 20;
const CLOSE_MS = 20_000;

interface Run {
  readonly random: Random;
  readonly target: ReturnType<typeof linkTarget>;
  sent: number;
}

/** One connection with its frames; ends with the node closing it. */
async function session(run: Run, count: number): Promise<void> {
  const { random } = run;
  const link = await ChannelLink.open(run.target);
  const closed = new Promise<void>((resolve) => link.socket.once("close", () => resolve()));
  for (let at = 0; at < count - 1 && link.isOpen; at += BATCH) {
    const frames = Array.from({ length: Math.min(BATCH, count - 1 - at) }, () => someFrame(random));
    run.sent += frames.length;
    // In one piece and in pieces that end anywhere.
    const bytes = concatBytes(...frames);
    const cut = random.below(bytes.length);
    link.socket.write(bytes.subarray(0, cut));
    const isFree = link.socket.write(bytes.subarray(cut));
    if (!isFree && link.isOpen)
      await Promise.race([closed, new Promise((resume) => link.socket.once("drain", resume))]);
    await new Promise((resume) => setImmediate(resume));
  }
  run.sent += 1;
  if (link.isOpen) link.socket.write(brokenFrame(random));
  const late = setTimeout(() => link.close(), CLOSE_MS);
  await closed;
  clearTimeout(late);
}

/** The node must still answer, on a connection of its own. */
async function requireLife({ target }: Run): Promise<void> {
  const link = await ChannelLink.open(target);
  assert.match(String(await link.request("getBlockNumber", [1])), /^0x/);
  link.close();
}

/** `npm run soak -- fuzz-channel [--frames N] [--seed S]`. */
export const fuzzChannelSoak: Soak = {
  about: `malformed frames of SDKs: [--frames ${FRAMES}] [--seed 1]`,
  async run(args, say) {
    const frames = numberOption(args, "frames", FRAMES);
    const random = new Random(numberOption(args, "seed", 1));
    // Worker threads are next to the bundle of the node.
    process.env["CHAIN_NODE_DIST"] ??= "dist/node";
    const log = collectLog();
    const chain = await startDevChain({
      nodes: 1,
      data: undefined,
      ephemeral: true,
      blockTimeMs: 100,
      sm: false,
      host: "127.0.0.1",
      port: 0,
      channel: { port: 0, rsa: false },
      lists: NOTHING_LISTED,
      maxBodyBytes: 1024 * 1024,
      shareRecovery: true,
      log: { write: (level, ...rest) => level === "error" && log.write(level, ...rest) },
    });
    try {
      const { host, port } = chain.channels[0]?.server ?? { host: "", port: 0 };
      const target = linkTarget(`${host}:${port}`, chain.sdk ?? "");
      const run: Run = { random, target, sent: 0 };
      const until = async (count: number) => {
        while (run.sent < count) await session(run, Math.min(SESSION, count - run.sent));
        await requireLife(run);
        assert.deepEqual(log.messages("error"), []);
      };
      await until(Math.floor(frames / 20));
      const before = await residentMiB();
      for (let report = 1; report <= REPORTS; report++) {
        await until(Math.floor((frames * report) / REPORTS));
        const { heldBytes, sessions } = chain.channels[0]?.service.counters() ?? {};
        say(`${run.sent} frames; ${sessions} sessions hold ${heldBytes} bytes`);
      }
      const grown = (await residentMiB()) - before;
      // As the node counts them: what comes behind a frame that ends the session does not pass.
      const { framesIn = 0, ended } = chain.channels[0]?.service.counters() ?? {};
      const share = framesIn / run.sent;
      say(`${run.sent} frames, none broke the node; sessions ended: ${JSON.stringify(ended)}`);
      say(`${(100 * share).toFixed(1)} % passed the framing`);
      say(`resident memory: ${grown.toFixed(1)} MiB more after than before`);
      assert.ok(share >= LEAST_PASSED, "too few frames passed the framing");
      assert.ok(grown < MOST_GROWTH_MIB, "the memory has grown");
    } finally {
      await chain.close();
    }
  },
};
