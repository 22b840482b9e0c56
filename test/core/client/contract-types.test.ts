/** The types of contracts and of operations, checked by the compiler that checks this file. */
import assert from "node:assert/strict";
import { test } from "vitest";
import type { Contract } from "../../../core/client/contract.ts";
import type { ContractEvent, ConstructorArgs } from "../../../core/client/contract-types.ts";
import type { Client } from "../../../core/client/create-client.ts";
import type { Hex, Receipt, Transaction } from "../../../core/client/rpc-objects.ts";
import type { greeter } from "../../../docs/examples/greeter.ts";

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Compiles only when both types are the same. */
function same<A, B>(..._types: Equal<A, B> extends true ? [] : ["the types differ"]): void {}

type Abi = typeof greeter.abi;
type Greeter = Contract<Abi>;
type Answer<Method> = Method extends (...params: never) => Promise<infer T> ? T : never;

/** Never called: that it compiles is the test. */
function compiled(contract: Greeter, client: Client): void {
  same<Answer<Greeter["call"]["greeting"]>, string>();
  same<Answer<Greeter["call"]["visits"]>, bigint>();
  same<Answer<Greeter["call"]["about"]>, readonly [string, bigint]>();
  same<Answer<Greeter["call"]["lastVisit"]>, { by: Hex; height: bigint; text: string }>();
  same<Parameters<Greeter["call"]["visits"]>[0], readonly [Hex]>();
  same<Answer<Greeter["send"]["greet"]>["result"], bigint>();
  same<Answer<Greeter["send"]["greet"]>["receipt"], Receipt>();
  same<keyof Greeter["send"], "greet">();
  same<ConstructorArgs<Abi>, readonly [string]>();
  same<ContractEvent<Abi>["eventName"], "Greeted">();
  same<
    ContractEvent<Abi>["args"],
    { readonly by: Hex; readonly text: string; readonly times: bigint }
  >();
  // @ts-expect-error a number is no text
  void contract.send.greet([1]);
  // @ts-expect-error the argument is missing
  void contract.send.greet();
  // @ts-expect-error there is no such function
  void contract.send.shout(["hello"]);
  // @ts-expect-error reading needs no transaction
  void contract.send.greeting();
  void contract.call.greeting();
  void contract.call.greeting([], { from: "0x00" });

  same<Answer<Client["getBlockNumber"]>, Hex>();
  same<Answer<Client["getTransactionReceipt"]>, Receipt | null>();
  same<Parameters<Client["getTransactionReceipt"]>, [transactionHash: string]>();
  const whole = client.getBlockByNumber(1, true);
  const hashes = client.getBlockByNumber("0x1", false);
  same<Awaited<typeof whole>["transactions"], readonly Transaction[]>();
  same<Awaited<typeof hashes>["transactions"], readonly Hex[]>();
  // @ts-expect-error the flag is missing
  void client.getBlockByNumber(1);
  // @ts-expect-error there is no such operation
  void client.getBlock(1);
  const peers = client.request("getPeers", [1]);
  same<Awaited<typeof peers>[number]["Topic"], readonly string[]>();
  // @ts-expect-error the group is missing
  void client.request("getPeers", []);
}

test("types of contracts and operations compile as they are stated here", () => {
  assert.equal(typeof compiled, "function");
});
