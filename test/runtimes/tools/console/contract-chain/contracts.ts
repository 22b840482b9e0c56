/** Contracts on a chain. */
// rules: console 3, 4.3, 8, 9
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "vitest";
import type { Steps } from "../../../../support/console/steps.ts";
import type { People } from "./people.ts";

const SOURCES = {
  "LibSum.sol": `pragma solidity ^0.8.0;
library LibSum {
  function sum(uint256 a, uint256 b) public pure returns (uint256) { return a + b; }
}`,
  "Story.sol": `pragma solidity ^0.8.4;
import "./LibSum.sol";
contract Story {
  struct Entry { string name; uint256[] amounts; }
  error TooLow(uint256 given, uint256 least);
  event Told(string[] words, address indexed who);
  Entry last;
  constructor(uint256 least) { require(least > 0, "least is zero"); }
  function tell(string[] memory list) public {
    emit Told(list, msg.sender);
    emit Told(list, address(0));
  }
  function keep(Entry memory entry) public returns (string memory) {
    last = entry;
    return entry.name;
  }
  function read() public view returns (Entry memory) { return last; }
  function refuse(uint256 given) public { last.name = ""; revert TooLow(given, 10); }
  function check(uint256 given) public pure returns (uint256) {
    if (given < 10) revert TooLow(given, 10);
    return given;
  }
  function add(uint256 a) public pure returns (uint256) { return LibSum.sum(a, 1); }
  function add(string memory a) public pure returns (string memory) { return a; }
  function pack(bytes memory a, bytes4 b, bool c, int8 d) public pure
    returns (bytes memory, bytes4, bool, int8) { return (a, b, c, d); }
}`,
};

/** Writes the sources that tests compile next to those of the console. */
export async function writeSources(folder: string): Promise<void> {
  for (const [name, text] of Object.entries(SOURCES)) {
    await writeFile(join(folder, "contracts/solidity", name), text);
  }
}

const RULE = "-".repeat(93);

