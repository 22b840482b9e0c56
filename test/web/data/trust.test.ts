/** Whom a browser trusts: those seen first or entered, until its user says otherwise. */
import assert from "node:assert/strict";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { onTestFinished, test, vi } from "vitest";
import type { TypedRequest } from "../../../core/client/rpc-methods.ts";
import { STANDARD_SUITE as SUITE } from "../../support/suites.ts";
import { NEWEST_VERSION } from "../../../core/model/version.ts";
import type { ChainSource } from "../../../web/data/source.ts";
import { ChainTrust, pastedIds, type TrustPlace, trustOf } from "../../../web/data/trust.ts";
import { TrustStore } from "../../../web/data/trust-store.ts";
import { idsOf, refuses, TrailChain } from "../../support/client/trail-chain.ts";
import { keptTexts } from "../kept-texts.ts";

/** A node that tells a chain, which may be exchanged. */
function nodeOf(chain: TrailChain, kind: "node" | "tab" = "node") {
  const told = { chain };
  const answers = async (method: string, [, number]: readonly unknown[]): Promise<unknown> => {
    const block = told.chain.blocks[Number(number)];
    switch (method) {
      case "getBlockNumber":
        return `0x${(told.chain.blocks.length - 1).toString(16)}`;
      case "getBlockHeaderByNumber":
        return block?.header;
      case "getBlockByNumber":
        return { ...block?.header, transactions: block?.transactions };
      case "getTransactionReceiptByHashWithProof": {
        const all = told.chain.blocks.flatMap(({ receipts }) => [...receipts]);
        return new Map(all).get(String(number)) ?? null;
      }
      default:
        throw new TypeError(method);
    }
  };
  const place = (): TrustPlace => ({
    source: { kind } as ChainSource,
    groupId: 1,
    facts: { chainId: 1n, version: NEWEST_VERSION, suiteName: "standard", client: {} as never },
    request: answers as unknown as TypedRequest,
    chain: told.chain.header(0).hash,
  });
  return { told, place };
}

function changingChain(): TrailChain {
  const chain = new TrailChain(SUITE, "abcd").grow(3);
  return chain.add({ calls: [{ role: "addSealer", name: "e" }] }).grow(2);
}

test("the sealers seen first stay trusted over role changes and visits, until they are compared", async () => {
  const chain = changingChain();
  const { place } = nodeOf(chain);
  const texts = keptTexts();
  const first = new ChainTrust(place(), new TrustStore(texts));
  const seen = await first.standing();
  assert.deepEqual([seen.kept.seenNumber, seen.kept.confirmedAt], [6, undefined]);
  chain.add({ calls: [{ role: "remove", name: "a" }] }).grow(3);
  for (const { header } of chain.blocks) await first.certify(header);
  const again = new ChainTrust(place(), new TrustStore(texts));
  const { kept, trail } = await again.standing();
  assert.deepEqual(kept.sealers, seen.kept.sealers);
  assert.deepEqual([...trail.sealers].sort(), [...idsOf("bcde", SUITE)].sort());
  assert.equal(trail.steps.at(-1)?.number, 10);
  let told = 0;
  again.onChange(() => told++);
  await again.confirm();
  assert.equal(told, 1);
  assert.ok((await again.standing()).kept.confirmedAt);
});

test("what one tab decides counts in the others, and what they find does not undo it", async () => {
  const chain = changingChain();
  const { place } = nodeOf(chain);
  const texts = keptTexts();
  const [one, other] = [0, 1].map(() => new ChainTrust(place(), new TrustStore(texts)));
  assert.ok(one && other);
  await one.standing();
  await other.standing();
  await one.confirm();
  let told = 0;
  other.onChange(() => told++);
  await other.certify(chain.grow(1).header(7));
  await other.reopen();
  await other.reopen();
  const { kept, trail } = await other.standing();
  assert.deepEqual(
    [told, kept.confirmedAt !== undefined, trail.steps.at(-1)?.number],
    [1, true, 7],
  );
  await one.forget();
  await other.certify(chain.grow(1).header(8));
  await other.reopen();
  assert.equal((await other.standing()).kept.confirmedAt, undefined);
});

