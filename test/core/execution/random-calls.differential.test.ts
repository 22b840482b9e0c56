/**
 * Random calls of every system contract and object, nested and rolled back: none may end a block,
 * and a node that begins anew at any block comes to the same hash as one that went on.
 */
// rules: precompiles 1, precompiles 5, storage 4, storage 4.1, README 22
import assert from "node:assert/strict";
import { test } from "vitest";
import { type AbiValue, encodeCall } from "../../../core/abi/encode.ts";
import { type AbiType, parseSignature } from "../../../core/abi/type.ts";
import { concatBytes, fixedUintBytes } from "../../../core/bytes/bytes.ts";
import { addressOfNumber, idBytes } from "../../../core/bytes/hex.ts";
import type { Address } from "../../../core/bytes/ids.ts";
import { createSmSuite } from "../../../core/crypto/national.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import { createBlockProcessor } from "../../../core/execution/block-processor.ts";
import { type Version, version } from "../../../core/model/version.ts";
import { assemble } from "../../support/execution/assembler.ts";
import {
  openTestChain,
  rawTransaction,
  SEALERS,
  type Sending,
  SUITE,
  type TestChain,
} from "../../support/execution/test-chain.ts";

const OBJECT = (
  "select(string,address) insert(string,address) update(string,address,address) " +
  "remove(string,address) newCondition() newEntry() getInt(string) getUInt(string) " +
  "getAddress(string) getBytes32(string) getBytes64(string) getString(string) " +
  "set(string,int256) set(string,uint256) set(string,address) set(string,string) get(int256) " +
  "size() EQ(string,int256) EQ(string,string) EQ(string,address) NE(string,int256) " +
  "NE(string,string) GT(string,int256) GE(string,int256) LT(string,int256) LE(string,int256) " +
  "limit(int256) limit(int256,int256) get(string)"
).split(" ");
const TABLES = "openTable(string) createTable(string,string,string)";
const CONTRACTS: Readonly<Record<number, string>> = {
  4096: "setValueByKey(string,string)",
  4097: TABLES,
  4098:
    "insert(string,string,string,string) update(string,string,string,string,string) " +
    "remove(string,string,string,string) select(string,string,string,string) desc(string)",
  4099: "addSealer(string) addObserver(string) remove(string)",
  4100:
    "insert(string,string,string,string) selectByName(string) " +
    "selectByNameAndVersion(string,string) getContractAddress(string,string)",
  4101:
    "insert(string,string) remove(string,string) queryByName(string) " +
    "grantWrite(address,address) revokeWrite(address,address) queryPermission(address)",
  4102:
    "registerParallelFunctionInternal(address,string,uint256) " +
    "unregisterParallelFunctionInternal(address,string)",
  4103:
    "freeze(address) unfreeze(address) grantManager(address,address) " +
    "revokeManager(address,address) getStatus(address) listManager(address)",
  4104:
    "grantCommitteeMember(address) revokeCommitteeMember(address) listCommitteeMembers() " +
    "updateCommitteeMemberWeight(address,int256) queryCommitteeMemberWeight(address) " +
    "updateThreshold(int256) queryThreshold() queryVotesOfMember(address) " +
    "queryVotesOfThreshold() grantOperator(address) revokeOperator(address) listOperators() " +
    "freezeAccount(address) unfreezeAccount(address) getAccountStatus(address)",
  4105:
    "charge(address,uint256) deduct(address,uint256) queryRemainGas(address) " +
    "grantCharger(address) revokeCharger(address) listChargers()",
  4112: TABLES,
  20482:
    "userAdd(string,uint256) userSave(string,uint256) userDraw(string,uint256) " +
    "userTransfer(string,string,uint256) userBalance(string)",
  20483: "paillierAdd(string,string)",
  20484: "groupSigVerify(string,string,string,string)",
  20485: "ringSigVerify(string,string,string)",
  20486: "sm3(bytes) keccak256Hash(bytes) sm2Verify(bytes32,bytes,bytes32,bytes32)",
};
const NUMBERS = Object.keys(CONTRACTS).map(Number);
const FIRST_OBJECT = 0x10001;
const OBJECTS = 8;

