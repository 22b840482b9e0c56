/**
 * Solidity contracts of four compilers on a chain of four nodes, checked from outside: every
 * runtime that hosts a chain runs this over a URL of each of its nodes.
 */
// rules: tx-block-codec 8.4, rpc-semantics 6.5
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, test } from "vitest";
import { ask, askUntil, post } from "../support/process/dev-chain-process.ts";
import type { LiveChain } from "./live-chain.ts";
import {
  abiText,
  bloomOf,
  callData,
  fromHex,
  hash,
  type Header,
  headerHash,
  type Level,
  type Receipt,
  receiptHash,
  rootOf,
  sign,
  signerOf,
  textCallData,
  toHex,
  word,
} from "../support/channel/outside-client.ts";
import { compileContract, type CompilerName } from "../support/execution/solidity.ts";

const ZERO = `0x${"0".repeat(40)}`;
const SUCCESS = "0x0";
const REVERTED = "0x16";

let chain: LiveChain;

const url = (): string => chain.urls[0] ?? "";

function account(i: number) {
  const found = chain.accounts[i];
  assert.ok(found);
  return found;
}

async function signed(to: string | undefined, data: string, sender = 0) {
  const head = BigInt(await ask<string>(url(), "getBlockNumber", 1));
  const nonce = BigInt(`0x${randomBytes(24).toString("hex")}`);
  const { privateKey } = account(sender);
  return sign({ privateKey, nonce, blockLimit: head + 500n, data, ...(to ? { to } : {}) });
}

async function receiptOf(transactionHash: string, from = url()): Promise<Receipt> {
  const once = () => ask<Receipt | null>(from, "getTransactionReceipt", 1, transactionHash);
  const receipt = await askUntil(once, (found) => found !== null);
  assert.ok(receipt);
  return receipt;
}

async function send(to: string | undefined, data: string, sender = 0): Promise<Receipt> {
  const transaction = await signed(to, data, sender);
  const answered = await ask<string>(url(), "sendRawTransaction", 1, transaction.raw);
  assert.equal(answered, transaction.hash);
  return receiptOf(answered);
}

function bytecodeOf(file: string, compiler: CompilerName, contract: string): string {
  const bytecode = compileContract(file, compiler)[contract]?.bytecode;
  assert.ok(bytecode, `${contract} compiles`);
  return bytecode;
}

async function deploy(bytecode: string, ...words: readonly string[]): Promise<string> {
  const receipt = await send(undefined, `0x${bytecode}${words.join("")}`);
  assert.equal(receipt.status, SUCCESS, receipt.output);
  assert.notEqual(receipt.contractAddress, ZERO);
  assert.notEqual(await ask(url(), "getCode", 1, receipt.contractAddress), "0x");
  return receipt.contractAddress;
}

async function call(to: string, data: string): Promise<{ status: string; output: string }> {
  return ask(url(), "call", 1, { from: account(0).address, to, data });
}

async function numberAt(to: string, data: string): Promise<bigint> {
  const { status, output } = await call(to, data);
  assert.equal(status, SUCCESS, output);
  return BigInt(output);
}

function topic(signature: string): string {
  return `0x${toHex(hash(Buffer.from(signature)))}`;
}

/** Recomputes everything that a client can check about a transaction on its own. */
async function checkFromOutside(receipt: Receipt): Promise<readonly Level[]> {
  const { transactionHash, transactionIndex, blockHash } = receipt;
  const header = await ask<Header>(url(), "getBlockHeaderByHash", 1, blockHash, true);
  assert.equal(headerHash(header), blockHash);
  const signers = header.signatureList.map(({ index, signature }) => {
    const signer = signerOf(blockHash, signature);
    assert.equal(signer, header.sealerList[Number(index)]);
    return signer;
  });
  assert.ok(new Set(signers).size >= 3, "three of four sealers signed");
  assert.equal(receipt.root, header.stateRoot);
  assert.equal(receipt.logsBloom, bloomOf(receipt.logs));

  type Proven = { transaction: { hash: string }; txProof: readonly Level[] };
  const proven = await ask<Proven>(url(), "getTransactionByHashWithProof", 1, transactionHash);
  assert.equal(proven.transaction.hash, transactionHash);
  const index = BigInt(transactionIndex);
  assert.equal(rootOf(index, fromHex(transactionHash), proven.txProof), header.transactionsRoot);

  type ProvenReceipt = { transactionReceipt: Receipt; receiptProof: readonly Level[] };
  const method = "getTransactionReceiptByHashWithProof";
  const own = await ask<ProvenReceipt>(url(), method, 1, transactionHash);
  // The gas that remained, which the hash covers, is told in the plain receipt only.
  const proved = { ...receipt, ...own.transactionReceipt };
  assert.deepEqual(proved, receipt);
  const leaf = receiptHash(proved);
  assert.equal(rootOf(index, leaf, own.receiptProof), header.receiptsRoot);
  const forged = receiptHash({ ...proved, gasUsed: "0x1" });
  assert.notEqual(rootOf(index, forged, own.receiptProof), header.receiptsRoot);
  return proven.txProof;
}