/** Lists the tests. */
export function contractTests(
  { world, done, refused }: Steps,
  { mine, other }: People,
  groupId: number,
): void {
  test("the tutorial: deploy HelloWorld, get, set, get", async () => {
    const run = (...words: readonly string[]) => world().run(...mine.words, ...words);
    const deployed = await run("deploy", "HelloWorld");
    assert.equal(deployed.code, 0);
    const form = new RegExp(
      "^transaction hash: 0x[0-9a-f]{64}\ncontract address: (0x[0-9a-f]{40})\n" +
        `currentAccount: ${mine.address}\n\n$`,
    );
    const address = form.exec(deployed.stdout)?.[1] ?? "";
    assert.ok(address, deployed.stdout);
    const get = await run("call", "HelloWorld", "latest", "get");
    assert.deepEqual(get, {
      code: 0,
      stdout: [
        RULE,
        "Return code: 0",
        "description: transaction executed successfully",
        "Return message: Success",
        RULE,
        "Return value size:1",
        "Return types: (STRING)",
        "Return values:(Hello, World!)",
        RULE,
        "\n",
      ].join("\n"),
      stderr: "",
    });
    const set = await run("call", "HelloWorld", address, "set", "Hello, chain");
    assert.equal(set.code, 0);
    const [hash, ...lines] = set.stdout.split("\n");
    assert.match(hash ?? "", /^transaction hash: 0x[0-9a-f]{64}$/);
    assert.deepEqual(lines, [
      RULE,
      "transaction status: 0x0",
      "description: transaction executed successfully",
      RULE,
      "Transaction inputs:",
      "Input value size:1",
      "Input types: (STRING)",
      "Input values:(Hello, chain)",
      RULE,
      "Receipt message: Success",
      "Return message: Success",
      "Return value size:0",
      "Return types: ()",
      "Return values:()",
      RULE,
      "Event logs",
      "Event: {}",
      RULE,
      "",
      "",
    ]);
    const [again] = await done(["call HelloWorld latest get"]);
    assert.deepEqual(again, { values: ["Hello, chain"] });
  });

  test("what was deployed is listed, logged, and kept with ABI and code", async () => {
    await done(["deploy HelloWorld"], ...mine.words);
    const [listed, two, one, log, abi] = await done([
      "listDeployContractAddress HelloWorld",
      "listDeployContractAddress HelloWorld 2",
      "getDeployLog 1",
      "getDeployLog",
      "listAbi HelloWorld",
    ]);
    const [newest] = listed as { address: string }[];
    assert.deepEqual([(listed as unknown[]).length, (two as unknown[]).length], [2, 2]);
    assert.match((one as string[])[0] ?? "", new RegExp(`  HelloWorld {10}  ${newest?.address}$`));
    assert.equal((log as unknown[]).length, 2);
    const { functions } = abi as { functions: readonly { methodId: string }[] };
    assert.deepEqual(
      functions.map(({ methodId }) => methodId),
      ["0x6d4ce63c", "0x4ed3885e"],
    );
    const [code] = await done([`getCode ${newest?.address}`]);
    assert.match(String(code), /^0x60/);
    const place = `contracts/.compiled/${groupId}/HelloWorld/${newest?.address}`;
    const kept = join(world().folder, place);
    assert.match(await readFile(join(kept, "HelloWorld.bin"), "utf8"), /^60/);
    assert.equal(JSON.parse(await readFile(join(kept, "HelloWorld.abi"), "utf8")).length, 3);
  });

  test("a library is deployed first, its address given; the constructor may refuse", async () => {
    const [lib] = await done(["deploy LibSum"]);
    const { contractAddress } = lib as { contractAddress: string };
    const asked = await world().run("deploy", "Story", "5");
    assert.equal(asked.code, 2);
    assert.match(asked.stderr, /needs the library LibSum: .* -l LibSum:0x<address>/);
    const failed = await world().run("deploy", "Story", "0", "-l", `LibSum:${contractAddress}`);
    assert.equal(failed.code, 1);
    const said =
      "deploy contract for Story failed!\nreturn message: least is zero\nreturn code:22\n";
    assert.match(failed.stdout, new RegExp(`^transaction hash: 0x\\w{64}\n${said}`));
    await done([`deploy Story 5 -l LibSum:${contractAddress}`]);
  });

  test("values of every kind: structures, texts with blanks, bytes, overloads", async () => {
    const data = await done([
      `call Story latest keep {"name":"a b","amounts":[1,0x2]}`,
      "call Story latest read",
      `call Story latest keep ["x y",[3]]`,
      "call Story latest add 41",
      "call Story latest add(string) 41",
      "call Story latest pack hex://0a0b 0x01020304 true -5",
    ]);
    const [kept, read, , sum, text, packed] = data as { values: unknown }[];
    assert.deepEqual(kept?.values, ["a b"]);
    assert.deepEqual(read?.values, [{ name: "a b", amounts: ["1", "2"] }]);
    assert.deepEqual([sum?.values, text?.values], [["42"], ["41"]]);
    assert.deepEqual(packed?.values, ["0x0a0b", "0x01020304", true, -5]);
    const shown = await world().run("call", "Story", "latest", "read");
    assert.match(
      shown.stdout,
      /Return types: \(\[STRING, \[UINT\]\]\)\nReturn values:\(\[x y, \[3\]\]\)/,
    );
  });

  test("events of a call are decoded, by another account too", async () => {
    const words = [...other.words, "call", "Story", "latest", "tell", '["a b","c"]'];
    const { code, stdout } = await world().run(...words);
    assert.equal(code, 0);
    const who = [other.address, `0x${"0".repeat(40)}`];
    const lists = who.map((address) => `[["a b","c"],"${address}"]`);
    assert.ok(stdout.includes(`Event: {"Told":[${lists.join(",")}]}`), stdout);
  });

  test("a receipt is decoded with the ABI that was kept", async () => {
    const [told] = await done(["call Story latest tell [x]"]);
    const { transactionHash } = told as { transactionHash: string };
    const [receipt] = await done([`getTransactionReceipt ${transactionHash} --decode`]);
    const { decoded } = receipt as { decoded: { function: string } };
    assert.equal(decoded.function, "tell(string[])");
  });

  test("reverts and errors of the contract's own are the message, with the status", async () => {
    const told = await refused(["call Story latest refuse 3", "call Story latest check 4"]);
    assert.deepEqual(told, [
      [22, "TooLow(3, 10)"],
      [22, "TooLow(4, 10)"],
    ]);
    const sent = await world().run("call", "Story", "latest", "refuse", "3");
    assert.equal(sent.code, 1);
    assert.match(sent.stdout, /^TransactionHash: 0x\w{64}\n\{\n {4}"code":22,\n {4}"msg":"TooLow/);
    const read = await world().run("call", "Story", "latest", "check", "4");
    assert.equal(read.code, 1);
    assert.match(read.stdout, /Return code: 22\ndescription: RevertInstruction, the contract rev/);
    assert.match(read.stderr, /Statuses are explained in docs\/console-contracts\.md/);
  });

  test("what does not fit is told before anything is sent, and ends with 2", async () => {
    const [before] = await done(["getBlockNumber"]);
    const told = await refused([
      "call HelloWorld latest sett x",
      "call HelloWorld latest set",
      "call Story latest add true false",
      "call Story latest pack 0x00 0x01 true 1",
      "call HelloWorld 0xzz get",
      "deploy HelloWorld surplus",
      "deploy NoSuchContract",
      "listAbi NoSuchContract",
    ]);
    const messages = [
      /no function sett\. Did you mean set\? It has\n {2}get\(\)\n {2}set\(string next\)/,
      /set does not take 0 arguments; it is declared as\n {2}set\(string next\)/,
      /add does not take 2 arguments; it is declared as\n {2}add\(uint256 a\)\n {2}add\(string a\)/,
      /^argument 2 \(bytes4 b\): "0x01" is no bytes4: it has 4 bytes, not 1/,
      /is no address/,
      /the constructor does not take 1 argument/,
      /^NoSuchContract does not exist/,
      /^NoSuchContract does not exist/,
    ];
    for (const [index, [code, message]] of told.entries()) {
      assert.equal(code, 2, message);
      assert.match(message, messages[index] ?? /none/);
    }
    assert.deepEqual(await done(["getBlockNumber"]), [before]);
    const [[code, message] = []] = await refused([`call HelloWorld 0x${"9".repeat(40)} get`]);
    assert.equal(code, 26, message);
  });
}
