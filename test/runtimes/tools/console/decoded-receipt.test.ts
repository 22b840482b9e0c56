/** Receipts in the words of the contract that was deployed from the folder. */
// rules: console 8
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "vitest";
import { encodeAbi, selectorOf } from "../../../../core/abi/encode.ts";
import { utf8Bytes } from "../../../../core/bytes/byte-string.ts";
import { concatBytes } from "../../../../core/bytes/bytes.ts";
import { toPrefixedHex } from "../../../../core/bytes/hex.ts";
import type { Hex, Receipt } from "../../../../core/client/rpc-objects.ts";
import { createStandardSuite } from "../../../../core/crypto/standard.ts";
import { keepContract } from "../../../../runtimes/tools/console/contracts/deployed.ts";
import { decodeReceipt } from "../../../../runtimes/tools/console/decoded-receipt.ts";

const suite = createStandardSuite();
const ADDRESS = `0x${"12".repeat(20)}`;
const ABI = [
  {
    type: "function",
    name: "set",
    inputs: [{ name: "next", type: "string" }],
    outputs: [{ name: "", type: "uint256" }],
  },
  { type: "event", name: "Set", inputs: [{ name: "next", type: "string", indexed: false }] },
] as const;
const STRING = [{ kind: "string" }] as const;

const hex = (bytes: Uint8Array): Hex => toPrefixedHex(bytes) as Hex;

test("input, output and events are decoded; another receiver is left as it is", async () => {
  const folder = await mkdtemp(join(tmpdir(), "console-receipt-"));
  try {
    const place = { folder, groupId: 1 };
    await keepContract(place, { name: "Greeter", address: ADDRESS, abi: ABI as never });
    const text = encodeAbi(STRING, ["hi"]);
    const receipt = {
      to: ADDRESS,
      status: "0x0",
      input: hex(concatBytes(selectorOf("set(string)", suite.hash), text)),
      output: `0x${"7".padStart(64, "0")}`,
      logs: [
        {
          address: ADDRESS,
          data: hex(text),
          topics: [hex(suite.hash(utf8Bytes("Set(string)")))],
        },
      ],
    } as unknown as Receipt;
    assert.deepEqual(await decodeReceipt(receipt, { ...place, suite }), {
      function: "set(string)",
      input: { next: "hi" },
      output: 7n,
      events: [{ name: "Set", args: { next: "hi" } }],
    });
    const failed = { ...receipt, status: "0x16", output: "0x" } as Receipt;
    const decoded = await decodeReceipt(failed, { ...place, suite });
    assert.ok(decoded && !("output" in decoded));
    const other = { ...receipt, to: `0x${"34".repeat(20)}` } as Receipt;
    assert.equal(await decodeReceipt(other, { ...place, suite }), undefined);
  } finally {
    await rm(folder, { recursive: true });
  }
});