interface Claim {
  readonly name: string;
  readonly run: () => Promise<void>;
}

const CLAIMS: Claim[] = [];

function claim(name: string, run: Claim["run"]): void {
  CLAIMS.push({ name, run });
}

claim("a contract of Solidity 0.4 keeps the text it was given", async () => {
  const hello = await deploy(bytecodeOf("HelloWorld.sol", "solc04", "HelloWorld"));
  assert.equal(abiText((await call(hello, callData("get()"))).output), "Hello, World!");
  const text = "a text that is longer than one storage slot of thirty-two bytes";
  const receipt = await send(hello, textCallData("set(string)", text));
  assert.equal(receipt.status, SUCCESS);
  assert.equal(receipt.contractAddress, ZERO);
  assert.equal(abiText((await call(hello, callData("get()"))).output), text);
  await checkFromOutside(receipt);
});

claim("an ERC-20 token of Solidity 0.5 moves, logs, and refuses with its reason", async () => {
  const token = await deploy(bytecodeOf("Token.sol", "solc05", "Token"), word(1_000_000));
  const [owner, friend] = [account(0).address, account(1).address];
  const moved = await send(token, callData("transfer(address,uint256)", word(friend), word(250)));
  assert.equal(moved.status, SUCCESS);
  assert.deepEqual(moved.logs, [
    {
      address: token,
      data: `0x${word(250)}`,
      topics: [topic("Transfer(address,address,uint256)"), `0x${word(owner)}`, `0x${word(friend)}`],
    },
  ]);
  await checkFromOutside(moved);

  const many = callData("transfer(address,uint256)", word(owner), word(251));
  const refused = await send(token, many, 1);
  assert.equal(refused.status, REVERTED);
  assert.equal(abiText(refused.output), "insufficient balance");
  assert.deepEqual(refused.logs, []);
  await checkFromOutside(refused);
  assert.equal(await numberAt(token, callData("balanceOf(address)", word(friend))), 250n);
  assert.equal(await numberAt(token, callData("balanceOf(address)", word(owner))), 999_750n);
});

claim("a contract of Solidity 0.6 catches the revert of a nested call", async () => {
  const token = await deploy(bytecodeOf("Token.sol", "solc05", "Token"), word(500));
  const vault = await deploy(bytecodeOf("Vault.sol", "solc06", "Vault"));
  const attempt = callData("tryDeposit(address,uint256)", word(token), word(100));

  const refused = await send(vault, attempt);
  assert.equal(refused.status, SUCCESS);
  assert.equal(BigInt(refused.output), 0n);
  // The event that the failed frame had emitted before is gone.
  assert.equal(refused.logs.length, 1);
  assert.deepEqual(refused.logs[0]?.topics, [topic("Refused(string)")]);
  assert.equal(abiText(refused.logs[0]?.data ?? ""), "insufficient allowance");
  await checkFromOutside(refused);

  const plain = callData("deposit(address,uint256)", word(token), word(100));
  const propagated = await send(vault, plain);
  assert.equal(propagated.status, REVERTED);
  assert.equal(abiText(propagated.output), "insufficient allowance");

  await send(token, callData("approve(address,uint256)", word(vault), word(100)));
  const accepted = await send(vault, attempt);
  assert.deepEqual(
    accepted.logs.map(({ address, topics }) => [address, topics[0]]),
    [
      [vault, topic("Deposited(address,uint256)")],
      [token, topic("Transfer(address,address,uint256)")],
    ],
  );
  assert.equal(await numberAt(vault, callData("held(address)", word(token))), 100n);
  await checkFromOutside(accepted);
});

