/** A browser tab that joins a chain of processes, with a certificate made for its key. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { JoinKey, JoinStartRequest } from "../../../runtimes/browser/link/api.ts";
import { issueInto } from "../../../runtimes/folder/certificate-work.ts";
import { createNodeEntropy } from "../../../runtimes/node/machine/entropy.ts";
import type { NodeProcess, ProcessChain } from "../process/node-processes.ts";
import type { TabPage } from "./tab-node.ts";

const DAYS = 365;

/** The key of a tab; the tab makes it when it has none. */
export function keyOfTab({ page }: TabPage, sm = false): Promise<JoinKey> {
  return page.evaluate(`tab.worker.joinKey({ sm: ${sm} })`);
}

/** Has an agency of a chain certify a public key; gives the folder. */
export async function certifyTab(chain: ProcessChain, { nodeId }: JoinKey): Promise<string> {
  const out = join(chain.folder, "..", `tab-${nodeId.slice(0, 8)}`);
  const order = { ca: chain.folder, agency: "agency", newAgency: false, kind: "node" } as const;
  const context = { entropy: createNodeEntropy(), now: Date.now(), days: DAYS };
  await issueInto({ ...order, name: "tab", publicKey: nodeId, out }, context);
  return out;
}

/** What a tab needs to join a chain over some of its nodes. */
export async function joinRequest(
  chain: ProcessChain,
  bundle: string,
  peers: readonly NodeProcess[],
): Promise<JoinStartRequest> {
  const [first] = chain.nodes;
  assert.ok(first);
  const prefix = first.sm ? "gm" : "";
  const text = (path: string) => readFile(path, "utf8");
  return {
    kind: "join",
    chainId: 1,
    sm: first.sm,
    certificate: await text(join(bundle, `${prefix}node.crt`)),
    authority: await text(join(bundle, `${prefix}ca.crt`)),
    peers: peers.map(({ webSocket }) => webSocket),
    groups: [await text(join(first.folder, "conf", "group.1.genesis"))],
  };
}

/** Joins: the key is made, certified, and the node started. @returns the node ID */
export async function joinTab(
  tab: TabPage,
  chain: ProcessChain,
  peers: readonly NodeProcess[],
): Promise<string> {
  const key = await keyOfTab(tab, chain.nodes[0]?.sm ?? false);
  const bundle = await certifyTab(chain, key);
  await tab.start(await joinRequest(chain, bundle, peers));
  await tab.until("status.phase === 'running'");
  return key.nodeId;
}
