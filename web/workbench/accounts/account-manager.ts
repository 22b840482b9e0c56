/**
 * The accounts that sign in the workbench: those of the user, kept under a passphrase or for as
 * long as the page is open, and the public ones of a development chain.
 */
import { type Account, accountOf } from "../../../core/client/account.ts";
import { fromHex } from "../../../core/bytes/hex.ts";
import type { CryptoSuite, SuiteName } from "../../../core/crypto/suite.ts";
import type { Vault } from "../../../runtimes/browser/keys/vault.ts";
import { Observed } from "../observed.ts";

/** An account as the page lists it. */
export interface ListedAccount {
  /** 0x and 40 lower-case digits. */
  readonly address: string;
  readonly label: string;
  readonly suite: SuiteName;
  /**
   * `kept`: in the vault, under the passphrase. `open`: in this page only, gone when it closes.
   * `dev`: everybody has its key.
   */
  readonly origin: "kept" | "open" | "dev";
}

/** Whether keys can be kept: no passphrase yet, locked, open, or no secure context. */
export type VaultCondition = "empty" | "locked" | "open" | "insecure";

interface AccountState {
  readonly accounts: readonly ListedAccount[];
  /** The address of the account that signs; undefined while there is none. */
  readonly chosen: string | undefined;
  readonly vault: VaultCondition;
}

/** `unusable`: no key of the curve; `exists`: it is listed already. */
export class AccountFault extends Error {
  override readonly name = "AccountFault";
  readonly kind: "unusable" | "exists";

  constructor(kind: "unusable" | "exists", options?: { readonly cause?: unknown }) {
    super(kind, options);
    this.kind = kind;
  }
}

/** An account whose key everybody knows. */
interface PublicAccount {
  readonly address: string;
  /** 0x and 64 digits. */
  readonly privateKey: string;
}

interface OpenKey {
  readonly label: string;
  readonly suite: SuiteName;
  readonly origin: "open" | "dev";
  readonly privateKey: Uint8Array;
}

const CHOSEN = "chain-node.account";
const KEY_BYTES = 32;
/** Attempts at a number below the order of the curve; one is enough but once in 2^128. */
const MOST_DRAWS = 8;

/** The address of a key. @throws AccountFault when it is none of the curve */
function addressOfKey(privateKey: Uint8Array, suite: CryptoSuite): string {
  try {
    return suite.address(suite.publicKey(privateKey)).toLowerCase();
  } catch (cause) {
    throw new AccountFault("unusable", { cause });
  }
}

/** Draws a key; on pages that keep none, too. */
export function drawKey(suite: CryptoSuite): Uint8Array {
  for (let draw = 1; ; draw++) {
    const key = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
    try {
      addressOfKey(key, suite);
      return key;
    } catch (cause) {
      if (draw >= MOST_DRAWS) throw cause;
    }
  }
}

/** Loaded when the first account is listed; undefined where the browser gives no cryptography. */
async function openVault(onChange: () => void): Promise<Vault | undefined> {
  if (!globalThis.isSecureContext) return undefined;
  const { pageVault } = await import("../../../runtimes/browser/keys/vault.ts");
  const vault = await pageVault();
  // It is locked, or changed, elsewhere too: on the node part, and in other tabs.
  vault.onChange(onChange);
  return vault;
}

/** The accounts of this page. */
export class AccountManager {
  readonly state: Observed<AccountState>;
  readonly #open = new Map<string, OpenKey>();
  #vault: Promise<Vault | undefined> | undefined;

  constructor() {
    const chosen = localStorage.getItem(CHOSEN) ?? undefined;
    this.state = new Observed<AccountState>({ accounts: [], chosen, vault: "locked" });
  }

