/**
 * Brings a group up from its store: nonces, head, what a crash left behind.
 * Source: groups 2; txpool 5; storage 13
 */
import type { CryptoSuite } from "../../crypto/suite.ts";
import { StoreFault } from "../../fault/store-fault.ts";
import type { Ledger } from "../../ledger/ledger-view.ts";
import { requireNewest } from "../../ledger/newest-blocks.ts";
import { headerHash, unexecuted } from "../../model/header.ts";
import type { Log } from "../../ports/log.ts";
import type { Store } from "../../ports/store.ts";
import { addBlockNonces, createNonceWindow, windowStart } from "../../txpool/nonce-window.ts";
import { createPool } from "../../txpool/state.ts";
import type { GroupOptions, GroupPorts } from "../options/group-options.ts";
import { GroupRuntime } from "./group-runtime.ts";
import { readAbstention } from "../voting/abstention-store.ts";
import { VoteStore } from "../voting/vote-store.ts";

/** Reads what a group needs and starts it. The caller calls `begin` once messages can flow. */
export async function startGroup(options: GroupOptions, ports: GroupPorts): Promise<GroupRuntime> {
  const { ledger, entropy, store } = ports;
  const { tuning } = options;
  const head = ledger.head();
  const [a = 0, b = 0, c = 0, d = 0] = entropy.bytes(4);
  const window = createNonceWindow(((a << 24) | (b << 16) | (c << 8) | d) >>> 0);
  for (const block of await ledger.nonces(windowStart(head.number), head.number))
    addBlockNonces(window, block.number, block.nonces);
  const limits = {
    count: tuning.txPoolLimit,
    memoryBytes: tuning.txPoolMemoryBytes,
    expiryMs: tuning.txExpirationMs,
  };
  const stored = await ledger.header(head.hash);
  if (!stored) throw new StoreFault("corrupt", `the header of block ${head.number} is gone`);
  await requireNewest(ledger, options);
  await forgetStale(store, ledger, options.suite);
  const { failed } = await ledger.totals();
  const parent = { ...head, timestamp: stored.header.timestamp };
  const named = { ...ports, log: logOf(options.groupId, ports.log) };
  const pool = createPool(limits, window);
  const abstention = readAbstention(store);
  return new GroupRuntime(options, named, { pool, parent, failed, abstention });
}

/** Lines of a group say which one it is: a node may have many. */
function logOf(group: number, log: Log): Log {
  return { write: (level, message, fields) => log.write(level, message, { group, ...fields }) };
}

/** Proposals that a crash left behind: forgotten, unless their body is that of a written block. */
async function forgetStale(store: Store, ledger: Ledger, suite: CryptoSuite): Promise<void> {
  const votes = new VoteStore(store);
  for (const { proposal, number } of await votes.stale(ledger.head().number)) {
    const hash = await ledger.hashOf(number);
    const stored = hash && (await ledger.header(hash));
    const written = stored && headerHash(unexecuted(stored.header), suite);
    await votes.forget([proposal], written);
  }
}
