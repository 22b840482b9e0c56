/** The client against running chains: from Node, from a page in Chromium, from workerd. */
import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { afterAll, afterEach, beforeAll, test } from "vitest";
import { greeter } from "../../docs/examples/greeter.ts";
import {
  accountFromPrivateKey,
  createClient,
  RefusalFault,
} from "../../runtimes/shared/client/client.ts";
import { openPage } from "../support/browser/chromium.ts";
import {
  askUntil,
  type DevProcess,
  endLeftovers,
  startDev,
  stop,
} from "../support/process/dev-chain-process.ts";
import { bundleFor } from "../support/browser/platform-bundle.ts";
import { channelTo, closeTransports, socketTo } from "../support/client/pushing-transports.ts";
import { ROOT } from "../support/runner/root.ts";
import { openWorker } from "../support/browser/workerd.ts";
import { type ClientPlace, clientScenario, TOLD } from "./client-scenario.ts";
import { untilHolds } from "../support/browser/page-looks.ts";
import { TAKES_ALL_CASES } from "../support/runner/cases.ts";
import { inFull } from "../support/runner/in-full.ts";

const OPTIONS = ["--ephemeral", "--block-time", "20", "--cors", "*"];
/** One file for pages, whole and as it travels. */
const MOST_KIB = { minified: 120, gzip: 44 };

let standard: DevProcess;
let national: DevProcess;
let rsa: DevProcess;

beforeAll(async () => {
  standard = await startDev(4, ...OPTIONS);
  if (!TAKES_ALL_CASES) return;
  national = await startDev(1, ...OPTIONS, "--sm");
  rsa = await startDev(1, ...OPTIONS, "--rsa-channel");
});

afterEach(closeTransports);

afterAll(async () => {
  await Promise.allSettled([standard, national, rsa].filter(Boolean).map((chain) => stop(chain)));
  endLeftovers();
});

function placeOf(chain: DevProcess, key: string): ClientPlace {
  return {
    url: chain.url,
    sealers: chain.ready.nodeIds,
    suite: chain === national ? "national" : "standard",
    privateKey: key.repeat(32),
  };
}

test("on Node a contract is deployed, called, sent to, and its receipt is proved", async () => {
  assert.deepEqual(await clientScenario(placeOf(standard, "11")), TOLD);
});

test("the same from a page in Chromium", async () => {
  const { script } = await bundleFor(
    "browser",
    `import { clientScenario } from "./client-scenario.ts";
     globalThis.told = clientScenario(${JSON.stringify(placeOf(standard, "13"))});`,
  );
  const opened = await openPage(new Map([["page.js", script]]), "page.js");
  try {
    await untilHolds(opened.page, "globalThis.told !== undefined");
    assert.deepEqual(await opened.page.evaluate("globalThis.told"), TOLD);
    assert.deepEqual(opened.errors, []);
  } finally {
    await opened.close();
  }
});

// What a platform gives the client is the same in Chromium; edge.test.ts executes in workerd.
inFull("the same from workerd", async () => {
  const { script } = await bundleFor(
    "edge",
    `import { clientScenario } from "./client-scenario.ts";
     const place = ${JSON.stringify(placeOf(standard, "14"))};
     export default { fetch: async () => Response.json(await clientScenario(place)) };`,
  );
  const worker = await openWorker(script);
  try {
    assert.deepEqual(await (await worker.fetch("/")).json(), TOLD);
  } finally {
    await worker.close();
  }
});

const ALL_PUSHING = [
  ["the channel port with certificates of secp256k1", () => standard, channelTo],
  ["the channel port with RSA certificates", () => rsa, channelTo],
  ["the channel port of a national chain", () => national, channelTo],
  ["a WebSocket", () => standard, socketTo],
] as const;
/** Ports of other certificates are in channel/tls-port.test.ts and dev-sm.test.ts. */
const PUSHING = TAKES_ALL_CASES ? ALL_PUSHING : ALL_PUSHING.slice(0, 1);
/** Transactions of the scenario: a receipt that is not pushed is asked for at least once. */
const SENT = 4;
/** A push is waited for as long before its receipt is asked for, but for what timers are early. */
const LATE_MS = 1_990;
/** A receipt next to a proof lacks the remaining gas, which is asked for. */
const isProved = (before: { readonly method: string } | undefined) =>
  before?.method === "getTransactionReceiptByHashWithProof";
