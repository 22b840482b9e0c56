/** The accounts: who signs, new ones, passphrase, labels, keys out and away. */
import { useEffect, useState } from "preact/hooks";
import { toPrefixedHex } from "../../../core/bytes/hex.ts";
import { devAccounts } from "../../../runtimes/shared/dev/dev-accounts.ts";
import { type Chain, loadSuite } from "../../data/chain.ts";
import { ownChain } from "../../data/own-chain.ts";
import { Button } from "../../parts/button.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Ask } from "../../parts/ask.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { TextField } from "../../parts/fields.tsx";
import { HashText } from "../../parts/hash-text.tsx";
import { attempt } from "../../parts/toast.tsx";
import { text } from "../../texts.ts";
import { useObserved } from "../observed.ts";
import { accountManager, AccountFault, drawKey, type ListedAccount } from "./account-manager.ts";

/** Offers the public accounts where the chain is for development only. */
export function useOfferedAccounts(chain: Chain | undefined): void {
  const { source, facts } = chain ?? {};
  const suiteName = facts?.suiteName;
  useEffect(() => {
    const manager = accountManager();
    let isWanted = true;
    const offer = async (): Promise<void> => {
      if (source === undefined || suiteName === undefined) return await manager.refresh();
      const isDev = (await ownChain(source)) !== undefined;
      const offered = isDev ? devAccounts(await loadSuite(suiteName)) : [];
      // Another chain may have been chosen meanwhile: its own answer counts.
      if (isWanted) await (isDev ? manager.offer(offered, suiteName) : manager.withdraw());
    };
    // Without an answer there is nothing to offer; the user's own accounts are listed.
    offer().catch(() => manager.refresh());
    return () => {
      isWanted = false;
    };
  }, [source, suiteName]);
}

/** What went wrong with a key, in words. */
function faultText(cause: unknown): string {
  const { kind } = cause as { readonly kind?: unknown };
  if (cause instanceof AccountFault) return text(`workbench.key.${cause.kind}`);
  const known = text(`workbench.key.${String(kind)}`);
  if (!known.startsWith("workbench.")) return known;
  return cause instanceof Error ? cause.message : String(cause);
}

function Passphrase() {
  const manager = accountManager();
  const { vault, accounts } = useObserved(manager.state);
  const [passphrase, setPassphrase] = useState("");
  const [isBusy, setBusy] = useState(false);
  const unkept = accounts.some(({ origin }) => origin === "open");
  if (vault === "insecure") return <p class="soft">{text("workbench.vault.insecure")}</p>;
  if (vault === "open") {
    return (
      <p class="actions">
        <span class="soft">{text("workbench.vault.open")}</span>
        <Button says="workbench.vault.lock" onClick={() => void manager.lock()} />
      </p>
    );
  }
  const submit = async (event: Event) => {
    event.preventDefault();
    if (passphrase === "" || isBusy) return;
    setBusy(true);
    if (await attempt(() => manager.unlock(passphrase), faultText)) setPassphrase("");
    setBusy(false);
  };
  const isNew = vault === "empty";
  return (
    <form onSubmit={submit} class="passphrase">
      <TextField
        title={isNew ? "workbench.vault.choose" : "workbench.vault.enter"}
        hint={unkept ? "workbench.vault.unkept" : "workbench.vault.hint"}
        isHintUrgent={unkept}
        class="field"
        type="password"
        autocomplete={isNew ? "new-password" : "current-password"}
        value={passphrase}
        onValue={setPassphrase}
      />
      <Button
        says={
          isBusy ? "workbench.working" : isNew ? "workbench.vault.keep" : "workbench.vault.unlock"
        }
        isOff={passphrase === "" || isBusy}
      />
    </form>
  );
}

/** The key of a text: PEM, or digits. */
async function addFrom(chain: Chain, given: string, label: string) {
  const suiteName = chain.facts.suiteName;
  const { readPem } = await import("../../../runtimes/browser/keys/read-key.ts");
  const { privateKey, suite } = readPem(given, suiteName);
  return await accountManager().add(privateKey, label, await loadSuite(suite));
}

interface AddProps {
  readonly chain: Chain;
  readonly onClose: () => void;
}

function ImportDialog({ chain, onClose }: AddProps) {
  const [given, setGiven] = useState("");
  const [label, setLabel] = useState("");
  const take = async () => {
    const name = label.trim() || text("workbench.account.imported");
    if (await attempt(() => addFrom(chain, given, name), faultText)) onClose();
  };
  return (
    <Dialog
      title={text("workbench.account.import")}
      onClose={onClose}
      actions={
        <Button
          says="workbench.account.import"
          tone="primary"
          isOff={given.trim() === ""}
          onClick={take}
        />
      }
    >
      <TextField
        title="workbench.account.key"
        hint="workbench.account.key.hint"
        class="field"
        rows={5}
        spellcheck={false}
        value={given}
        onValue={setGiven}
      />
      <label class="field">
        <span>{text("workbench.account.file")}</span>
        <input
          type="file"
          accept=".pem,.key,.txt"
          onChange={async ({ currentTarget }) =>
            setGiven((await currentTarget.files?.[0]?.text()) ?? "")
          }
        />
      </label>
      <TextField title="workbench.label" class="field" value={label} onValue={setLabel} />
    </Dialog>
  );
}

