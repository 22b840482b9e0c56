/** The vault of account keys: its passphrase, what is in it, PEM in and out. */
import { useEffect, useState } from "preact/hooks";
import { KeyFault } from "../../runtimes/browser/keys/key-fault.ts";
import { readPem } from "../../runtimes/browser/keys/read-key.ts";
import {
  newPrivateKey,
  pageVault,
  type Vault,
  type VaultAccount,
} from "../../runtimes/browser/keys/vault.ts";
import { Button } from "../parts/button.tsx";
import { Ask } from "../parts/ask.tsx";
import { PassphraseField, TextField } from "../parts/fields.tsx";
import { FileField } from "../parts/file-field.tsx";
import { HashText } from "../parts/hash-text.tsx";
import { Table } from "../parts/table.tsx";
import { text } from "../texts.ts";
import { saveText } from "../data/save-file.ts";
import type { Work } from "./work.ts";

/** Faults of keys have words of their own. */
export async function inWords(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    if (!(cause instanceof KeyFault)) throw cause;
    throw new Error(text(`keys.fault.${cause.kind}`), { cause });
  }
}

/** How the vault stands. */
interface Seen {
  readonly vault: Vault;
  readonly hasPassphrase: boolean;
  readonly isUnlocked: boolean;
  readonly accounts: readonly VaultAccount[];
}

async function lookAt(vault: Vault): Promise<Seen> {
  const hasPassphrase = await vault.hasPassphrase();
  return { vault, hasPassphrase, isUnlocked: vault.isUnlocked(), accounts: await vault.list() };
}

function useVault(): readonly [Seen | undefined, () => Promise<void>] {
  const [seen, setSeen] = useState<Seen>();
  useEffect(() => {
    let isWanted = true;
    let end: (() => void) | undefined;
    pageVault()
      .then(async (vault) => {
        const look = async () => {
          const found = await lookAt(vault);
          if (isWanted) setSeen(found);
        };
        if (isWanted) end = vault.onChange(() => void look().catch(() => undefined));
        await look();
      })
      .catch(() => undefined);
    return () => {
      isWanted = false;
      end?.();
    };
  }, []);
  const look = async () => {
    if (seen) setSeen(await lookAt(seen.vault));
  };
  return [seen, look];
}

interface PartProps extends Work {
  readonly seen: Seen;
  /** Does it, examines the vault again, and says what failed. */
  readonly onChange: (change: () => Promise<unknown>) => void;
}

function Entry({ seen, isBusy, onChange }: PartProps) {
  const { vault, hasPassphrase } = seen;
  const [passphrase, setPassphrase] = useState("");
  const [isErasing, setErasing] = useState(false);
  const enter = (event: Event) => {
    event.preventDefault();
    onChange(async () => {
      await (hasPassphrase ? vault.unlock(passphrase) : vault.create(passphrase));
      setPassphrase("");
    });
  };
  return (
    <form class="node-form" onSubmit={enter}>
      <PassphraseField
        title="keys.passphrase"
        value={passphrase}
        isNew={!hasPassphrase}
        onValue={setPassphrase}
      />
      <Button says={hasPassphrase ? "keys.unlock" : "keys.create"} isOff={isBusy} />
      {hasPassphrase && (
        <Button says="keys.erase" isOff={isBusy} onClick={() => setErasing(true)} />
      )}
      {isErasing && (
        <Ask
          title={text("keys.erase.title")}
          says="keys.remove.yes"
          onDo={() => onChange(() => vault.erase())}
          onClose={() => setErasing(false)}
        >
          <p>{text("keys.erase.words")}</p>
        </Ask>
      )}
    </form>
  );
}

function AddForm({ seen: { vault }, isBusy, onChange }: PartProps) {
  const [label, setLabel] = useState("");
  const take = (file: File | undefined) =>
    file &&
    onChange(async () => {
      await vault.add({ ...readPem(await file.text()), label: label || file.name });
      setLabel("");
    });
  const make = (suite: "standard" | "national") =>
    onChange(async () => {
      await vault.add({ privateKey: await newPrivateKey(suite), suite, label });
      setLabel("");
    });
  return (
    <div class="node-form">
      <TextField title="keys.label" value={label} onValue={setLabel} />
      <FileField
        accept=".pem,.key,.txt"
        isBusy={isBusy}
        isKept={false}
        onFiles={([file]) => take(file)}
      >
        {text("keys.import")}
      </FileField>
      {(["standard", "national"] as const).map((suite) => (
        <button key={suite} type="button" disabled={isBusy} onClick={() => make(suite)}>
          {`${text("keys.new")} (${text(`keys.${suite}`)})`}
        </button>
      ))}
      <Button says="keys.lock" onClick={() => onChange(async () => vault.lock())} />
    </div>
  );
}

function AccountTable({ seen, isBusy, onChange }: PartProps) {
  const { vault, accounts, isUnlocked } = seen;
  const [leaving, setLeaving] = useState<string>();
  const save = (address: string) =>
    onChange(async () => saveText(`${address}.pem`, await vault.toPem(address)));
  const actions = ({ address }: VaultAccount) => (
    <span class="actions">
      <Button says="keys.export" isOff={isBusy || !isUnlocked} onClick={() => save(address)} />
      <Button says="keys.remove" isOff={isBusy} onClick={() => setLeaving(address)} />
    </span>
  );
  return (
    <>
      <Table
        label={text("keys.accounts")}
        rows={accounts}
        keyOf={({ address }) => address}
        empty={text("keys.none")}
        columns={[
          ["keys.label", ({ label }) => label],
          ["keys.address", ({ address }) => <HashText value={address} />],
          ["node.suite", ({ suite }) => text(`keys.${suite}`)],
          ["keys.actions", actions],
        ]}
      />
      {leaving && (
        <Ask
          title={text("keys.remove.title")}
          says="keys.remove.yes"
          onDo={() => onChange(() => vault.remove(leaving))}
          onClose={() => setLeaving(undefined)}
        >
          <p>{text("keys.remove.words", { address: leaving })}</p>
        </Ask>
      )}
    </>
  );
}

/** The vault; nothing where the browser has none for this page. */
export function AccountKeys({ isBusy, onWork }: Work) {
  const [seen, look] = useVault();
  if (!seen) return null;
  const onChange = (change: () => Promise<unknown>) =>
    onWork(() =>
      inWords(async () => {
        await change();
        await look();
      }),
    );
  const props = { seen, isBusy, onWork, onChange };
  return (
    <>
      {seen.hasPassphrase && <AccountTable {...props} />}
      {seen.isUnlocked ? <AddForm {...props} /> : <Entry {...props} />}
    </>
  );
}
