/** Contracts that people deploy, against what they must do by their own arithmetic. */
import assert from "node:assert/strict";
import { beforeAll, test } from "vitest";
import type { Address } from "../../../../core/bytes/ids.ts";
import { hex } from "../../../support/execution/evm-host.ts";
import { type CompiledContract, compileContract } from "../../../support/execution/solidity.ts";
import {
  ANN,
  BEN,
  callData,
  EVE,
  hashOf,
  TwinChain,
  word,
} from "../../../support/execution/twin-chain.ts";

// Every transaction runs on the oracle too, with the same gas, logs, slots and accounts.

/** Compilers are slow when a machine is busy. */
const COMPILE_MS = 300_000;

let contracts: Record<string, CompiledContract>;
beforeAll(() => {
  contracts = compileContract("Business.sol", "solc08");
}, COMPILE_MS);

const MAX = (1n << 256n) - 1n;
const TRANSFER = hashOf("Transfer(address,address,uint256)");

function code(name: string): string {
  const contract = contracts[name];
  assert.ok(contract, name);
  return contract.bytecode;
}

function coin(chain: TwinChain, supply: bigint): Promise<Address> {
  return chain.create(code("Coin"), ["string", "uint256"], ["Coin", supply]);
}

test("a coin moves, is allowed, and burns; refusals change nothing", async () => {
  const chain = await TwinChain.open();
  const address = await coin(chain, 1_000n);
  const balances = new Map([
    [ANN, 1_000n],
    [BEN, 0n],
    [EVE, 0n],
  ]);
  const move = (from: Address, to: Address, value: bigint): void => {
    balances.set(from, (balances.get(from) ?? 0n) - value);
    balances.set(to, (balances.get(to) ?? 0n) + value);
  };
  const { logs } = await chain.send(address, ["transfer(address,uint256)", BEN, 300n]);
  move(ANN, BEN, 300n);
  assert.deepEqual(logs, [`${address} [${TRANSFER},${word(ANN)},${word(BEN)}] ${word(300n)}`]);
  const tooMuch = ["transfer(address,uint256)", BEN, 701n] as const;
  assert.equal(await chain.reason(address, tooMuch), "balance too small");
  const nobody = `0x${"0".repeat(40)}` as Address;
  assert.equal(await chain.reason(address, ["transfer(address,uint256)", nobody, 1n]), "nobody");
  await chain.send(address, ["approve(address,uint256)", EVE, 250n], BEN);
  const take = (value: bigint) =>
    ["transferFrom(address,address,uint256)", BEN, EVE, value] as const;
  assert.equal(await chain.reason(address, take(251n), EVE), "allowance too small");
  assert.deepEqual(await chain.get(address, take(200n), ["bool"], EVE), [true]);
  move(BEN, EVE, 200n);
  const allowance = ["allowance(address,address)", BEN, EVE] as const;
  assert.deepEqual(await chain.get(address, allowance, ["uint256"]), [50n]);
  await chain.send(address, ["approve(address,uint256)", EVE, MAX], BEN);
  await chain.send(address, take(100n), EVE);
  move(BEN, EVE, 100n);
  assert.deepEqual(await chain.get(address, allowance, ["uint256"]), [MAX]);
  assert.equal(await chain.reason(address, ["burn(uint256)", 301n], EVE), "panic 17");
  await chain.send(address, ["burn(uint256)", 40n], EVE);
  balances.set(EVE, 260n);
  for (const [who, balance] of balances)
    assert.deepEqual(await chain.get(address, ["balanceOf(address)", who], ["uint256"]), [balance]);
  assert.deepEqual(await chain.get(address, ["totalSupply()"], ["uint256"]), [960n]);
  assert.deepEqual(await chain.get(address, ["name()"], ["string"]), ["Coin"]);
  assert.deepEqual(await chain.get(address, ["decimals()"], ["uint8"]), [6n]);
});

