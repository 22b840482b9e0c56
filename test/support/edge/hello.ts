/** The contract HelloWorld on a chain whose endpoint may go away in the middle of a request. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { callData, abiText, sign, textCallData } from "../channel/outside-client.ts";
import { type Ask, request } from "../client/json-rpc-session.ts";
import { compileContract } from "../execution/solidity.ts";

const PRIVATE_KEY = `0x${"11".repeat(32)}`;
const ZERO = `0x${"0".repeat(40)}`;
const PAUSE_MS = 25;
const PATIENCE_MS = 240_000;

/** What a receipt reports, as far as it is examined. */
export interface HelloReceipt {
  readonly status: string;
  readonly blockNumber: string;
  readonly contractAddress: string;
}

/** Asks until there is an answer that satisfies. */
export async function untilAnswered<Value>(
  what: string,
  once: () => Promise<Value | undefined>,
): Promise<Value> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const value = await once().catch(() => undefined);
    if (value !== undefined) return value;
    assert.ok(performance.now() < end, `${what} in time`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** The contract. */
export class Hello {
  readonly #ask: Ask;
  #address: string | undefined;

  private constructor(ask: Ask) {
    this.#ask = ask;
  }

  static async deploy(ask: Ask): Promise<Hello> {
    const hello = new Hello(ask);
    const bytecode = compileContract("HelloWorld.sol", "solc04")["HelloWorld"]?.bytecode;
    const { hash } = await hello.#submit(`0x${bytecode}`);
    const { status, contractAddress } = await hello.receipt(hash);
    assert.equal(status, "0x0");
    assert.notEqual(contractAddress, ZERO);
    hello.#address = contractAddress;
    return hello;
  }

  async #submit(data: string): Promise<{ readonly hash: string }> {
    const head = BigInt((await request(this.#ask, "getBlockNumber", [1])) as string);
    const nonce = BigInt(`0x${randomBytes(24).toString("hex")}`);
    const to = this.#address === undefined ? {} : { to: this.#address };
    const blockLimit = head + 500n;
    const { raw, hash } = sign({ privateKey: PRIVATE_KEY, nonce, blockLimit, data, ...to });
    assert.equal(await request(this.#ask, "sendRawTransaction", [1, raw]), hash);
    return { hash };
  }

  /** Its hash, once the transaction was acknowledged. @throws when it was not */
  async send(text: string): Promise<string> {
    return (await this.#submit(textCallData("set(string)", text))).hash;
  }

  /** The receipt, asked for until there is one, from the own endpoint or another. */
  receipt(hash: string, ask: Ask = this.#ask): Promise<HelloReceipt> {
    return untilAnswered(`a receipt of ${hash}`, async () => {
      const found = await request(ask, "getTransactionReceipt", [1, hash]);
      return (found ?? undefined) as HelloReceipt | undefined;
    });
  }

  async get(ask: Ask = this.#ask): Promise<string> {
    const call = { from: ZERO, to: this.#address, data: callData("get()") };
    const { output } = (await request(ask, "call", [1, call])) as { output: string };
    return abiText(output);
  }
}
