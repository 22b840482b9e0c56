/**
 * Keys of user accounts, encrypted under one passphrase in this browser. Addresses and labels can
 * be read without it. A page imports this; every tab of the origin sees the same vault.
 */
import type { CryptoSuite, SuiteName } from "../../../core/crypto/suite.ts";
import { invariant } from "../../../core/fault/invariant.ts";
import { keyPem } from "../../formats/keys/key-pem.ts";
import { change } from "../store/database.ts";
import { type Home, openHome, type StoredVault } from "../store/home.ts";
import { guarded } from "../store/tab-fault.ts";
import { KeyFault } from "./key-fault.ts";
import {
  keyOfPassphrase,
  newLock,
  type PassphraseLock,
  requireSecurePage,
  type Sealed,
  seal,
  unseal,
} from "./sealing.ts";

/** An account whose key is in the vault. */
export interface VaultAccount {
  /** `0x` and 40 digits. */
  readonly address: string;
  readonly label: string;
  readonly suite: SuiteName;
}

/** A key to keep. */
export interface NewAccount {
  /** 32 bytes. */
  readonly privateKey: Uint8Array;
  readonly suite: SuiteName;
  readonly label: string;
}

interface StoredAccount extends VaultAccount, Sealed {}

/** As it lies in the database. */
interface StoredAccounts extends StoredVault, PassphraseLock {
  readonly format: 1;
  /** Opens with the right passphrase. */
  readonly check: Sealed;
  readonly accounts: readonly StoredAccount[];
}

/** What vaults tell each other; a lock, or another passphrase, ends what is unlocked. */
type VaultWord = "changed" | "locked";

const CHANNEL = "chain-node vault";
const PLACE = "accounts";
const CHECK = "accounts/check";
const NOTHING = new Uint8Array();

/** What an account's key is sealed for: it does not open under another address. */
function purposeOf({ address, suite }: Pick<VaultAccount, "address" | "suite">): string {
  return `account/${suite}/${address}`;
}

/** The algorithms of a suite, loaded when a key of it is wanted. */
async function suiteOf(name: SuiteName): Promise<CryptoSuite> {
  if (name === "standard") {
    const { createStandardSuite } = await import("../../../core/crypto/standard.ts");
    return createStandardSuite();
  }
  const { createSmSuite } = await import("../../../core/crypto/national.ts");
  return createSmSuite();
}

/** The vault of this browser; a class because it holds the key while it is unlocked. */
export class Vault {
  readonly #home: Home;
  readonly #channel = new BroadcastChannel(CHANNEL);
  readonly #listeners = new Set<() => void>();
  #key: CryptoKey | undefined;

