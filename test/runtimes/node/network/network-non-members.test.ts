/** Certified nodes that are in no group of a running node, or not as far as it knows. */
// rules: groups 5, node-network 2, node-network 8, sync 2
import assert from "node:assert/strict";
import { join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import { UNSOLICITED_MESSAGES } from "../../../../core/network/unsolicited.ts";
import type { MessageClass } from "../../../../core/ports/network.ts";
import { growingPauses, sleep, steadyPorts } from "../../../support/process/dev-process.ts";
import {
  editFile,
  initProcessChain,
  type NodeProcess,
  type ProcessChain,
  setIni,
  untilEqual,
} from "../../../support/process/node-processes.ts";
import { posedNetwork } from "../../../support/process/posed-network.ts";
import { sendAndSee } from "../../../support/process/process-checks.ts";
import { changeRole } from "../../../support/process/process-roles.ts";

const LIMIT_MS = 240_000;
const GROUP = 1;
const BATCH = 256;
/** Nobody can read it. */
const NOISE = Uint8Array.of(1, 2, 3, 4);
const COUNTER = /chain_node_p2p_rejected_frames_total\{[^}]*reason="unauthorised"[^}]*\} (\d+)/;

let chain: ProcessChain;
const metrics = new Map<NodeProcess, string>();

/** Node 0 alone makes blocks. */
beforeAll(async () => {
  chain = await initProcessChain({ nodes: 3, sealers: 1, pauseMs: 50, hosted: true });
  const first = await steadyPorts(2);
  for (const [index, node] of chain.nodes.slice(0, 2).entries()) {
    const port = first + index;
    metrics.set(node, `http://127.0.0.1:${port}/metrics`);
    // As an operator does: the port stands there commented out.
    const path = join(node.folder, "config.ini");
    await editFile(path, (text) =>
      text.replace(/^( *);listen_port=\d+$/m, `$1listen_port=${port}`),
    );
    // Without it a node answers no question about a group that it is not in yet.
    await setIni(path, "rpc", ["act_as_group_member", "true"]);
  }
});

afterAll(() => chain?.close());

function nodeAt(index: number): NodeProcess {
  return chain.nodes[index] ?? assert.fail(`node ${index}`);
}

async function until(what: string, holds: () => Promise<boolean> | boolean): Promise<void> {
  const end = performance.now() + LIMIT_MS;
  for (const pause = growingPauses(); !(await holds()); await pause()) {
    assert.ok(performance.now() < end, `in vain: ${what}`);
  }
}

/** Messages that a node has not heard. */
async function unheard(node: NodeProcess): Promise<number> {
  const text = await (await fetch(metrics.get(node) ?? "")).text();
  return Number(COUNTER.exec(text)?.[1] ?? Number.NaN);
}

/** Connects to a node with the key and the certificate of another one. */
async function pose(as: NodeProcess, to: NodeProcess) {
  const said: string[] = [];
  let downs = 0;
  const network = await posedNetwork(as, to, {
    write: (_, message, fields) => void said.push(`${message} ${fields?.["detail"] ?? ""}`),
  });
  await network.start({
    message: () => undefined,
    peerUp: () => undefined,
    peerDown: () => void downs++,
  });
  await until("the session", () => network.peers().length === 1);
  /** Says something this many times; no faster than its own queue empties. */
  const say = async (kind: MessageClass, count: number) => {
    for (let sent = 1; sent <= count && downs === 0; sent++) {
      const [peer] = network.peers();
      if (peer) network.send(peer.nodeId, { groupId: GROUP, kind, bytes: NOISE });
      if (sent % BATCH === 0) await sleep(10);
    }
  };
  return { said, downs: () => downs, say, close: () => network.stop() };
}

test("a certified node that is in no group may not flood: it is counted and kept out", async () => {
  const [node, outsider] = [nodeAt(0), nodeAt(1)];
  await node.start();
  const posed = await pose(outsider, node);
  try {
    assert.equal(await unheard(node), 0);
    await posed.say("consensus", 10);
    await until("counted", async () => (await unheard(node)) === 10);
    await posed.say("transactions", 4 * UNSOLICITED_MESSAGES);
    await until("cut off", () => posed.downs() === 1);
    assert.ok((await unheard(node)) > UNSOLICITED_MESSAGES);
    const isKeptOut = () => posed.said.some((line) => line.includes("banned after repeated"));
    await until("kept out", isKeptOut);
    // The group goes on meanwhile.
    await sendAndSee(node, [node]);
  } finally {
    await posed.close();
    await node.end("SIGTERM");
  }
});

test("a node that was removed and does not know goes on talking, and keeps its session", async () => {
  const [node, member] = [nodeAt(0), nodeAt(1)];
  await node.start();
  await changeRole(node, "addObserver", member.nodeId);
  const posed = await pose(member, node);
  try {
    await posed.say("consensus", 5);
    await changeRole(node, "remove", member.nodeId);
    const before = await unheard(node);
    // All that its queue held, and then its pace.
    await posed.say("consensus", 2_000);
    await posed.say("transactions", 500);
    for (let second = 0; second < 3; second++) {
      await posed.say("consensus", 100);
      await sleep(1_000);
    }
    await until("counted", async () => (await unheard(node)) === before + 2_800);
    assert.equal(posed.downs(), 0);
    await changeRole(node, "addObserver", member.nodeId);
    await posed.say("consensus", 5);
    await sleep(500);
    assert.equal(await unheard(node), before + 2_800);
    assert.equal(posed.downs(), 0);
  } finally {
    await posed.close();
    await node.end("SIGTERM");
  }
});

test("a node that was added in a block which this one lacks keeps its session, and is heard later", async () => {
  const [sealer, behind, added] = [nodeAt(0), nodeAt(1), nodeAt(2)];
  await Promise.all([sealer.start(), behind.start()]);
  await changeRole(sealer, "addObserver", behind.nodeId);
  await untilEqual([sealer, behind], 1, LIMIT_MS);
  await behind.end("SIGTERM");
  await changeRole(sealer, "addObserver", added.nodeId);
  const head = await sealer.blockNumber();
  await sealer.end("SIGTERM");
  await behind.start();
  assert.ok((await behind.blockNumber()) < head);
  const posed = await pose(added, behind);
  try {
    await posed.say("consensus", 2_000);
    await posed.say("transactions", 500);
    await until("counted", async () => (await unheard(behind)) === 2_500);
    assert.equal(posed.downs(), 0);
    await sealer.start();
    await untilEqual([sealer, behind], head, LIMIT_MS);
    await posed.say("consensus", 5);
    await sleep(500);
    assert.equal(await unheard(behind), 2_500);
    assert.equal(posed.downs(), 0);
  } finally {
    await posed.close();
    await Promise.all([sealer.end("SIGTERM"), behind.end("SIGTERM")]);
  }
});
