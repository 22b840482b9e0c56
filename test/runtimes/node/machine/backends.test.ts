/** Every engine of the standard suite gives the bytes that noble gives. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, test } from "vitest";
import { NOBLE_BACKEND } from "../../../../core/crypto/standard.ts";
import type { Log } from "../../../../core/ports/log.ts";
import {
  createNativeSignatures,
  createNodeSuite,
} from "../../../../runtimes/node/machine/backends.ts";
import {
  createWasmKeccak,
  createWasmSignatures,
  type SignatureBackend,
} from "../../../../runtimes/shared/platform/wasm-backends.ts";
import { highS, invalidItems, signedItems } from "../../../contract/compute.ts";

const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });
const HALF = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

function hex(bytes: Uint8Array | undefined): string | undefined {
  return bytes && Buffer.from(bytes).toString("hex");
}

function backendContract(name: string, backend: SignatureBackend): void {
  describe(name, () => {
    test("it signs as noble signs, and recovers the signer", () => {
      fc.assert(
        fc.property(bytes32, bytes32, (digest, key) => {
          const expected = attempt(() => NOBLE_BACKEND.sign(digest, key));
          assert.equal(hex(attempt(() => backend.sign(digest, key))), hex(expected));
          if (!expected) return;
          assert.equal(hex(backend.publicKey(key)), hex(NOBLE_BACKEND.publicKey(key)));
          assert.equal(hex(backend.recover(digest, expected)), hex(backend.publicKey(key)));
          assert.equal(backend.recover(digest, highS(expected)), undefined);
        }),
        { numRuns: 40 },
      );
    });

    test("it agrees with noble on random signatures, most of them of no point", () => {
      for (let round = 0; round < 150; round++) {
        const digest = randomBytes(32);
        const signature = randomBytes(65);
        signature[32] = (signature[32] ?? 0) & 0x7f;
        signature[64] = round % 3;
        const context = `${hex(digest)} ${hex(signature)}`;
        const expected = hex(NOBLE_BACKEND.recover(digest, signature));
        assert.equal(hex(backend.recover(digest, signature)), expected, context);
      }
    });

    test("s may be half the order and not one more", () => {
      const { items } = signedItems(1);
      const digest = items[0]?.digest ?? new Uint8Array(32);
      for (const [s, accepted] of [
        [HALF, true],
        [HALF + 1n, false],
      ] as const) {
        const signature = (items[0]?.signature ?? new Uint8Array(65)).slice();
        signature.set(Buffer.from(s.toString(16).padStart(64, "0"), "hex"), 32);
        const found = backend.recover(digest, signature);
        assert.equal(hex(found), hex(NOBLE_BACKEND.recover(digest, signature)));
        assert.equal(found !== undefined, accepted);
      }
    });

    for (const { name: reason, item } of invalidItems()) {
      test(`it refuses a signature with ${reason}`, () => {
        assert.equal(backend.recover(item.digest, item.signature), undefined);
      });
    }

    test("a digest of zeros and the key one are like any other", () => {
      const digest = new Uint8Array(32);
      const key = new Uint8Array(32);
      key[31] = 1;
      const signature = NOBLE_BACKEND.sign(digest, key);
      assert.equal(hex(backend.sign(digest, key)), hex(signature));
      assert.equal(hex(backend.recover(digest, signature)), hex(NOBLE_BACKEND.publicKey(key)));
    });
  });
}

function attempt(run: () => Uint8Array): Uint8Array | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}

const native = createNativeSignatures();
if (native) backendContract("the native engine", native);
else test.skip("the native engine: secp256k1 is optional and has no binary here");

const wasm = await createWasmSignatures();
assert.ok(wasm, "libauth compiles on Node");
backendContract("the WebAssembly engine", wasm);

test("keccak in WebAssembly hashes as noble hashes, at every length", async () => {
  const keccak256 = await createWasmKeccak();
  assert.ok(keccak256);
  for (let length = 0; length < 300; length++) {
    const data = randomBytes(length);
    assert.equal(hex(keccak256(data)), hex(NOBLE_BACKEND.keccak256(data)), `${length} bytes`);
  }
  const large = randomBytes(200_000);
  const view = new Uint8Array(large.buffer, large.byteOffset + 3, 100_001);
  assert.equal(hex(keccak256(view)), hex(NOBLE_BACKEND.keccak256(view)));
});

test("two hashes do not share their result bytes", async () => {
  const keccak256 = await createWasmKeccak();
  assert.ok(keccak256);
  const first = keccak256(new Uint8Array([1]));
  const before = hex(first);
  keccak256(new Uint8Array([2]));
  assert.equal(hex(first), before);
});

for (const signatures of ["native", "wasm", "noble"] as const) {
  test(`a suite that prefers ${signatures} says which engines it uses and recovers`, async () => {
    const lines: string[] = [];
    const log: Log = {
      write: (_level, message, fields) => lines.push(JSON.stringify([message, fields])),
    };
    const suite = await createNodeSuite({ signatures, log });
    const { items, keys } = signedItems(1);
    const [item] = items;
    assert.ok(item);
    assert.equal(hex(suite.recover(item.digest, item.signature)), hex(keys[0]));
    const expected = signatures === "native" && !native ? "wasm" : signatures;
    assert.match(lines.join(), new RegExp(`"signatures":"${expected}"`));
  });
}
