/** An observer in a durable object of workerd follows a chain of four nodes. */
// rules: node-network 1, 2
import assert from "node:assert/strict";
import { afterAll, beforeAll, describe, test } from "vitest";
import { nodeIdOf } from "../../../../core/bytes/hex.ts";
import { keyPem } from "../../../../runtimes/formats/keys/key-pem.ts";
import { createNodeEntropy } from "../../../../runtimes/node/machine/entropy.ts";
import { certifyTab, joinRequest } from "../../../support/browser/join-tab.ts";
import { bundleFor } from "../../../support/browser/platform-bundle.ts";
import { type OpenWorker, openWorker } from "../../../support/browser/workerd.ts";
import { type Ask, request } from "../../../support/client/json-rpc-session.ts";
import { untilAnswered } from "../../../support/edge/hello.ts";
import {
  bodyOf,
  type Read,
  readsOfBlock,
  readsOfState,
  type SeenBlock,
} from "../../../support/ledger/ledger-reads.ts";
import { prepareLedger } from "../../../support/ledger/prepared-ledger.ts";
import { request as requestOf } from "../../../support/process/dev-process.ts";
import {
  initProcessChain,
  type NodeProcess,
  type ProcessChain,
  untilEqual,
} from "../../../support/process/node-processes.ts";
import { requireReceipts, send } from "../../../support/process/process-checks.ts";
import { changeRole } from "../../../support/process/process-roles.ts";
import { createSender } from "../../../support/sender.ts";
import { STANDARD_SUITE } from "../../../support/suites.ts";
import { inFull } from "../../../support/runner/in-full.ts";

/** The product's class, with an entry point for tests. */
const MODULE = `
  import worker, { ObserverObject } from "../../runtimes/edge/objects/observer.ts";
  export class TestedObserver extends ObserverObject {
    async fetch(request) {
      const isStruck = this.env.ONLY_TESTS === "yes" && new URL(request.url).pathname === "/evict";
      if (isStruck) this.ctx.abort("thrown away by a test");
      return super.fetch(request);
    }
  }
  export default worker;
`;
const BLOCKS = 40;

let chain: ProcessChain;
let first: NodeProcess;
let worker: OpenWorker;
let nodeId: string;

async function openObserver(): Promise<OpenWorker> {
  const privateKey = createNodeEntropy().bytes(32);
  const publicKey = STANDARD_SUITE.publicKey(privateKey);
  nodeId = nodeIdOf(publicKey);
  const bundle = await certifyTab(chain, { nodeId, publicKey: "" });
  const { kind: _kind, ...join } = await joinRequest(chain, bundle, chain.nodes);
  const { script } = await bundleFor("edgePeer", MODULE);
  const variables = {
    JOIN: JSON.stringify(join),
    NODE_KEY: keyPem("standard", privateKey, publicKey),
    ONLY_TESTS: "yes",
  };
  const objects = { OBSERVER: { className: "TestedObserver", useSQLite: true } };
  return openWorker(script, objects, variables);
}

beforeAll(async () => {
  chain = await initProcessChain({ nodes: 4, webSocket: true, pauseMs: 50, hosted: true });
  await prepareLedger(chain, BLOCKS);
  await Promise.all(chain.nodes.map((node) => node.start()));
  const [node] = chain.nodes;
  assert.ok(node);
  first = node;
  worker = await openObserver();
});
afterAll(async () => {
  await worker?.close();
  await chain?.close();
});

const ask: Ask = async (body) => (await worker.fetch("/", { method: "POST", body })).text();
const fromObserver = async (read: Read): Promise<unknown> => JSON.parse(await ask(bodyOf(read)));
const fromNode = async (read: Read): Promise<unknown> =>
  (await fetch(first.url, { method: "POST", body: bodyOf(read) })).json();

async function untilAt(number: number): Promise<void> {
  await untilAnswered(`block ${number} at the observer`, async () => {
    const head = Number(await request(ask, "getBlockNumber", [1]));
    return head >= number ? head : undefined;
  });
}

describe.sequential("an observer in an object", () => {
  test("dials the nodes and catches up once it is listed", async () => {
    const told = (await request(ask, "getNodeInfo", [])) as { NodeID: string };
    assert.equal(told.NodeID, nodeId);
    await changeRole(first, "addObserver", nodeId);
    await untilAt(BLOCKS + 1);
    const peers = (await request(ask, "getPeers", [1])) as readonly unknown[];
    assert.equal(peers.length, 4);
  });

  test("answers reads of blocks and state as the nodes do", async () => {
    await untilAt(await untilEqual(chain.nodes, BLOCKS + 1, 60_000));
    const numbers = [0, 1, 2, 3, BLOCKS / 2, BLOCKS];
    const reads: Read[] = [];
    for (const number of numbers) {
      const block = await requestOf(first.url, "getBlockByNumber", [1, `${number}`, true]);
      reads.push(...readsOfBlock(number, block as SeenBlock));
      const [made] = number === 1 ? (block as SeenBlock).transactions : [];
      if (!made) continue;
      const receipt = await requestOf(first.url, "getTransactionReceipt", [1, made.hash]);
      reads.push(...readsOfState((receipt as { contractAddress: string }).contractAddress));
    }
    for (const read of reads) {
      const what = `${read.method} ${JSON.stringify(read.params)}`;
      assert.deepEqual(await fromObserver(read), await fromNode(read), what);
    }
  });

  // Evictions and what they lose are in single-sealer.test.ts; alarms are examined with all cases.
  inFull("an alarm brings it back after an eviction, and it has lost nothing", async () => {
    const head = Number(await request(ask, "getBlockNumber", [1]));
    const isPeer = async (): Promise<boolean> => {
      const peers = await requestOf(first.url, "getPeers", [1]);
      return (peers as readonly { NodeID: string }[]).some(({ NodeID }) => NodeID === nodeId);
    };
    await worker.fetch("/evict").catch(() => undefined);
    // Nobody asks it meanwhile.
    await untilAnswered("its connection ended", async () => !(await isPeer()) || undefined);
    await untilAnswered("it dialled again", async () => (await isPeer()) || undefined);
    assert.ok(Number(await request(ask, "getBlockNumber", [1])) >= head);
    await requireReceipts([await send(first)], chain.nodes);
    await untilAt(await first.blockNumber());
  });

  test("what it takes is sealed by the nodes", async () => {
    const { raw, hash } = createSender(STANDARD_SUITE)({ head: await first.blockNumber() });
    assert.equal(await request(ask, "sendRawTransaction", [1, raw]), hash);
    await requireReceipts([hash], chain.nodes);
  });
});