claim(
  "a factory of Solidity 0.8 creates at the addresses that CREATE and CREATE2 give",
  async () => {
    const contracts = compileContract("Factory.sol", "solc08");
    const factory = await deploy(contracts["Factory"]?.bytecode ?? "");
    const salt = word(0xabcdef);
    const made = await send(factory, callData("create(bytes32,uint256)", salt, word(7)));
    assert.equal(made.status, SUCCESS, made.output);
    const initCode = fromHex(`${contracts["Child"]?.bytecode}${word(7)}`);
    const preimage = [Uint8Array.of(0xff), fromHex(factory), fromHex(salt), hash(initCode)];
    const child = `0x${toHex(hash(...preimage).subarray(12))}`;
    assert.equal(made.output, `0x${word(child)}`);
    assert.deepEqual(made.logs[0]?.topics, [
      topic("Created(address,bytes32)"),
      `0x${word(child)}`,
      `0x${salt}`,
    ]);
    await checkFromOutside(made);

    const again = await send(factory, callData("create(bytes32,uint256)", salt, word(7)));
    assert.notEqual(again.status, SUCCESS, "the address is taken");

    const plain = await send(factory, callData("createPlain(uint256)", word(35)));
    const other = `0x${plain.output.slice(-40)}`;
    assert.equal(
      await numberAt(factory, callData("sum(address,address)", word(child), word(other))),
      42n,
    );
    await checkFromOutside(plain);
  },
);

claim("custom errors and panics of Solidity 0.8 reach the caller", async () => {
  const contracts = compileContract("Factory.sol", "solc08");
  const factory = await deploy(contracts["Factory"]?.bytecode ?? "");
  const large = callData("create(bytes32,uint256)", word(1), word(1001));
  const refused = await send(factory, large);
  assert.equal(refused.status, REVERTED);
  const expected = callData("TooLarge(uint256,uint256)", word(1001), word(1000));
  assert.equal(refused.output, expected);
  const panic = await call(factory, callData("aboveMost(uint256)", word(1)));
  assert.equal(panic.status, REVERTED);
  assert.equal(panic.output, callData("Panic(uint256)", word(0x11)));
});

/** Many transactions in one request, proved on every node; gives the levels of their proofs. */
async function levelsOfMany(hello: string): Promise<number> {
  const texts = Array.from({ length: 60 }, (_, i) => textCallData("set(string)", `text ${i}`));
  const transactions = await Promise.all(texts.map((data) => signed(hello, data)));
  const batch = transactions.map(({ raw }, id) => ({
    jsonrpc: "2.0",
    id,
    method: "sendRawTransaction",
    params: [1, raw],
  }));
  const answers = JSON.parse((await post(url(), JSON.stringify(batch))).text);
  assert.deepEqual(
    answers.map(({ result }: { result: string }) => result),
    transactions.map((transaction) => transaction.hash),
  );
  const receipts = await Promise.all(
    transactions.map((transaction) => receiptOf(transaction.hash)),
  );
  const levels: number[] = [];
  for (const receipt of receipts.filter((_, i) => i % 9 === 0)) {
    levels.push((await checkFromOutside(receipt)).length);
  }
  for (const one of chain.urls)
    for (const receipt of receipts.slice(0, 5)) {
      assert.deepEqual(await receiptOf(receipt.transactionHash, one), receipt);
    }
  return Math.max(...levels);
}

claim(
  "transactions of a large block prove themselves over several levels, on every node",
  async () => {
    const hello = await deploy(bytecodeOf("HelloWorld.sol", "solc04", "HelloWorld"));
    const levels: number[] = [];
    // On a busy machine many small blocks may take them.
    while (levels.length < 10 && Math.max(0, ...levels) < 2) levels.push(await levelsOfMany(hello));
    assert.ok(Math.max(...levels) >= 2, `levels of the proofs: ${levels}`);
  },
);

/** The suite: pass what opens a chain of four nodes. */
export function contractsContract(what: string, open: () => Promise<LiveChain>): void {
  describe(what, () => {
    beforeAll(async () => {
      chain = await open();
    });
    afterAll(() => chain.close());
    for (const { name, run } of CLAIMS) test(name, run);
  });
}
