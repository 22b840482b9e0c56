/** Statuses of receipts and of refused transactions. Source: interface 7.3; execution 10 */
import assert from "node:assert/strict";
import { encodeCall } from "../../core/abi/encode.ts";
import { addressOfNumber, hexBytes } from "../../core/bytes/hex.ts";
import { createStandardSuite } from "../../core/crypto/standard.ts";
import { immediateHub } from "../support/world/group-machine.ts";
import type { CodeCase, CodeElsewhere, CodeReason, OpenControlSocket } from "./code-case.ts";
import { account, type Entry, nodeOf, signed } from "./entry.ts";

const { hash } = createStandardSuite();
const GOVERNANCE = 0x1008;
const PERMISSION = 0x1005;
const LIFE_CYCLE = 0x1007;
const CONSENSUS = 0x1003;
/** A transaction pool is looked through every three seconds. */
const CLEANED_UP_MS = 240_000;

/** A creation whose code ends like this. */
function ending(code: number, name: string, init: string): CodeCase {
  return {
    code,
    test: `a creation ends with ${name}`,
    run: async (open) => (await open()).send({ input: hexBytes(init) }),
  };
}

/** A node whose group cannot make blocks: the other sealer is away. */
function stuck(open: OpenControlSocket, tuning = {}): Promise<Entry> {
  return open({ sealers: [0, 1], tuning });
}

async function submit(entry: Entry, raw: string): Promise<void> {
  await entry.ask("sendRawTransaction", 1, raw);
}

const BLOCKED: readonly CodeCase[] = [
  {
    code: 10_000,
    test: "a transaction that waits is sent again",
    run: async (open) => {
      const entry = await stuck(open);
      const raw = signed();
      await submit(entry, raw);
      await submit(entry, raw);
    },
  },
  {
    code: 10_001,
    test: "a transaction that has expired is sent again",
    run: async (open) => {
      const entry = await stuck(open, { txExpirationMs: 1 });
      const raw = signed();
      const until = performance.now() + CLEANED_UP_MS;
      while (!entry.seen.has("7.3 10001") && performance.now() < until) {
        await submit(entry, raw);
        await new Promise((resume) => setTimeout(resume, 100));
      }
    },
  },
  {
    code: 28,
    test: "a pool for one transaction is sent two",
    run: async (open) => {
      const entry = await stuck(open, { txPoolLimit: 1 });
      await submit(entry, signed());
      await submit(entry, signed());
    },
  },
  {
    code: 10_006,
    test: "a pool of ten bytes is sent a transaction",
    run: async (open) => submit(await stuck(open, { txPoolMemoryBytes: 10 }), signed()),
  },
];

/** A refused transaction of a node that works. */
function refused(code: number, name: string, raw: () => string): CodeCase {
  return { code, test: name, run: async (open) => submit(await open(), raw()) };
}

const REFUSED: readonly CodeCase[] = [
  refused(2, "bytes with more behind their end are sent", () => "0x80ff"),
  refused(3, "bytes that are a string instead of a list are sent", () => "0x80"),
  refused(5, "a transaction with an impossible signature is sent", () =>
    signed({ nonce: 9n }).replace(
      /a0[0-9a-f]{64}a0[0-9a-f]{64}$/,
      `a0${"ff".repeat(32)}a0${"ff".repeat(32)}`,
    ),
  ),
  refused(16, "a transaction is sent after its last block", () => signed({ blockLimit: 0n })),
  refused(10_002, "a transaction of another chain is sent", () => signed({ chainId: 2n })),
  refused(10_003, "a transaction of another group is sent", () => signed({ groupId: 2n })),
  {
    code: 15,
    test: "two transactions with one nonce are sent",
    run: async (open) => {
      const entry = await open();
      const nonce = 1_000_000n;
      await entry.ask("sendRawTransaction", 1, signed({ nonce }));
      await entry.ask("sendRawTransaction", 1, signed({ nonce, input: Uint8Array.of(0xfe) }));
    },
  },
  {
    code: 29,
    test: "an observer that is 25 blocks behind is sent a transaction",
    run: farBehind,
  },
];

/** The second node hears how far the first one is, and cannot ask it for blocks. */
async function farBehind(open: OpenControlSocket): Promise<void> {
  const hub = immediateHub();
  let mute = false;
  const first = await open({ hub });
  const second = await open({
    hub,
    index: 1,
    sealers: [0],
    network: (network) => ({
      ...network,
      self: network.self,
      peers: () => network.peers(),
      start: (events) => network.start(events),
      send: (to, message) => void (mute || network.send(to, message)),
      stop: () => network.stop(),
    }),
  });
  await first.run(CONSENSUS, "addObserver(string)", nodeOf(1));
  while (second.machine.height(1) < 1) await new Promise((resume) => setTimeout(resume, 2));
  mute = true;
  for (let block = 0; block < 25; block += 1) await first.send({});
  const until = performance.now() + 240_000;
  while (!second.seen.has("7.3 29") && performance.now() < until)
    await second.ask("sendRawTransaction", 1, signed());
}