for (const [name, chainOf, connect] of PUSHING) {
  test(`the same over ${name}, receipts pushed`, async () => {
    const { transport, asked } = connect(chainOf().ready);
    assert.deepEqual(await clientScenario(placeOf(chainOf(), "21"), transport), TOLD);
    // On a busy machine one may be late; only that one is asked for, and not at once.
    const late = new Set<unknown>();
    const waits = asked.flatMap(({ method, params, at }, index) => {
      if (method !== "getTransactionReceipt" || isProved(asked[index - 1])) return [];
      late.add(params[1]);
      return [at - (asked[index - 1]?.at ?? 0)];
    });
    assert.ok(late.size < SENT, `${late.size} asked for`);
    for (const wait of waits) assert.ok(wait >= LATE_MS, `asked for after ${wait} ms`);
  });
}

for (const [name, connect] of [
  ["the channel port", channelTo],
  ["a WebSocket", socketTo],
] as const) {
  test(`over ${name} blocks and events are told, and a refusal is one`, async () => {
    const { transport } = connect(standard.ready);
    const client = createClient({ transport, account: accountFromPrivateKey("22".repeat(32)) });
    const { contract } = await client.deploy({ ...greeter, args: ["hello"] });
    const heights: number[] = [];
    const texts: string[] = [];
    await client.subscribe(
      "blocks",
      {},
      {
        onResult: (header) => heights.push((header as { number: number }).number),
      },
    );
    const watching = await contract.watch({ onEvent: ({ args }) => texts.push(args.text) });
    const prepared = await client.prepareTransaction({
      to: contract.address,
      data: contract.encode("greet", "good evening"),
    });
    const { blockNumber } = await client.execute(prepared);
    const isTold = async () => heights.includes(Number(blockNumber)) && texts.length > 0;
    await askUntil(isTold, (told) => told);
    assert.deepEqual(texts, ["good evening"]);
    await watching.stop();
    assert.equal((await client.execute(prepared)).transactionHash, prepared.hash);
    const late = client.execute({ to: contract.address, blockLimit: 1 });
    const fault = await late.catch((cause: unknown) => cause);
    assert.ok(fault instanceof RefusalFault, String(fault));
    assert.equal(fault.status, "BlockLimitCheckFail");
  });
}

/** No answer: the other node has not told of its client, or the client had no time to answer. */
const NOT_YET = /no client of the topic|the subscriber did not answer/;

test("clients of two nodes send each other messages", async () => {
  const [first, second] = [channelTo(standard.ready, 0), channelTo(standard.ready, 1)];
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();
  const heard: string[] = [];
  await second.transport.onTopic("weather", (content) => {
    heard.push(text(content));
    return Buffer.from("rain");
  });
  const send = () =>
    first.transport.sendTo("weather", Buffer.from("today")).then(text, ({ message }) => message);
  const answer = await askUntil(send, (said) => !NOT_YET.test(said));
  assert.equal(answer, "rain");
  await first.transport.multicast("weather", Buffer.from("tomorrow"));
  await askUntil(
    async () => heard.at(-1),
    (last) => last === "tomorrow",
  );
});

test("the client is small enough for pages, and says how small", async () => {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: ["runtimes/shared/client/client.ts"],
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    write: false,
  });
  const bytes = outputFiles[0]?.contents ?? new Uint8Array(0);
  const size = { minified: bytes.length / 1024, gzip: gzipSync(bytes).length / 1024 };
  console.log(`client: ${size.minified.toFixed(1)} KiB, gzip ${size.gzip.toFixed(1)} KiB`);
  assert.ok(size.minified < MOST_KIB.minified && size.gzip < MOST_KIB.gzip, JSON.stringify(size));
});
