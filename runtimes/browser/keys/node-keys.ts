/**
 * Keys of the nodes of a chain, in this browser: encrypted under a passphrase when its user chose
 * one; else under a key that the browser made and that no script can read, so that a chain goes on
 * by itself after a reload.
 */
import { concatBytes } from "../../../core/bytes/bytes.ts";
import { change } from "../store/database.ts";
import { nodeKeysPlace, openHome, type StoredVault } from "../store/home.ts";
import { guarded } from "../store/tab-fault.ts";
import { KeyFault } from "./key-fault.ts";
import {
  keyOfPassphrase,
  newBrowserKey,
  newLock,
  type PassphraseLock,
  requireSecurePage,
  type Sealed,
  seal,
  unseal,
} from "./sealing.ts";

/** What keeps others from the keys of a chain's nodes. */
export type NodeKeyLock = "passphrase" | "browser";

/** As they lie in the database. */
interface StoredNodeKeys extends StoredVault {
  readonly format: 1;
  readonly lock: PassphraseLock | CryptoKey;
  readonly sealed: Sealed;
}

const KEY_BYTES = 32;

const purposeOf = (chain: string): string => `nodes/${chain}`;

async function read(chain: string): Promise<StoredNodeKeys | undefined> {
  const home = await openHome();
  try {
    const stored = (await home.get("vault", nodeKeysPlace(chain))) as StoredNodeKeys | undefined;
    if (stored !== undefined && stored.format !== 1) throw new KeyFault("damaged");
    return stored;
  } finally {
    home.close();
  }
}

async function write(chain: string, stored: StoredNodeKeys): Promise<void> {
  const home = await openHome();
  const place = nodeKeysPlace(chain);
  await guarded(home.name, () =>
    change(home, "vault", (store) => store.put(stored, place)),
  ).finally(() => home.close());
}

/**
 * Keeps the keys of a chain's nodes in their order, durably; others of the chain are replaced.
 *
 * @param passphrase encrypts them; undefined: everybody who uses this browser can use them
 * @throws KeyFault insecure; StoreFault
 */
export async function keepNodeKeys(
  chain: string,
  keys: readonly Uint8Array[],
  passphrase: string | undefined,
): Promise<void> {
  requireSecurePage();
  const purpose = purposeOf(chain);
  const bytes = concatBytes(...keys);
  const lock = passphrase === undefined ? await newBrowserKey() : newLock(passphrase);
  const key = lock instanceof CryptoKey ? lock : await keyOfPassphrase(passphrase ?? "", lock);
  await write(chain, { format: 1, lock, sealed: await seal(key, bytes, purpose) });
}

/**
 * The keys of a chain's nodes in their order.
 *
 * @throws KeyFault locked (a passphrase is wanted), wrongPassphrase, missing, damaged, insecure
 */
export async function openNodeKeys(
  chain: string,
  passphrase: string | undefined,
): Promise<readonly Uint8Array[]> {
  requireSecurePage();
  const stored = await read(chain);
  if (!stored) throw new KeyFault("missing");
  const { lock, sealed } = stored;
  const isOfBrowser = lock instanceof CryptoKey;
  if (!isOfBrowser && passphrase === undefined) throw new KeyFault("locked");
  const key = isOfBrowser ? lock : await keyOfPassphrase(passphrase ?? "", lock);
  const bytes = await unseal(key, sealed, purposeOf(chain));
  if (!bytes) throw new KeyFault(isOfBrowser ? "damaged" : "wrongPassphrase");
  const keys: Uint8Array[] = [];
  for (let start = 0; start < bytes.length; start += KEY_BYTES)
    keys.push(bytes.slice(start, start + KEY_BYTES));
  return keys;
}

/** What keeps others from the keys; undefined when there are none. */
export async function nodeKeyLock(chain: string): Promise<NodeKeyLock | undefined> {
  const stored = await read(chain);
  return stored && (stored.lock instanceof CryptoKey ? "browser" : "passphrase");
}

/** Keeps the same keys under another passphrase, or under none. @throws KeyFault */
export async function changeNodePassphrase(
  chain: string,
  before: string | undefined,
  after: string | undefined,
): Promise<void> {
  await keepNodeKeys(chain, await openNodeKeys(chain, before), after);
}
