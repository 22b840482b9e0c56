/** A client's first steps against any runtime: submit a transaction, wait for its receipt. */
import { toPrefixedHex } from "../../../core/bytes/hex.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import { signTransaction } from "../../../core/model/transaction.ts";
import { STANDARD_SUITE } from "../suites.ts";

/** Sends the text of a JSON-RPC request and gives the text of the answer. */
export type Ask = (body: string) => Promise<string>;

/** How long a receipt is asked for: views may fail on a busy machine. */
const PATIENCE_MS = 240_000;
const PAUSE_MS = 50;

/** Init code that deploys one byte of code, STOP. */
const CREATION = new Uint8Array([0x60, 0x01, 0x80, 0x60, 0x09, 0x3d, 0x39, 0x3d, 0xf3, 0x00]);

/** A request and its result. @throws RangeError with the answer when it is an error */
export async function request(ask: Ask, method: string, params: readonly unknown[]) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const answer = JSON.parse(await ask(body)) as { result?: unknown; error?: unknown };
  if (answer.error !== undefined) throw new RangeError(JSON.stringify(answer.error));
  return answer.result;
}

/** Creates a contract and gives its receipt, once a block has it. */
export async function deploy(
  ask: Ask,
  suite: CryptoSuite = STANDARD_SUITE,
  nonce = 1n,
): Promise<Record<string, unknown>> {
  const fields = {
    nonce,
    gasPrice: 1n,
    gas: 1_000_000n,
    blockLimit: 500n,
    to: null,
    value: 0n,
    input: CREATION,
    chainId: 1n,
    groupId: 1n,
    extraData: new Uint8Array(0),
  };
  const { raw } = signTransaction(fields, new Uint8Array(32).fill(5), suite);
  const hash = await request(ask, "sendRawTransaction", [1, toPrefixedHex(raw)]);
  const end = performance.now() + PATIENCE_MS;
  while (performance.now() < end) {
    const receipt = await request(ask, "getTransactionReceipt", [1, hash]);
    if (receipt !== null) return receipt as Record<string, unknown>;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  throw new RangeError("no block took the transaction");
}