test("all trusts of a page hear other tabs through one listener, and keep no source alive", async () => {
  type Listener = (event: { readonly key: string | null }) => void;
  const listeners: Listener[] = [];
  const texts = keptTexts();
  vi.stubGlobal("localStorage", texts);
  vi.stubGlobal("addEventListener", (_: string, it: Listener) => void listeners.push(it));
  onTestFinished(() => void vi.unstubAllGlobals());
  const { place } = nodeOf(changingChain());
  const mine = place();
  const trust = trustOf(mine);
  assert.equal(trustOf(mine), trust);
  await trust.standing();
  let told = 0;
  trust.onChange(() => told++);
  const left = Array.from({ length: 10 }, () => {
    const at = place();
    trustOf(at);
    return new WeakRef(at.source);
  });
  assert.equal(listeners.length, 1);
  await new ChainTrust(place(), new TrustStore(texts)).confirm();
  listeners[0]?.({ key: "chain-node.contracts" });
  listeners[0]?.({ key: `chain-node.trust.${mine.chain}` });
  await vi.waitUntil(() => told === 1, { timeout: 240_000 });
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const isLetGo = (): boolean => {
    collect();
    return left.every((it) => it.deref() === undefined);
  };
  await vi.waitUntil(isLetGo, { timeout: 240_000 });
  assert.equal(trustOf(mine), trust);
});

test("a node that tells other blocks under the same first block is refused", async () => {
  const chain = changingChain();
  const { place, told } = nodeOf(chain);
  const trust = new ChainTrust(place(), new TrustStore(keptTexts()));
  await trust.standing();
  told.chain = chain.branch(2, "wxyz").grow(6);
  await refuses(trust.certify(told.chain.header(4)), "fork");
  await refuses(trust.certify(told.chain.header(8)), "fork");
  // Who comes later sees that block 2 held no change, or that it may have held one.
  const fresh = new ChainTrust(place(), new TrustStore(keptTexts()));
  await refuses(fresh.certify(told.chain.header(8)), "change");
  await refuses(fresh.certify(told.chain.header(1)), "change");
  await fresh.confirm();
  await fresh.certify(told.chain.header(8));
  const idle = new TrailChain(SUITE, "abcd").add().add();
  const other = nodeOf(idle.branch(2, "wxyz").grow(3));
  await refuses(new ChainTrust(other.place(), new TrustStore(keptTexts())).standing(), "fork");
});

test("sealers that were given are trusted when the node shows their blocks, else nothing changes", async () => {
  const chain = changingChain();
  const { place } = nodeOf(chain);
  const texts = keptTexts();
  const trust = new ChainTrust(place(), new TrustStore(texts));
  await refuses(trust.enter(idsOf("abcz", SUITE)), "sealers");
  assert.equal((await trust.standing()).kept.isEntered, undefined);
  chain.add({ calls: [{ role: "addSealer", name: "f" }] }).grow(2);
  await trust.enter(idsOf("fedcba", SUITE));
  const { kept } = await trust.standing();
  assert.deepEqual([kept.isEntered, kept.seenNumber], [true, 9]);
  for (const { header } of chain.blocks) await trust.certify(header);
});

test("another chain at the address of a node is only trusted after its user says so", async () => {
  const texts = keptTexts();
  const old = nodeOf(changingChain());
  await new ChainTrust(old.place(), new TrustStore(texts)).standing();
  const chain = new TrailChain(SUITE, "abcd", "9").grow(2);
  const trust = new ChainTrust(nodeOf(chain).place(), new TrustStore(texts));
  await refuses(trust.certify(chain.header(1)), "change");
  await refuses(trust.certify(chain.header(0)), "change");
  assert.equal((await trust.standing()).otherChain, old.told.chain.header(0).hash);
  await trust.acceptChain();
  await trust.certify(chain.header(1));
  const back = new ChainTrust(old.place(), new TrustStore(texts));
  await refuses(back.certify(old.told.chain.header(1)), "change");
  await back.forget();
  await back.certify(old.told.chain.header(1));
  // The chains of a tab are its user's own.
  const tab = new ChainTrust(nodeOf(chain, "tab").place(), new TrustStore(texts));
  await tab.certify(chain.header(1));
});

test("a chain without blocks is trusted by its first block; what was kept badly is forgotten", async () => {
  const texts = keptTexts();
  const chain = new TrailChain(SUITE, "ab");
  const { place } = nodeOf(chain);
  const trust = new ChainTrust(place(), new TrustStore(texts));
  assert.deepEqual((await trust.standing()).kept.sealers, idsOf("ab", SUITE));
  await trust.certify(chain.grow(2).header(2));
  const key = `chain-node.trust.${chain.header(0).hash}`;
  for (const text of ["", "null", "[]", '{"sealers":[],"steps":[]}', '{"steps":[{}]}']) {
    texts.setItem(key, text);
    assert.equal(new TrustStore(texts).find(chain.header(0).hash), undefined);
  }
});

test("node IDs are taken from what people paste, and nothing else is", () => {
  const [a = "", b = ""] = idsOf("ab", SUITE);
  assert.deepEqual(pastedIds(`["${a}",\n "${b}"]`), [a, b]);
  assert.deepEqual(pastedIds(`0x${a.toUpperCase()} ${a}`), [a]);
  for (const text of ["", a.slice(1), `${a} x`]) assert.equal(pastedIds(text), undefined);
});