interface OneProps {
  readonly account: ListedAccount;
  readonly onClose: () => void;
}

function RemoveDialog({ account, onClose }: OneProps) {
  return (
    <Ask
      title={text("workbench.account.remove")}
      says="workbench.account.remove"
      onDo={() => attempt(() => accountManager().remove(account), faultText)}
      onClose={onClose}
    >
      <p>{text("workbench.account.remove.sure", { label: account.label })}</p>
      <HashText value={account.address} whole />
    </Ask>
  );
}

function ExportDialog({ account, onClose }: OneProps) {
  const manager = accountManager();
  const [key, setKey] = useState<string>();
  useEffect(() => {
    const read = async () => {
      const pem = account.origin === "kept" ? await manager.toPem(account.address) : undefined;
      const bytes = pem ? undefined : await manager.privateKey(account.address);
      setKey(pem ?? (bytes && toPrefixedHex(bytes)));
    };
    void attempt(read, faultText);
  }, [account]);
  return (
    <Dialog title={text("workbench.account.key")} onClose={onClose}>
      <p class="warn">{text("workbench.account.export.warning")}</p>
      {key === undefined ? (
        <p>{text("workbench.obstacle.locked")}</p>
      ) : (
        <>
          <pre class="key">{key}</pre>
          <CopyButton value={key} what={text("workbench.account.key")} />
        </>
      )}
    </Dialog>
  );
}

interface RowProps {
  readonly account: ListedAccount;
  readonly isChosen: boolean;
}

function AccountRow({ account, isChosen }: RowProps) {
  const manager = accountManager();
  const [asking, setAsking] = useState<"remove" | "export">();
  const { address, label, origin } = account;
  const close = () => setAsking(undefined);
  return (
    <li class="account" data-address={address}>
      <label class="check">
        <input
          type="radio"
          name="account"
          aria-label={`${label} ${address}`}
          checked={isChosen}
          onChange={() => manager.choose(address)}
        />
        <span class="badge">{text(`workbench.origin.${origin}`)}</span>
        {origin === "dev" && <span>{label}</span>}
      </label>
      {origin !== "dev" && (
        <input
          class="label"
          aria-label={text("workbench.label")}
          value={label}
          onChange={({ currentTarget }) =>
            void attempt(() => manager.relabel(account, currentTarget.value), faultText)
          }
        />
      )}
      <HashText value={address} what={text("workbench.address")} />
      <span class="actions">
        <Button says="workbench.account.key.short" onClick={() => setAsking("export")} />
        {origin !== "dev" && (
          <Button says="workbench.file.remove" onClick={() => setAsking("remove")} />
        )}
      </span>
      {asking === "remove" && <RemoveDialog account={account} onClose={close} />}
      {asking === "export" && <ExportDialog account={account} onClose={close} />}
    </li>
  );
}

/** The panel. */
export function AccountPanel({ chain }: { readonly chain: Chain | undefined }) {
  const manager = accountManager();
  const { accounts, chosen } = useObserved(manager.state);
  const [isImporting, setImporting] = useState(false);
  if (chain === undefined) return <p class="soft">{text("workbench.obstacle.chain")}</p>;
  const usable = accounts.filter(({ suite }) => suite === chain.facts.suiteName);
  const make = async () => {
    const suite = await loadSuite(chain.facts.suiteName);
    const count = usable.filter(({ origin }) => origin !== "dev").length + 1;
    await manager.add(drawKey(suite), text("workbench.account.named", { count }), suite);
  };
  return (
    <>
      <div class="actions">
        <Button
          says="workbench.account.make"
          tone="primary"
          onClick={() => void attempt(make, faultText)}
        />
        <Button says="workbench.account.import" onClick={() => setImporting(true)} />
      </div>
      <Passphrase />
      {usable.length === 0 && <p class="soft">{text("workbench.account.none")}</p>}
      {usable.some(({ origin }) => origin === "dev") && (
        <p class="soft">{text("workbench.account.dev")}</p>
      )}
      <ul class="accounts" aria-label={text("workbench.accounts")}>
        {usable.map((account) => (
          <AccountRow
            key={account.address}
            account={account}
            isChosen={account.address === chosen}
          />
        ))}
      </ul>
      {isImporting && <ImportDialog chain={chain} onClose={() => setImporting(false)} />}
    </>
  );
}
