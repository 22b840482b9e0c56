/** What the page of the keys' tests does; bundled for Chromium. */
import { toHex } from "../../../core/bytes/hex.ts";
import {
  changeNodePassphrase,
  keepNodeKeys,
  nodeKeyLock,
  openNodeKeys,
} from "../../../runtimes/browser/keys/node-keys.ts";
import { readPem } from "../../../runtimes/browser/keys/read-key.ts";
import { openVault } from "../../../runtimes/browser/keys/vault.ts";
import { openChains } from "../../../runtimes/browser/store/chains.ts";
import { openHome } from "../../../runtimes/browser/store/home.ts";

/** Kind of the fault that the work ends with. */
async function kindOf(work: () => Promise<unknown> | unknown): Promise<string> {
  try {
    await work();
    return "none";
  } catch (error) {
    return error instanceof Error && "kind" in error ? String(error.kind) : String(error);
  }
}

const KEY = Uint8Array.from({ length: 32 }, (_, index) => index + 1);
const key = (first: number) => Uint8Array.from(KEY, (byte, index) => (index === 0 ? first : byte));

/** The vault of accounts, from its making to its end. */
export async function runVault() {
  const vault = await openVault();
  const before = [
    await vault.hasPassphrase(),
    await kindOf(() => vault.unlock("x")),
    await kindOf(() => vault.add({ privateKey: KEY, suite: "standard", label: "a" })),
  ];
  await vault.create("first passphrase");
  const one = await vault.add({ privateKey: KEY, suite: "standard", label: "one" });
  const two = await vault.add({ privateKey: KEY, suite: "national", label: "two" });
  const refused = [
    await kindOf(() => vault.add({ privateKey: KEY, suite: "standard", label: "again" })),
    await kindOf(() =>
      vault.add({ privateKey: new Uint8Array(32), suite: "standard", label: "zero" }),
    ),
    await kindOf(() => vault.create("other")),
  ];
  const pem = await vault.toPem(one.address);
  const other = await openVault();
  const locked = [
    await kindOf(() => other.privateKey(one.address)),
    await kindOf(() => other.unlock("wrong")),
  ];
  await other.unlock("first passphrase");
  const read = toHex(await other.privateKey(two.address));
  let heard = 0;
  const heardAll = new Promise<void>((done) => other.onChange(() => ++heard === 3 && done()));
  await vault.relabel(two.address, "renamed");
  await vault.remove(one.address);
  const list = await vault.list();
  vault.lock();
  // The other one learns of both changes, and is locked with this one.
  await heardAll;
  const together = await kindOf(() => other.privateKey(two.address));
  const ended = await kindOf(() => vault.privateKey(two.address));
  const stored = JSON.stringify(await (await openHome()).getAll("vault"), (_, value) =>
    value instanceof Uint8Array ? toHex(value) : value,
  );
  await vault.unlock("first passphrase");
  await other.erase();
  await other.create("second");
  // The first one has the old key in memory.
  const stale = await kindOf(() => vault.add({ privateKey: key(9), suite: "standard", label: "" }));
  await vault.erase();
  const erased = [await vault.hasPassphrase(), (await vault.list()).length];
  return {
    before,
    one,
    two,
    refused,
    pem,
    locked,
    read,
    stale,
    list,
    together,
    ended,
    stored,
    erased,
  };
}

/** Keys of nodes, with a passphrase and without. */
export async function runNodeKeys() {
  const chains = await openChains();
  const record = { name: "k", kind: "chain", created: 1, nodeIds: [] } as const;
  await chains.put(record);
  await keepNodeKeys("k", [key(1), key(2)], undefined);
  const free = (await openNodeKeys("k", undefined)).map((bytes) => toHex(bytes));
  const locks = [await nodeKeyLock("k")];
  await changeNodePassphrase("k", undefined, "pass");
  locks.push(await nodeKeyLock("k"));
  const faults = [
    await kindOf(() => openNodeKeys("k", undefined)),
    await kindOf(() => openNodeKeys("k", "wrong")),
    await kindOf(() => openNodeKeys("other", undefined)),
  ];
  const opened = (await openNodeKeys("k", "pass")).map((bytes) => toHex(bytes));
  await chains.wipe("k");
  const wiped = await nodeKeyLock("k");
  chains.close();
  return { free, locks, faults, opened, wiped: wiped ?? "none" };
}

/** The key of each text, or what is wrong with it. */
export async function runPems(texts: readonly string[]) {
  return texts.map((text) => {
    try {
      const { suite, privateKey } = readPem(text);
      return `${suite} ${toHex(privateKey)}`;
    } catch (error) {
      return error instanceof Error && "kind" in error ? error.kind : String(error);
    }
  });
}
