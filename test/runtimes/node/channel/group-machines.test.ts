/** Nodes in this process that are far behind their group, or make no blocks, asked over TLS. */
// rules: channel-protocol 6.1
import assert from "node:assert/strict";
import { afterEach, test } from "vitest";
import { Entry, nodeOf, signed } from "../../../codes/entry.ts";
import { HTTP_PLACE } from "../../../codes/http-place.ts";
import { requestText } from "../../../support/channel/channel-client.ts";
import { ServicePlace } from "../../../support/channel/channel-service-place.ts";
import { TYPE } from "../../../support/channel/channel-frames.ts";
import { immediateHub } from "../../../support/world/group-machine.ts";
import { inFull } from "../../../support/runner/in-full.ts";

const CONSENSUS = 0x1003;
/** A node that knows of this many further blocks takes no transactions. */
const FAR_BLOCKS = 25;
const PATIENCE_MS = 240_000;
/** Pools are cleaned up once in so long, and a little. */
const CLEANED_UP_MS = 3_500;

const endings: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

async function entry(options: Parameters<typeof Entry.open>[2]): Promise<Entry> {
  const opened = await Entry.open(HTTP_PLACE, new Set(), options);
  endings.push(() => opened.close());
  return opened;
}

/** An observer that hears how far the sealer is, and cannot ask it for blocks. */
async function farBehind(): Promise<Entry> {
  const hub = immediateHub();
  let isMute = false;
  const sealer = await entry({ hub });
  const observer = await entry({
    hub,
    index: 1,
    sealers: [0],
    network: (network) => ({
      ...network,
      self: network.self,
      peers: () => network.peers(),
      start: (events) => network.start(events),
      send: (to, message) => void (isMute || network.send(to, message)),
      stop: () => network.stop(),
    }),
  });
  await sealer.run(CONSENSUS, "addObserver(string)", nodeOf(1));
  while (observer.machine.height(1) < 1) await new Promise((resume) => setTimeout(resume, 2));
  isMute = true;
  for (let block = 0; block < FAR_BLOCKS; block++) await sealer.send({});
  return observer;
}

test("a node that is far behind refuses transactions", async () => {
  const { machine } = await farBehind();
  const place = await ServicePlace.open({}, machine.node.api);
  endings.push(() => place.close());
  const client = await place.connect();
  const until = performance.now() + PATIENCE_MS;
  for (let said = ""; !said.includes("NodeIsSyncing"); ) {
    assert.ok(performance.now() < until, said);
    const { error } = await client.rpc("sendRawTransaction", 1, signed());
    if (error !== undefined) assert.equal(error.code, -32_603);
    said = error?.message ?? "";
  }
  assert.equal(await client.handshake(3), 3);
  const seq = client.send(TYPE.rpc, requestText("sendRawTransaction", [1, signed()]));
  const answer = await client.taken(TYPE.rpc, seq);
  assert.match(answer.data.toString(), /"result":"0x[0-9a-f]{64}"/);
  const { data } = await client.taken(TYPE.receiptPush, seq);
  const { status } = JSON.parse(data.toString()) as { status: string };
  assert.equal(status, "0x1d");
});

// core/channel/receipt-push.test.ts has what is pushed of it.
inFull(
  "a transaction that expires is reported as refused, and is refused when sent again",
  async () => {
    // The other sealer is never there.
    const { machine } = await entry({ sealers: [0, 1], tuning: { txExpirationMs: 1 } });
    const place = await ServicePlace.open({}, machine.node.api);
    endings.push(() => place.close());
    const [first, third] = [await place.connect(), await place.connect()];
    assert.equal(await third.handshake(3), 3);
    const told = [first, third].map(async (client) => {
      const raw = signed();
      const seq = client.send(TYPE.rpc, requestText("sendRawTransaction", [1, raw]));
      const answer = await client.taken(TYPE.rpc, seq);
      assert.match(answer.data.toString(), /"result":"0x[0-9a-f]{64}"/);
      await new Promise((resume) => setTimeout(resume, CLEANED_UP_MS));
      const { data } = await client.taken(TYPE.receiptPush, seq);
      assert.equal((JSON.parse(data.toString()) as { status: string }).status, "0x1d");
      return raw;
    });
    const [early = "", late = ""] = await Promise.all(told);
    const { error } = await first.rpc("sendRawTransaction", 1, early);
    assert.match(error?.message ?? "", /AlreadyInChain\(0x2711\): TransactionAlreadyInChain, /);
    const seq = third.send(TYPE.rpc, requestText("sendRawTransaction", [1, late]));
    const { data } = await third.taken(TYPE.receiptPush, seq);
    assert.equal((JSON.parse(data.toString()) as { status: string }).status, "0x2711");
  },
);
