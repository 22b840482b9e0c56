/** The vault of account keys: its passphrase, what is in it, PEM in and out. */
import { useEffect, useState } from "preact/hooks";
import { readPem } from "../../runtimes/browser/keys/read-key.ts";
import {
  newPrivateKey,
  pageVault,
  type Vault,
  type VaultAccount,
} from "../../runtimes/browser/keys/vault.ts";
import { Dialog } from "../parts/dialog.tsx";
import { FileField } from "../parts/file-field.tsx";
import { HashText } from "../parts/hash-text.tsx";
import { Table } from "../parts/table.tsx";
import { text } from "../texts.ts";
import { inWords, type KeysPanelProps, PassphraseField } from "./key-words.tsx";
import { saveText } from "../data/save-file.ts";

type Props = Pick<KeysPanelProps, "isBusy" | "onWork">;

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

interface PartProps extends Props {
  readonly seen: Seen;
  /** Does it, looks at the vault again, and says what failed. */
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
  const erase = (
    <button
      type="button"
      class="danger"
      onClick={() => {
        setErasing(false);
        onChange(() => vault.erase());
      }}
    >
      {text("keys.remove.yes")}
    </button>
  );
  return (
    <form class="node-form" onSubmit={enter}>
      <PassphraseField
        title="keys.passphrase"
        value={passphrase}
        isNew={!hasPassphrase}
        onValue={setPassphrase}
      />
      <button type="submit" disabled={isBusy}>
        {text(hasPassphrase ? "keys.unlock" : "keys.create")}
      </button>
      {hasPassphrase && (
        <button type="button" disabled={isBusy} onClick={() => setErasing(true)}>
          {text("keys.erase")}
        </button>
      )}
      {isErasing && (
        <Dialog title={text("keys.erase.title")} onClose={() => setErasing(false)} actions={erase}>
          <p>{text("keys.erase.words")}</p>
        </Dialog>
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
      <label>
        {text("keys.label")}
        <input value={label} onInput={(event) => setLabel(event.currentTarget.value)} />
      </label>
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
      <button type="button" onClick={() => onChange(async () => vault.lock())}>
        {text("keys.lock")}
      </button>
    </div>
  );
}

function RemoveDialog(props: PartProps & { readonly address: string; onClose: () => void }) {
  const { seen, address, onChange, onClose } = props;
  const yes = (
    <button
      type="button"
      class="danger"
      onClick={() => {
        onClose();
        onChange(() => seen.vault.remove(address));
      }}
    >
      {text("keys.remove.yes")}
    </button>
  );
  return (
    <Dialog title={text("keys.remove.title")} onClose={onClose} actions={yes}>
      <p>{text("keys.remove.words", { address })}</p>
    </Dialog>
  );
}

function AccountTable(props: PartProps) {
  const { seen, isBusy, onChange } = props;
  const { vault, accounts, isUnlocked } = seen;
  const [leaving, setLeaving] = useState<string>();
  const save = (address: string) =>
    onChange(async () => saveText(`${address}.pem`, await vault.toPem(address)));
  const actions = ({ address }: VaultAccount) => (
    <span class="actions">
      <button type="button" disabled={isBusy || !isUnlocked} onClick={() => save(address)}>
        {text("keys.export")}
      </button>
      <button type="button" disabled={isBusy} onClick={() => setLeaving(address)}>
        {text("keys.remove")}
      </button>
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
          { title: text("keys.label"), cell: ({ label }) => label },
          { title: text("keys.address"), cell: ({ address }) => <HashText value={address} /> },
          { title: text("keys.suite"), cell: ({ suite }) => text(`keys.${suite}`) },
          { title: text("keys.actions"), cell: actions },
        ]}
      />
      {leaving && (
        <RemoveDialog {...props} address={leaving} onClose={() => setLeaving(undefined)} />
      )}
    </>
  );
}

/** The vault; nothing where the browser has none for this page. */
export function AccountKeys({ isBusy, onWork }: Props) {
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