const EXECUTED: readonly CodeCase[] = [
  { code: 0, test: "a contract is created", run: async (open) => (await open()).deploy() },
  ending(1, "data read that no call returned", "6001600060003e"),
  ending(10, "an undefined instruction", "fe"),
  ending(11, "a jump to no destination", "600556"),
  ending(12, "no gas left", "5b600056"),
  ending(13, "a full stack", "5b6001600056"),
  ending(14, "an empty stack", "01"),
  ending(22, "REVERT", "60006000fd"),
  {
    code: 4,
    test: "a transaction has more data than its gas pays for",
    run: async (open) => {
      const entry = await open({ genesis: { gasLimit: 100_000n } });
      return entry.send({ input: new Uint8Array(2_000).fill(1) });
    },
  },
  {
    code: 8,
    test: "a modular exponentiation is asked for that the gas does not pay",
    run: async (open) => {
      const input = hexBytes((4_096).toString(16).padStart(64, "0").repeat(3));
      return (await open()).call(addressOfNumber(5), input);
    },
  },
  {
    code: 21,
    test: "a table is opened that does not exist",
    run: async (open) => (await open()).run(0x1010, "openTable(string)", "none"),
  },
  {
    code: 25,
    test: "an account creates a contract when another has the permission",
    run: async (open) => {
      const entry = await open();
      await entry.run(PERMISSION, "insert(string,string)", "_sys_tables_", account(2));
      return entry.send({});
    },
  },
  {
    code: 26,
    test: "an address without code is called",
    run: async (open) => (await open()).send({ to: account(2) }),
  },
  {
    code: 30,
    test: "a frozen contract is called",
    run: async (open) => {
      const entry = await open();
      const contract = await entry.deploy();
      await entry.run(LIFE_CYCLE, "freeze(address)", contract);
      return entry.send({ to: contract, input: encodeCall("get()", [], hash) });
    },
  },
  {
    code: 31,
    test: "a frozen account sends a transaction",
    run: async (open) => {
      const entry = await open();
      await entry.deploy(2);
      await entry.run(GOVERNANCE, "grantCommitteeMember(address)", account(1));
      await entry.run(GOVERNANCE, "freezeAccount(address)", account(2));
      const { status } = await entry.send({ from: 2 });
      assert.equal(status, 31);
    },
  },
];

/** The cases, in the order of their codes. */
export const STATUS_CASES: readonly CodeCase[] = [...EXECUTED, ...REFUSED, ...BLOCKED].sort(
  (left, right) => left.code - right.code,
);

const NO_BALANCES = "no transaction costs anything from version 2.0.0 on: there are no balances";
const NEVER = "nothing in the specification gives it; its place was taken by";

/** The codes that no answer has. */
export const STATUS_REASONS: readonly CodeReason[] = [
  { code: 6, reason: `${NEVER} NonceCheckFail (15)` },
  { code: 7, reason: NO_BALANCES },
  { code: 9, reason: `${NEVER} the limit of one transaction: blocks have none` },
  { code: 17, reason: `${NEVER} PermissionDenied (25)` },
  { code: 18, reason: `${NEVER} PermissionDenied (25)` },
  { code: 19, reason: `${NEVER} PermissionDenied (25)` },
  { code: 20, reason: `${NEVER} PermissionDenied (25)` },
  { code: 23, reason: `${NEVER} InvalidSignature (5)` },
  {
    code: 24,
    reason:
      "a creation of a transaction has an address of its own, from sender and account nonce: two " +
      "that are equal are a collision of the hash; test/core/execution/creation.test.ts makes one",
  },
  {
    code: 27,
    reason:
      "a transaction has the gas of tx_gas_limit, whatever its own field says; a limit beyond " +
      "what a frame counts is cut, so nothing overflows",
  },
  {
    code: 10_005,
    reason:
      "senders are recovered while bytes are decoded, so that such bytes are refused earlier, as " +
      "InvalidSignature, over HTTP and at the SDK port",
  },
];

/** The codes that only clients of the SDK port are shown: HTTP answers -40009 in their place. */
export const STATUS_ELSEWHERE: readonly CodeElsewhere[] = [
  {
    code: 10_004,
    file: "test/runtimes/node/channel/refusals.ts",
    test: "a node that is not in the group refuses its transactions",
  },
];
