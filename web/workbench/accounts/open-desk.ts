/** The account desk of this page, over the vault of this browser. */
import { AccountDesk, type KeyVault, type VaultCondition } from "./account-desk.ts";

type VaultModule = typeof import("../../../runtimes/browser/keys/vault.ts");
type OpenedVault = Awaited<ReturnType<VaultModule["pageVault"]>>;

/** Loaded when the first account is listed; undefined where the browser gives no cryptography. */
async function open(): Promise<OpenedVault | undefined> {
  if (!globalThis.isSecureContext) return undefined;
  const { pageVault } = await import("../../../runtimes/browser/keys/vault.ts");
  const vault = await pageVault();
  // It is locked, or changed, elsewhere too: on the node part, and in other tabs.
  vault.onChange(() => void desk?.refresh());
  return vault;
}

function browserVault(): KeyVault {
  let opening: Promise<OpenedVault | undefined> | undefined;
  const vault = (): Promise<OpenedVault | undefined> => {
    opening ??= open().catch(() => undefined);
    return opening;
  };
  const condition = async (): Promise<VaultCondition> => {
    const opened = await vault();
    if (opened === undefined) return "insecure";
    if (opened.isUnlocked()) return "open";
    return (await opened.hasPassphrase()) ? "locked" : "empty";
  };
  return {
    condition,
    list: async () => (await (await vault())?.list()) ?? [],
    async unlock(passphrase) {
      const opened = await vault();
      if (await opened?.hasPassphrase()) await opened?.unlock(passphrase);
      else await opened?.create(passphrase);
    },
    lock: () => void vault().then((opened) => opened?.lock()),
    add: async ({ label, suite }, privateKey) => {
      await (await vault())?.add({ privateKey, suite, label });
    },
    async privateKey(address) {
      const opened = await vault();
      return opened?.isUnlocked() ? await opened.privateKey(address) : undefined;
    },
    async toPem(address) {
      const opened = await vault();
      return opened?.isUnlocked() ? await opened.toPem(address) : undefined;
    },
    relabel: async (address, label) => await (await vault())?.relabel(address, label),
    remove: async (address) => await (await vault())?.remove(address),
  };
}

let desk: AccountDesk | undefined;

/** The accounts of this page. */
export function accountDesk(): AccountDesk {
  desk ??= new AccountDesk(browserVault());
  return desk;
}