test("a collectible goes to a contract only when that agrees", async () => {
  const chain = await TwinChain.open();
  const address = await chain.create(code("Collectible"));
  const holder = await chain.create(code("EvenKeeper"));
  const other = await coin(chain, 1n);
  for (const id of [7n, 8n, 102n]) await chain.send(address, ["mint(address,uint256)", BEN, id]);
  assert.equal(await chain.reason(address, ["mint(address,uint256)", ANN, 7n]), "exists");
  const give = (to: Address, id: bigint) => ["safeTransfer(address,uint256)", to, id] as const;
  assert.equal(await chain.reason(address, give(EVE, 7n), EVE), "not allowed");
  assert.equal(await chain.reason(address, give(EVE, 9n), EVE), "no such token");
  assert.equal(await chain.reason(address, give(holder, 7n), BEN), "odd");
  assert.equal(await chain.reason(address, give(holder, 102n), BEN), "no keeper");
  assert.equal(await chain.reason(address, give(other, 8n), BEN), "no keeper");
  assert.equal((await chain.send(address, give(holder, 8n), BEN)).status, 0);
  await chain.send(address, ["approve(address,uint256)", EVE, 7n], BEN);
  const { logs } = await chain.send(address, give(ANN, 7n), EVE);
  assert.deepEqual(logs, [`${address} [${TRANSFER},${word(BEN)},${word(ANN)},${word(7n)}] `]);
  for (const [id, owner] of [
    [7n, ANN],
    [8n, holder],
    [102n, BEN],
  ] as const) {
    assert.deepEqual(await chain.get(address, ["ownerOf(uint256)", id], ["address"]), [owner]);
  }
  const balance = async (who: Address): Promise<unknown> =>
    (await chain.get(address, ["balanceOf(address)", who], ["uint256"]))[0];
  assert.deepEqual([await balance(ANN), await balance(BEN), await balance(holder)], [1n, 1n, 1n]);
  assert.deepEqual(await chain.get(holder, ["kept()"], ["uint256"]), [1n]);
  assert.equal(await chain.reason(address, give(BEN, 7n), EVE), "not allowed");
});

test("a wallet calls when enough owners agree, and hands refusals on", async () => {
  const chain = await TwinChain.open();
  const types = ["address[]", "uint256"];
  const wallet = await chain.create(code("Wallet"), types, [[ANN, BEN, EVE], 2n]);
  const money = await coin(chain, 500n);
  await chain.send(money, ["transfer(address,uint256)", wallet, 100n]);
  const pay = (value: bigint) => callData(["transfer(address,uint256)", EVE, value]);
  const propose = (value: bigint) => ["propose(address,bytes)", money, pay(value)] as const;
  assert.deepEqual(await chain.get(wallet, propose(60n), ["uint256"]), [0n]);
  assert.deepEqual(await chain.get(wallet, propose(60n), ["uint256"], BEN), [1n]);
  const outsider = `0x${"77".repeat(20)}` as Address;
  assert.equal(await chain.reason(wallet, propose(1n), outsider), "not an owner");
  const confirm = (id: bigint) => ["confirm(uint256)", id] as const;
  assert.deepEqual(await chain.get(wallet, confirm(0n), ["bool"], ANN), [false]);
  assert.equal(await chain.reason(wallet, confirm(0n), ANN), "twice");
  const { logs } = await chain.send(wallet, confirm(0n), EVE);
  const executed = hashOf("Executed(uint256,bytes)");
  const result = `${word(32n)}${word(32n)}${word(1n)}`;
  assert.deepEqual(logs, [
    `${money} [${TRANSFER},${word(wallet)},${word(EVE)}] ${word(60n)}`,
    `${wallet} [${executed},${word(0n)}] ${result}`,
  ]);
  assert.deepEqual(await chain.get(wallet, confirm(0n), ["bool"], BEN), [false]);
  await chain.send(wallet, confirm(1n), ANN);
  assert.equal(await chain.reason(wallet, confirm(1n), BEN), "balance too small");
  assert.deepEqual(await chain.get(wallet, ["confirmed(uint256,address)", 1n, BEN], ["bool"]), [
    false,
  ]);
  assert.equal(await chain.reason(wallet, confirm(5n), BEN), "panic 50");
});

test("an auction takes higher bids until it closes and gives the others back", async () => {
  const chain = await TwinChain.open();
  const money = await coin(chain, 1_000n);
  const closing = chain.number + 2;
  const auction = await chain.create(code("Auction"), ["address", "uint256"], [money, 2n]);
  for (const who of [BEN, EVE]) {
    await chain.send(money, ["transfer(address,uint256)", who, 200n]);
    await chain.send(money, ["approve(address,uint256)", auction, 200n], who);
  }
  const bid = (amount: bigint) => ["bid(uint256)", amount] as const;
  assert.equal((await chain.send(auction, bid(50n), BEN)).status, 0);
  const low = hex(callData(["BidTooLow(uint256,uint256)", 50n, 51n]));
  assert.equal(await chain.reason(auction, bid(50n), EVE), low);
  assert.equal((await chain.send(auction, bid(80n), EVE)).status, 0);
  assert.equal((await chain.send(auction, bid(150n), BEN)).status, 0);
  assert.equal(await chain.reason(auction, bid(201n), EVE), "allowance too small");
  chain.number = closing;
  const closed = hex(callData(["Closed(uint256)", BigInt(closing)]));
  assert.equal(await chain.reason(auction, bid(190n), EVE), closed);
  assert.deepEqual(await chain.get(auction, ["withdraw()"], ["uint256"], EVE), [80n]);
  assert.deepEqual(await chain.get(auction, ["withdraw()"], ["uint256"], EVE), [0n]);
  assert.deepEqual(await chain.get(auction, ["withdraw()"], ["uint256"], BEN), [50n]);
  assert.deepEqual(await chain.get(money, ["balanceOf(address)", auction], ["uint256"]), [150n]);
  assert.deepEqual(await chain.get(money, ["balanceOf(address)", EVE], ["uint256"]), [200n]);
  assert.deepEqual(await chain.get(auction, ["leader()"], ["address"]), [BEN]);
});

