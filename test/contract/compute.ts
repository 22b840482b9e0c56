/** What every Compute port does; each implementation runs this in its real runtime. */
import assert from "node:assert/strict";
import { afterAll, afterEach, describe, test } from "vitest";
import { STANDARD_SUITE } from "../support/suites.ts";
import type { Compute, RecoverItem } from "../../core/ports/compute.ts";

const suite = STANDARD_SUITE;

function privateKey(seed: number): Uint8Array {
  return suite.hash(new TextEncoder().encode(`key ${seed}`));
}

interface Signed {
  readonly item: RecoverItem;
  readonly key: Uint8Array;
}

/** Each is signed once: that takes longer than to recover it. */
const signed = new Map<number, Signed>();

function signedBy(seed: number): Signed {
  const known = signed.get(seed);
  if (known) return known;
  const key = privateKey(seed);
  const digest = suite.hash(new TextEncoder().encode(`digest ${seed}`));
  const item = { digest, signature: suite.sign(digest, key) };
  const made = { item, key: suite.publicKey(key) };
  signed.set(seed, made);
  return made;
}

/** Signed digests of distinct keys, and who signed them. */
export function signedItems(count: number, seed = 0): { items: RecoverItem[]; keys: Uint8Array[] } {
  const all = Array.from({ length: count }, (_, at) => signedBy(seed + at));
  const copy = ({ item }: Signed) => ({
    digest: item.digest.slice(),
    signature: item.signature.slice(),
  });
  return { items: all.map(copy), keys: all.map(({ key }) => key.slice()) };
}

function changed(signature: Uint8Array, at: number, bytes: readonly number[]): Uint8Array {
  const copy = signature.slice();
  copy.set(bytes, at);
  return copy;
}

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** The same signature with s above half the order, and v to match. */
export function highS(signature: Uint8Array): Uint8Array {
  const s = BigInt(`0x${Buffer.from(signature.subarray(32, 64)).toString("hex")}`);
  const bytes = Buffer.from((ORDER - s).toString(16).padStart(64, "0"), "hex");
  const copy = signature.slice();
  copy.set(bytes, 32);
  copy[64] = 1 - (signature[64] ?? 0);
  return copy;
}

/** Signatures that no implementation accepts, by what is wrong with them. */
export function invalidItems(): readonly { name: string; item: RecoverItem }[] {
  const { items } = signedItems(1, 9_000);
  const [good] = items;
  assert.ok(good);
  const { digest, signature } = good;
  const zeros = Array<number>(32).fill(0);
  const ones = Array<number>(32).fill(0xff);
  const rows: readonly (readonly [string, Uint8Array])[] = [
    ["high s", highS(signature)],
    ["r zero", changed(signature, 0, zeros)],
    ["s zero", changed(signature, 32, zeros)],
    ["r above the order", changed(signature, 0, ones)],
    ["s above the order", changed(signature, 32, ones)],
    ["v 2", changed(signature, 64, [2])],
    ["v 3", changed(signature, 64, [3])],
    ["v 27", changed(signature, 64, [27])],
    ["one byte short", signature.slice(0, 64)],
    ["one byte long", new Uint8Array([...signature, 0])],
    ["empty", new Uint8Array(0)],
  ];
  const bad = rows.map(([name, bytes]) => ({ name, item: { digest, signature: bytes } }));
  return [...bad, { name: "digest short", item: { digest: digest.slice(1), signature } }];
}

/**
 * The suite: pass what opens the implementation under test.
 *
 * @param remembers whether it must be opened for each test, as answers would come from its memory
 */
export function computeContract(
  name: string,
  open: () => Promise<Compute>,
  { remembers = false } = {},
): void {
  describe(name, () => {
    let opened: Promise<Compute> | undefined;
    const close = async () => {
      const compute = await opened;
      opened = undefined;
      await compute?.close();
    };
    const using = async <T>(body: (compute: Compute) => Promise<T>): Promise<T> => {
      opened ??= open();
      return await body(await opened);
    };
    if (remembers) afterEach(close);
    else afterAll(close);

    test("an empty batch gives an empty answer", () =>
      using(async (compute) => assert.deepEqual(await compute.recover([]), [])));

    for (const count of [1, 2, 33, 530]) {
      test(`a batch of ${count} gives each signer's key, in order`, () =>
        using(async (compute) => {
          const { items, keys } = signedItems(count);
          assert.deepEqual((await compute.recover(items)).map(plain), keys.map(plain));
        }));
    }

    test("each invalid signature gives undefined and leaves its neighbours alone", () =>
      using(async (compute) => {
        const { items, keys } = signedItems(2);
        const [first, last] = items;
        assert.ok(first && last);
        for (const row of invalidItems()) {
          const answers = await compute.recover([first, row.item, last]);
          const expected = [keys[0], undefined, keys[1]].map(plain);
          assert.deepEqual(answers.map(plain), expected, row.name);
        }
      }));

    test("batches asked at once do not mix", () =>
      using(async (compute) => {
        const batches = [signedItems(40, 0), signedItems(3, 100), signedItems(90, 200)];
        const answers = await Promise.all(batches.map(({ items }) => compute.recover(items)));
        answers.forEach((answer, at) => {
          assert.deepEqual(answer.map(plain), batches[at]?.keys.map(plain));
        });
      }));

    test("the caller keeps its bytes", () =>
      using(async (compute) => {
        const { items } = signedItems(2);
        const before = JSON.stringify(items);
        await compute.recover(items);
        assert.equal(JSON.stringify(items), before);
      }));

    test("the same item twice in a batch is answered twice", () =>
      using(async (compute) => {
        const { items, keys } = signedItems(1);
        const answers = await compute.recover([...items, ...items]);
        assert.deepEqual(answers.map(plain), [...keys, ...keys].map(plain));
      }));
  });
}

/** Bytes in a form that compares by value whatever array type carries them. */
function plain(bytes: Uint8Array | undefined): string | undefined {
  return bytes && Buffer.from(bytes).toString("hex");
}
