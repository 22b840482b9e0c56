/** A recorded ledger of our own: a few blocks with transactions, seals and receipts. */
import assert from "node:assert/strict";
import { hexBytes, idBytes, nodeIdOf } from "../../../core/bytes/hex.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import type { GenesisConfig } from "../../../core/model/config.ts";
import {
  type SignedTransaction,
  signTransaction,
  withSender,
} from "../../../core/model/transaction.ts";
import { recordOf } from "../../../runtimes/shared/ledger-file/recorded-block.ts";
import { deployment } from "../sender.ts";
import { GENESIS, openTestChain } from "../execution/test-chain.ts";
import { NATIONAL_SUITE, STANDARD_SUITE } from "../suites.ts";

/** The suites by name. */
export const RECORD_SUITES = {
  standard: STANDARD_SUITE,
  national: NATIONAL_SUITE,
} as const;
/** Name of a suite. */
export type RecordSuite = keyof typeof RECORD_SUITES;

const SEALER_KEY = hexBytes("21".repeat(32));
const SENDER_KEY = hexBytes("22".repeat(32));
/** Stores 1 at 0, logs 32 bytes under one topic and returns them. */
const LOGGER = hexBytes("600160005560ff6000526007602060006000a160206000f3".replace("a160", "a060"));

/** The genesis of the recorded ledger of a suite. */
export function recordGenesis(name: RecordSuite): GenesisConfig {
  return { ...GENESIS, sealers: [nodeIdOf(RECORD_SUITES[name].publicKey(SEALER_KEY))] };
}

/** The genesis of the recorded ledger. */
export const RECORD_GENESIS: GenesisConfig = recordGenesis("standard");

type Sent = readonly [nonce: number, to: SignedTransaction["to"], input: Uint8Array];

function signedBy(suite: CryptoSuite, [nonce, to, input]: Sent): SignedTransaction {
  const numbers = { gasPrice: 1n, gas: 300_000_000n, blockLimit: 500n, value: 0n };
  const ids = { chainId: 1n, groupId: 1n, extraData: hexBytes("e0") };
  const fields = { nonce: BigInt(nonce), ...numbers, to, input, ...ids };
  const signed = signTransaction(fields, SENDER_KEY, suite);
  return withSender(signed, suite.address(suite.publicKey(SENDER_KEY)));
}

/** Another group than that of one sealer, and the keys of its sealers. */
export interface RecordSealers {
  readonly genesis: GenesisConfig;
  readonly keys: readonly Uint8Array[];
}

/** Lines of blocks 0 to 3: a creation, two calls, and one that fails. */
export async function signedRecord(
  name: RecordSuite = "standard",
  { genesis, keys }: RecordSealers = { genesis: recordGenesis(name), keys: [SEALER_KEY] },
): Promise<readonly string[]> {
  const suite = RECORD_SUITES[name];
  const chain = await openTestChain({ genesis, suite });
  const sealerList = [...chain.ledger.groupConfig().sealers].sort();
  const keyOf = (nodeId: string) => keys.find((key) => nodeIdOf(suite.publicKey(key)) === nodeId);
  const transaction = (...sent: Sent) => signedBy(suite, sent);
  const lines: string[] = [];
  const note = async () => {
    const block = await chain.ledger.block(chain.ledger.head().hash);
    assert.ok(block);
    lines.push(recordOf(block));
    return block;
  };
  const add = async (...transactions: SignedTransaction[]) => {
    const proposal = chain.propose(transactions);
    const header = { ...proposal.header, sealerList };
    const outcome = await chain.processor.execute({ ...proposal, header });
    assert.ok(outcome.ok, outcome.ok ? "" : outcome.reason);
    const { hash } = outcome.block;
    const seals = sealerList.flatMap((nodeId, index) => {
      const key = keyOf(nodeId);
      return key ? [{ index, signature: suite.sign(idBytes(hash), key) }] : [];
    });
    await chain.processor.write(hash, seals);
    chain.ledger.refresh();
    return note();
  };
  await note();
  const created = await add(transaction(1, null, deployment(LOGGER)));
  const contract = created.receipts[0]?.contractAddress ?? null;
  await add(transaction(2, contract, hexBytes("01")), transaction(3, contract, hexBytes("02")));
  await add(transaction(4, null, hexBytes("fe")));
  return lines;
}