const TEXTS = [
  ..."t t2 k v x y name name,v v,v _k zz on off 5 -1 , a,b,c {} null [] {".split(" "),
  ..."tx_gas_limit consensus_timeout enable_charge_mgr 3000000 9223372036854775808".split(" "),
  ..."_sys_tables_ _sys_config_ _sys_table_access_ _sys_cns_ _sys_consensus_".split(" "),
  ..."set(string) transfer(string,string,uint256) 0x zz".split(" "),
  '{"v":"1"}',
  '{"v":"2","k":"z"}',
  '{"v":{"eq":"1"}}',
  '{"v":{"ge":"-1","lt":5}}',
  '{"limit":{"limit":"0,1"}}',
  '{"v":1.5e300,"_id_":"7"}',
  "",
  " v ",
  "\0",
  "\u00ff\u00e9",
  "x".repeat(49),
  "x".repeat(130),
  "x".repeat(300),
  "ab".repeat(64),
  ...SEALERS,
];
const INTEGERS = [0n, 1n, 2n, -1n, 99n, 2n ** 63n, 2n ** 64n, 2n ** 255n - 1n, -(2n ** 255n)];
const ACCOUNTS = ["a1", "b0", "c3"].map((pair) => `0x${pair.repeat(20)}` as Address);

/**
 * Makes the calls that its data lists, whatever becomes of each: address, length in two bytes,
 * data. The zero address reverts all that was done.
 */
const RELAY = assemble(`
  0 next: dup1 calldatasize gt iszero @end jumpi
  dup1 20 add calldataload 240 shr
  dup1 dup3 22 add 0 calldatacopy
  dup2 calldataload 96 shr
  dup1 iszero @undo jumpi
  0 0 dup4 0 0 dup6 gas call pop
  pop add 22 add @next jump
  undo: 0 0 revert
  end: stop
`);

