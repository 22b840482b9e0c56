/**
 * Many blocks in the folders of a chain of processes before any of them runs: executed once, sealed
 * with the keys of the sealers, and written as each node's own ledger.
 */
import assert from "node:assert/strict";
import { cp, mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { encodeCall } from "../../../core/abi/encode.ts";
import type { HashFunction } from "../../../core/crypto/merkle.ts";
import { hexBytes, idBytes } from "../../../core/bytes/hex.ts";
import { signTransaction, withSender } from "../../../core/model/transaction.ts";
import type { Address } from "../../../core/bytes/ids.ts";
import type { Store } from "../../../core/ports/store.ts";
import { readGenesisFile } from "../../../runtimes/formats/config/genesis-file.ts";
import { parsePrivateKey } from "../../../runtimes/folder/private-key.ts";
import { createNodeSuite } from "../../../runtimes/node/machine/backends.ts";
import { createCopyGuard } from "../../../runtimes/node/store/copy-guard.ts";
import { createNodeEntropy } from "../../../runtimes/node/machine/entropy.ts";
import { openLevelStore } from "../../../runtimes/node/store/store.ts";
import type { ProcessChain } from "../process/node-processes.ts";
import { deployment } from "../sender.ts";
import { openTestChain } from "../execution/test-chain.ts";

const SENDER_KEY = hexBytes("31".repeat(32));
/** Stores 1 at 0, logs 32 bytes under one topic and returns them. */
const LOGGER = hexBytes("600160005560ff6000526007602060006000a060206000f3");
const TABLES = "0x0000000000000000000000000000000000001001" as Address;
const CNS = "0x0000000000000000000000000000000000001004" as Address;

const ledgerOf = (folder: string) => join(folder, "data", "group1", "block");

/** What a block holds: creations, calls with a log, failures, rows of tables, names, nothing. */
function contentOf(number: number, logger: Address | null, hash: HashFunction) {
  const call = (signature: string, args: readonly string[]) => encodeCall(signature, args, hash);
  if (logger === null) return { to: null, input: deployment(LOGGER) };
  switch (number % 7) {
    case 1:
      return { to: null, input: hexBytes("fe") };
    case 2: {
      const input = call("createTable(string,string,string)", [`t_${number}`, "id", "a,b"]);
      return { to: TABLES, input };
    }
    case 3: {
      const named = [`name${number}`, "1.0", logger, "[]"];
      return { to: CNS, input: call("insert(string,string,string,string)", named) };
    }
    default:
      return { to: logger, input: Uint8Array.of(number & 0xff) };
  }
}

/** Writes blocks into the ledgers of all nodes; none of them may have run. */
export async function prepareLedger(chain: ProcessChain, blocks: number): Promise<void> {
  const suite = await createNodeSuite();
  const [first, ...others] = chain.nodes;
  assert.ok(first);
  const file = join(first.folder, "conf", "group.1.genesis");
  const { genesis } = readGenesisFile(await readFile(file, "utf8"), file).value;
  const sealers = [...genesis.sealers].sort();
  const keys = await Promise.all(
    chain.nodes.map(async ({ folder }) => {
      return parsePrivateKey(await readFile(join(folder, "conf", "node.key"), "utf8"));
    }),
  );
  const sender = suite.address(suite.publicKey(SENDER_KEY));
  await mkdir(dirname(ledgerOf(first.folder)), { recursive: true });
  const store = await openLevelStore(ledgerOf(first.folder), { create: true });
  // One flush at the end is enough for a ledger that nobody reads meanwhile.
  const quick: Store = { ...store, commit: (writes) => store.commit(writes, { durable: false }) };
  const test = await openTestChain({ store: quick, suite, genesis });
  let logger: Address | null = null;
  for (let number = 1; number <= blocks; number++) {
    const fields = {
      nonce: BigInt(number),
      gasPrice: 1n,
      gas: 300_000_000n,
      blockLimit: BigInt(number + 400),
      value: 0n,
      ...contentOf(number, logger, suite.hash),
      chainId: 1n,
      groupId: 1n,
      extraData: new Uint8Array(),
    };
    const signed = withSender(signTransaction(fields, SENDER_KEY, suite), sender);
    const proposal = test.propose([signed]);
    const header = { ...proposal.header, sealerList: sealers, sealer: number % sealers.length };
    const outcome = await test.processor.execute({ ...proposal, header });
    assert.ok(outcome.ok, outcome.ok ? "" : outcome.reason);
    const { hash } = outcome.block;
    // Three of four, another one missing each time.
    const seals = sealers.flatMap((nodeId, index) => {
      const key = keys.find((pair) => pair?.nodeId === nodeId);
      if (!key || index === number % sealers.length) return [];
      return [{ index, signature: suite.sign(idBytes(hash), key.privateKey) }];
    });
    await test.processor.write(hash, seals);
    test.ledger.refresh();
    logger ??= (await test.ledger.block(hash))?.receipts[0]?.contractAddress ?? null;
  }
  await store.commit([], { durable: true });
  await store.close();
  for (const { folder } of others) {
    await mkdir(dirname(ledgerOf(folder)), { recursive: true });
    await cp(ledgerOf(first.folder), ledgerOf(folder), { recursive: true });
  }
  for (const { folder } of chain.nodes) await adopt(folder);
}

/** As if the node had written it itself. */
async function adopt(folder: string): Promise<void> {
  const store = await openLevelStore(ledgerOf(folder), { create: false });
  await createCopyGuard(() => ledgerOf(folder), createNodeEntropy()).adopt(1, store);
  await store.close();
}