  /** A vault in an open database. */
  constructor(home: Home) {
    this.#home = home;
    this.#channel.onmessage = ({ data }: MessageEvent<VaultWord>) => {
      if (data === "locked") this.#key = undefined;
      this.#tell();
    };
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Other vaults of the origin hear it, and a caller that listens here. */
  #say(word: VaultWord): void {
    this.#channel.postMessage(word);
    this.#tell();
  }

  /** Told after each change, in this tab or another, and after each unlocking. @returns ends it */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async #stored(): Promise<StoredAccounts | undefined> {
    const stored = (await this.#home.get("vault", PLACE)) as StoredAccounts | undefined;
    if (stored !== undefined && stored.format !== 1) throw new KeyFault("damaged");
    return stored;
  }

  async #require(): Promise<StoredAccounts> {
    const stored = await this.#stored();
    if (!stored) throw new KeyFault("missing");
    return stored;
  }

  async #write(stored: StoredAccounts | undefined): Promise<void> {
    await guarded(this.#home.name, () =>
      change(this.#home, "vault", (store) =>
        stored ? store.put(stored, PLACE) : store.delete(PLACE),
      ),
    );
  }

  /** Changes of all tabs take their turn. */
  async #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    return await navigator.locks.request("chain-node vault", work);
  }

  #unlocked(): CryptoKey {
    if (!this.#key) throw new KeyFault("locked");
    return this.#key;
  }

  /** Whether somebody chose a passphrase; before that, `create` does. */
  async hasPassphrase(): Promise<boolean> {
    return (await this.#stored()) !== undefined;
  }

  /** Whether the passphrase was entered. */
  isUnlocked(): boolean {
    return this.#key !== undefined;
  }

  /** Makes an empty vault under a passphrase, and unlocks it. @throws KeyFault exists */
  create(passphrase: string): Promise<void> {
    return this.#inTurn(async () => {
      requireSecurePage();
      if (await this.#stored()) throw new KeyFault("exists");
      const lock = newLock(passphrase);
      const key = await keyOfPassphrase(passphrase, lock);
      const check = await seal(key, NOTHING, CHECK);
      await this.#write({ format: 1, ...lock, check, accounts: [] });
      this.#key = key;
      this.#say("changed");
    });
  }

  /** The key of a passphrase that is right. */
  async #keyOf(passphrase: string, stored: StoredAccounts): Promise<CryptoKey> {
    const key = await keyOfPassphrase(passphrase, stored);
    if (!(await unseal(key, stored.check, CHECK))) throw new KeyFault("wrongPassphrase");
    return key;
  }

  /** @throws KeyFault wrongPassphrase, missing */
  async unlock(passphrase: string): Promise<void> {
    requireSecurePage();
    this.#key = await this.#keyOf(passphrase, await this.#require());
    this.#tell();
  }

  /** Forgets the passphrase until it is entered again, in all tabs. */
  lock(): void {
    this.#key = undefined;
    this.#say("locked");
  }

  /** In order of their adding; needs no passphrase. */
  async list(): Promise<readonly VaultAccount[]> {
    const stored = await this.#stored();
    const plain = ({ address, label, suite }: StoredAccount) => ({ address, label, suite });
    return stored?.accounts.map(plain) ?? [];
  }

  /** @throws KeyFault locked, exists, unusable */
  add({ privateKey, suite, label }: NewAccount): Promise<VaultAccount> {
    return this.#inTurn(async () => {
      const key = this.#unlocked();
      const stored = await this.#require();
      // Another tab may have chosen another passphrase.
      if (!(await unseal(key, stored.check, CHECK))) throw new KeyFault("locked");
      const account = { address: await addressOf(privateKey, suite), label, suite };
      if (stored.accounts.some(({ address }) => address === account.address))
        throw new KeyFault("exists");
      const sealed = await seal(key, privateKey, purposeOf(account));
      await this.#write({ ...stored, accounts: [...stored.accounts, { ...account, ...sealed }] });
      this.#say("changed");
      return account;
    });
  }

  async #find(address: string): Promise<StoredAccount> {
    const wanted = address.toLowerCase();
    const found = (await this.#stored())?.accounts.find((account) => account.address === wanted);
    if (!found) throw new KeyFault("missing");
    return found;
  }

  /** @throws KeyFault locked, missing */
  async privateKey(address: string): Promise<Uint8Array> {
    const key = this.#unlocked();
    const account = await this.#find(address);
    const bytes = await unseal(key, account, purposeOf(account));
    if (!bytes) throw new KeyFault("locked");
    return bytes;
  }

  /** The key as openssl and the consoles read it. @throws KeyFault locked, missing */
  async toPem(address: string): Promise<string> {
    const { suite: name } = await this.#find(address);
    const privateKey = await this.privateKey(address);
    const suite = await suiteOf(name);
    return keyPem(name, privateKey, suite.publicKey(privateKey));
  }

  #change(
    address: string,
    change: (account: StoredAccount) => readonly StoredAccount[],
  ): Promise<void> {
    return this.#inTurn(async () => {
      const stored = await this.#require();
      const { address: wanted } = await this.#find(address);
      const accounts = stored.accounts.flatMap((account) =>
        account.address === wanted ? change(account) : [account],
      );
      await this.#write({ ...stored, accounts });
      this.#say("changed");
    });
  }

  /** Changes what an account is called. @throws KeyFault missing */
  relabel(address: string, label: string): Promise<void> {
    return this.#change(address, (account) => [{ ...account, label }]);
  }

  /** Deletes a key; who has no copy of it has lost the account. */
  remove(address: string): Promise<void> {
    return this.#change(address, () => []);
  }

  /** Deletes all keys and the passphrase: the way out when it was forgotten. */
  erase(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#write(undefined);
      this.#key = undefined;
      this.#say("locked");
    });
  }
}

/** @throws KeyFault unusable when the bytes are no key of the curve */
async function addressOf(privateKey: Uint8Array, name: SuiteName): Promise<string> {
  const suite = await suiteOf(name);
  try {
    return suite.address(suite.publicKey(privateKey)).toLowerCase();
  } catch (cause) {
    throw new KeyFault("unusable", { cause });
  }
}

/** A new random key of a suite. */
export async function newPrivateKey(name: SuiteName): Promise<Uint8Array> {
  requireSecurePage();
  for (let draws = 0; draws < MOST_DRAWS; draws++) {
    const bytes = crypto.getRandomValues(new Uint8Array(32));
    const isUsable = await addressOf(bytes, name).then(
      () => true,
      () => false,
    );
    if (isUsable) return bytes;
  }
  invariant(false, "the source of randomness gives no usable key");
}

/** Draws before the generator itself is held to be broken. */
const MOST_DRAWS = 8;

/**
 * Opens the vault of this browser.
 *
 * @param onLost called when the browser takes it away, as when the site's data are cleared
 * @throws KeyFault insecure; StoreFault
 */
export async function openVault(onLost?: () => void): Promise<Vault> {
  requireSecurePage();
  return new Vault(await openHome(onLost));
}

let shared: Promise<Vault> | undefined;

/**
 * The one vault of this page: unlocked for one of its parts, it is for all. It is not closed.
 *
 * @throws KeyFault insecure; StoreFault
 */
export function pageVault(): Promise<Vault> {
  const forget = () => {
    shared = undefined;
  };
  shared ??= openVault(forget);
  shared.catch(forget);
  return shared;
}
