/** The keys that this browser keeps: of the nodes, and of its user's accounts. */
import { useEffect, useState } from "preact/hooks";
import { changeNodePassphrase } from "../../runtimes/browser/keys/node-keys.ts";
import { Button } from "../parts/button.tsx";
import { PassphraseField } from "../parts/fields.tsx";
import { toast } from "../parts/toast.tsx";
import { text } from "../texts.ts";
import { AccountKeys, inWords } from "./account-keys.tsx";
import "./keys-texts.ts";
import { useNodeLock } from "./use-node-lock.ts";
import type { Work } from "./work.ts";

interface KeysPanelProps extends Work {
  /** Name of the chain whose nodes have keys here. */
  readonly chain: string | undefined;
}

function NodeKeys({ chain, isBusy, onWork }: KeysPanelProps) {
  const [lock, look] = useNodeLock(chain);
  const [before, setBefore] = useState("");
  const [after, setAfter] = useState("");
  useEffect(look, [isBusy]);
  if (chain === undefined || lock === undefined) return null;
  const change = (event: Event) => {
    event.preventDefault();
    onWork(() =>
      inWords(async () => {
        await changeNodePassphrase(chain, before || undefined, after || undefined);
        toast(text("keys.changed"));
        setBefore("");
        setAfter("");
        look();
      }),
    );
  };
  return (
    <>
      <h3>{text("keys.nodes")}</h3>
      <p class="soft">{text(`keys.lock.${lock}`)}</p>
      <form class="node-form" onSubmit={change}>
        {lock === "passphrase" && (
          <PassphraseField title="keys.before" value={before} onValue={setBefore} />
        )}
        <PassphraseField
          title="keys.after"
          value={after}
          isNew
          isOptional={lock === "passphrase"}
          placeholder={lock === "passphrase" ? text("keys.after.none") : ""}
          onValue={setAfter}
        />
        <Button says="keys.change" isOff={isBusy} />
      </form>
    </>
  );
}

/** The panel. */
export function KeysPanel(props: KeysPanelProps) {
  return (
    <section class="panel">
      <h2>{text("keys.title")}</h2>
      <NodeKeys {...props} />
      <h3>{text("keys.accounts")}</h3>
      <p class="soft">{text("keys.accounts.words")}</p>
      <AccountKeys isBusy={props.isBusy} onWork={props.onWork} />
    </section>
  );
}
