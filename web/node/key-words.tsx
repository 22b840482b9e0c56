/** What both parts of the panel of keys share. */
import { KeyFault } from "../../runtimes/browser/keys/key-fault.ts";
import { text } from "../texts.ts";

/** What the panel is told. */
export interface KeysPanelProps {
  /** Name of the chain whose nodes have keys here. */
  readonly chain: string | undefined;
  readonly isBusy: boolean;
  /** Does it, and says what failed. */
  readonly onWork: (work: () => Promise<void>) => void;
}

/** Faults of keys have words of their own. */
export async function inWords(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    if (!(cause instanceof KeyFault)) throw cause;
    throw new Error(text(`keys.fault.${cause.kind}`), { cause });
  }
}

/** A field for a passphrase. */
export function PassphraseField(props: {
  readonly title: string;
  readonly value: string;
  readonly isNew?: boolean;
  readonly isOptional?: boolean;
  readonly placeholder?: string;
  readonly onValue: (value: string) => void;
}) {
  const { title, value, isNew = false, isOptional = false, placeholder = "", onValue } = props;
  return (
    <label>
      {text(title)}
      <input
        type="password"
        required={!isOptional}
        autocomplete={isNew ? "new-password" : "current-password"}
        placeholder={placeholder}
        value={value}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
    </label>
  );
}