test("a ballot counts votes that were handed on, around no circle", async () => {
  const chain = await TwinChain.open();
  const dan = `0x${"dd".repeat(20)}` as Address;
  const people = [ANN, BEN, EVE, dan];
  const ballot = await chain.create(code("Ballot"), ["uint256", "address[]"], [3n, people]);
  const hand = (to: Address) => ["hand(address)", to] as const;
  assert.equal((await chain.send(ballot, hand(BEN), ANN)).status, 0);
  assert.equal((await chain.send(ballot, hand(EVE), BEN)).status, 0);
  assert.equal(await chain.reason(ballot, hand(ANN), EVE), "circle");
  const vote = (choice: bigint) => ["vote(uint256)", choice] as const;
  assert.equal(await chain.reason(ballot, vote(1n), ANN), "no vote");
  assert.equal(await chain.reason(ballot, vote(3n), EVE), "panic 50");
  await chain.send(ballot, vote(2n), EVE);
  await chain.send(ballot, hand(ANN), dan);
  assert.deepEqual(await chain.get(ballot, ["counts(uint256)", 2n], ["uint256"]), [4n]);
  assert.deepEqual(await chain.get(ballot, ["winner()"], ["uint256"]), [2n]);
  const seen = await chain.get(
    ballot,
    ["voters(address)", dan],
    ["uint256", "bool", "address", "uint256"],
  );
  assert.deepEqual(seen, [1n, true, EVE, 0n]);
});

test("an escrow passes its states in one order only", async () => {
  const chain = await TwinChain.open();
  const money = await coin(chain, 100n);
  const types = ["address", "address", "address", "address"];
  const escrow = await chain.create(code("Escrow"), types, [ANN, BEN, EVE, money]);
  assert.equal(await chain.reason(escrow, ["settle(bool)", true]), "nothing to settle");
  assert.equal(await chain.reason(escrow, ["fund(uint256)", 70n], BEN), "cannot fund");
  assert.equal(await chain.reason(escrow, ["fund(uint256)", 70n]), "allowance too small");
  assert.deepEqual(await chain.get(escrow, ["state()"], ["uint8"]), [0n]);
  await chain.send(money, ["approve(address,uint256)", escrow, 100n]);
  assert.equal((await chain.send(escrow, ["fund(uint256)", 70n])).status, 0);
  assert.equal(await chain.reason(escrow, ["settle(bool)", true], BEN), "not yours");
  assert.deepEqual(await chain.get(escrow, ["settle(bool)", true], ["uint8"], EVE), [2n]);
  assert.equal(await chain.reason(escrow, ["settle(bool)", true], EVE), "nothing to settle");
  assert.deepEqual(await chain.get(money, ["balanceOf(address)", BEN], ["uint256"]), [70n]);
  assert.deepEqual(await chain.get(escrow, ["toState(uint8)", 3n], ["uint8"]), [3n]);
  assert.equal(await chain.reason(escrow, ["toState(uint8)", 4n]), "panic 33");
});

test("a vesting pays its share of the time, and no more", async () => {
  const chain = await TwinChain.open();
  const [start, wait, length, total] = [1_000n, 100n, 900n, 12_345n];
  const types = ["uint64", "uint64", "uint64", "uint256"];
  const vesting = await chain.create(code("Vesting"), types, [start, wait, length, total]);
  let released = 0n;
  for (const time of [0n, 1_099n, 1_100n, 1_333n, 1_899n, 1_900n, 5_000n]) {
    const isEarly = time < start + wait;
    const due = time >= start + length ? total : (total * (time - start)) / length;
    const vested = isEarly ? 0n : due;
    assert.deepEqual(await chain.get(vesting, ["vested(uint64)", time], ["uint256"]), [vested]);
    const paid = await chain.get(vesting, ["release(uint64)", time], ["uint256"]);
    assert.deepEqual(paid, [vested - released]);
    released = vested;
  }
  assert.equal(await chain.reason(vesting, ["release(uint64)", 1_200n]), "panic 17");
});