/** Numbers from a seed, the same everywhere. */
function createDice(seed: number) {
  let state = seed;
  const roll = (sides: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
  return { roll, pick: <T>(list: readonly T[]): T => list[roll(list.length)] as T };
}

/** One run. One class because its chain, dice and contracts go together. */
class Run {
  readonly chain: TestChain;
  readonly #suite: CryptoSuite;
  readonly #dice: ReturnType<typeof createDice>;
  readonly #contracts: Address[] = [];

  constructor(chain: TestChain, suite: CryptoSuite, seed: number) {
    this.chain = chain;
    this.#suite = suite;
    this.#dice = createDice(seed);
  }

  encode(signature: string, ...values: AbiValue[]): Uint8Array {
    return encodeCall(signature, values, this.#suite.hash);
  }

  async begin(): Promise<void> {
    const factory = addressOfNumber(0x1001);
    const create = "createTable(string,string,string)";
    await this.chain.block(
      { to: factory, input: this.encode(create, "t", "k", "v,name") },
      { to: factory, input: this.encode(create, "t2", "k", "v") },
    );
    for (let count = 0; count < 2; count += 1) this.#contracts.push(await this.chain.deploy(RELAY));
  }

  #address(): Address {
    const { pick, roll } = this.#dice;
    const objects = addressOfNumber(FIRST_OBJECT + roll(OBJECTS));
    return pick([...ACCOUNTS, ...this.#contracts, addressOfNumber(0), objects, objects]);
  }

  #value(type: AbiType): AbiValue {
    const { pick, roll } = this.#dice;
    if (type.kind === "string") return pick(TEXTS);
    if (type.kind === "address") return this.#address();
    if (type.kind === "int") return pick(INTEGERS);
    if (type.kind === "uint") return BigInt.asUintN(256, pick(INTEGERS));
    return new Uint8Array(type.kind === "fixedBytes" ? type.size : roll(70)).fill(7);
  }

  /** A call that may be cut short or damaged. */
  #call(): { readonly to: Address; readonly input: Uint8Array } {
    const { pick, roll } = this.#dice;
    const number = roll(2) === 0 ? FIRST_OBJECT + roll(OBJECTS) : pick(NUMBERS);
    const signature = pick(CONTRACTS[number]?.split(" ") ?? OBJECT);
    const { inputs = [] } = parseSignature(signature) ?? {};
    let input = this.encode(signature, ...inputs.map((type) => this.#value(type)));
    const fate = roll(20);
    if (fate === 0) input = input.subarray(0, roll(input.length));
    if (fate === 1) input[roll(input.length)] = roll(256);
    return { to: roll(30) === 0 ? this.#address() : addressOfNumber(number), input };
  }

  #relayed(): Sending {
    const { pick, roll } = this.#dice;
    const parts: Uint8Array[] = [];
    for (let count = roll(5); count >= 0; count -= 1) {
      const { to, input } = this.#call();
      parts.push(idBytes(to), fixedUintBytes(input.length, 2), input);
    }
    if (roll(4) === 0) parts.push(new Uint8Array(22));
    return { from: pick(ACCOUNTS), to: pick(this.#contracts), input: concatBytes(...parts) };
  }

  #sending(): Sending {
    const { pick, roll } = this.#dice;
    const kind = roll(12);
    if (kind === 0)
      return { from: pick(ACCOUNTS), input: pick(["60018060093d393df300", "fe", ""]) };
    return kind < 7 ? this.#relayed() : { from: pick(ACCOUNTS), ...this.#call() };
  }

  /** An open table, an entry and a condition, so that objects are met. */
  #objects(): Sending[] {
    const { pick } = this.#dice;
    const table = addressOfNumber(FIRST_OBJECT);
    const entry = addressOfNumber(FIRST_OBJECT + 1);
    const open = this.encode("openTable(string)", pick(["t", "t2"]));
    const insert = this.encode(pick(["insert(string,address)", "set(string,address)"]), "x", entry);
    return [
      { to: addressOfNumber(pick([0x1001, 0x1010])), input: open },
      { to: table, input: this.encode("newEntry()") },
      { to: table, input: this.encode("newCondition()") },
      { to: entry, input: this.encode("set(string,string)", "v", pick(TEXTS)) },
      { to: table, input: insert },
    ];
  }

  /** Executes and writes a block; a processor that knows nothing yet must agree. */
  async block(): Promise<readonly number[]> {
    const { roll } = this.#dice;
    const { chain } = this;
    const sendings = roll(3) === 0 ? [] : this.#objects();
    for (let count = roll(8); count >= 0; count -= 1) sendings.push(this.#sending());
    const { store, version: chainVersion, genesis } = chain;
    const rules = { store, suite: this.#suite, version: chainVersion, genesis };
    const proposal = chain.propose(sendings.map(rawTransaction));
    const other = await createBlockProcessor(rules).execute(proposal);
    const own = await chain.processor.execute(proposal);
    assert.ok(own.ok && other.ok);
    assert.equal(own.block.hash, other.block.hash);
    await chain.processor.write(own.block.hash, []);
    chain.ledger.refresh();
    return (await chain.ledger.block(own.block.hash))?.receipts.map((it) => it.status) ?? [];
  }
}

const RUNS: readonly (readonly [chainVersion: Version, suite: CryptoSuite, seed: number])[] = [
  [version(2, 0, 0), SUITE, 1],
  [version(2, 4, 0), SUITE, 2],
  [version(2, 6, 0), SUITE, 3],
  [version(2, 11, 1), SUITE, 4],
  [version(2, 11, 1), createSmSuite(), 5],
];
const BLOCKS = Number(process.env["RANDOM_CALL_BLOCKS"] ?? 60);
const LIMIT_MS = 600_000;

for (const [chainVersion, suite, seed] of RUNS) {
  test(
    `random calls at version ${chainVersion} of the ${suite.name} suite end no block`,
    async () => {
      const run = new Run(await openTestChain({ version: chainVersion, suite }), suite, seed);
      await run.begin();
      const seen = new Set<number>();
      for (let block = 0; block < BLOCKS; block += 1)
        for (const status of await run.block()) seen.add(status);
      for (const status of [0, 22, 26]) assert.ok(seen.has(status), `status ${status} was met`);
    },
    LIMIT_MS,
  );
}