  #kept(): Promise<Vault | undefined> {
    this.#vault ??= openVault(() => void this.refresh()).catch(() => undefined);
    return this.#vault;
  }

  /** The vault while it is open. */
  async #unlocked(): Promise<Vault | undefined> {
    const vault = await this.#kept();
    return vault?.isUnlocked() ? vault : undefined;
  }

  async #condition(): Promise<VaultCondition> {
    const vault = await this.#kept();
    if (vault === undefined) return "insecure";
    if (vault.isUnlocked()) return "open";
    return (await vault.hasPassphrase()) ? "locked" : "empty";
  }

  /** Lists again what there is. */
  async refresh(): Promise<void> {
    const vault = await this.#condition();
    const kept = (await (await this.#kept())?.list()) ?? [];
    const own = [...this.#open]
      .filter(([address]) => !kept.some((it) => it.address === address))
      .map(([address, { label, suite, origin }]) => ({ address, label, suite, origin }));
    const accounts = [...kept.map((it) => ({ ...it, origin: "kept" as const })), ...own];
    this.state.change({ accounts, vault });
  }

  /** Adds the accounts that everybody knows, on a development chain. */
  async offer(accounts: readonly PublicAccount[], suite: SuiteName): Promise<void> {
    for (const [index, { address, privateKey: digits }] of accounts.entries()) {
      const [label, privateKey] = [`dev ${index}`, fromHex(digits)];
      const entry = address.toLowerCase();
      if (privateKey) this.#open.set(entry, { label, suite, origin: "dev", privateKey });
    }
    await this.refresh();
    const { accounts: listed, chosen } = this.state.value;
    const isUsable = listed.some((it) => it.address === chosen && it.suite === suite);
    // Somebody who has just opened a development chain can act at once.
    const first = accounts[0]?.address.toLowerCase();
    if (!isUsable && first) this.state.change({ chosen: first });
  }

  /** Takes the public accounts away, on a chain that is for more than development. */
  async withdraw(): Promise<void> {
    for (const [address, { origin }] of [...this.#open]) {
      if (origin === "dev") this.#open.delete(address);
      if (origin === "dev" && address === this.state.value.chosen) {
        this.state.change({ chosen: localStorage.getItem(CHOSEN) ?? undefined });
      }
    }
    await this.refresh();
  }

  /** Adds an account: into the vault when it is open, else for as long as the page is. */
  async add(privateKey: Uint8Array, label: string, suite: CryptoSuite): Promise<string> {
    const address = addressOfKey(privateKey, suite);
    const vault = await this.#unlocked();
    const isThere = this.state.value.accounts.some((it) => it.address === address);
    if (isThere) throw new AccountFault("exists");
    if (vault) await vault.add({ privateKey, suite: suite.name, label });
    else this.#open.set(address, { label, suite: suite.name, origin: "open", privateKey });
    await this.refresh();
    this.choose(address);
    return address;
  }

  choose(address: string): void {
    localStorage.setItem(CHOSEN, address);
    this.state.change({ chosen: address });
  }

  async relabel({ address, origin }: ListedAccount, label: string): Promise<void> {
    const open = this.#open.get(address);
    if (origin === "kept") await (await this.#kept())?.relabel(address, label);
    else if (open) this.#open.set(address, { ...open, label });
    await this.refresh();
  }

  async remove({ address, origin }: ListedAccount): Promise<void> {
    if (origin === "kept") await (await this.#kept())?.remove(address);
    this.#open.delete(address);
    await this.refresh();
  }

  /**
   * Opens the vault, which the first passphrase makes, and keeps in it what was only in the page.
   *
   * @throws KeyFault wrongPassphrase
   */
  async unlock(passphrase: string): Promise<void> {
    const vault = await this.#kept();
    if (await vault?.hasPassphrase()) await vault?.unlock(passphrase);
    else await vault?.create(passphrase);
    for (const [address, { label, suite, origin, privateKey }] of [...this.#open]) {
      if (origin !== "open") continue;
      await vault?.add({ privateKey, suite, label });
      this.#open.delete(address);
    }
    await this.refresh();
  }

  async lock(): Promise<void> {
    (await this.#kept())?.lock();
    await this.refresh();
  }

  /** The key of an account; undefined while the vault is locked. */
  async privateKey(address: string): Promise<Uint8Array | undefined> {
    return (
      this.#open.get(address)?.privateKey ?? (await (await this.#unlocked())?.privateKey(address))
    );
  }

  /** A kept key as a PEM file; undefined while the vault is locked. */
  async toPem(address: string): Promise<string | undefined> {
    return await (await this.#unlocked())?.toPem(address);
  }

  /** The account that signs for a chain; undefined when none was chosen, or it is locked. */
  async signer(suite: CryptoSuite): Promise<Account | undefined> {
    const { accounts, chosen } = this.state.value;
    const account = accounts.find(({ address }) => address === chosen);
    if (account === undefined || account.suite !== suite.name) return undefined;
    const key = await this.privateKey(account.address);
    return key && accountOf(key, suite);
  }
}

let manager: AccountManager | undefined;

/** The accounts of this page. */
export function accountManager(): AccountManager {
  manager ??= new AccountManager();
  return manager;
}
