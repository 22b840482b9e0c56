/** Fields of forms, each under its name. */
import type { ComponentChildren } from "preact";
import { text } from "../texts.ts";

interface LabelProps {
  /** Key of its name. */
  readonly title: string;
  /** Key of the words below it. */
  readonly hint?: string | undefined;
  readonly isHintUrgent?: boolean | undefined;
  /** Of the label around it. */
  readonly class?: string | undefined;
}

interface FieldProps extends LabelProps {
  readonly value: string;
  readonly onValue: (value: string) => void;
}

interface TextFieldProps extends FieldProps {
  /** Lines; without them it is one that cannot grow. */
  readonly rows?: number;
  readonly type?: "password";
  readonly autocomplete?: "new-password" | "current-password";
  readonly inputMode?: "numeric";
  readonly placeholder?: string;
  readonly required?: boolean;
  /** Names, digits and addresses are no words that could be misspelt. */
  readonly spellcheck?: false;
}

type Typed = { readonly currentTarget: { readonly value: string } };

function Label({ children, ...props }: LabelProps & { readonly children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is its child
    <label class={props.class}>
      <span>{text(props.title)}</span>
      {children}
      {props.hint && <span class={props.isHintUrgent ? "warn" : "soft"}>{text(props.hint)}</span>}
    </label>
  );
}

/** A field for a text. */
export function TextField({ rows, onValue, ...props }: TextFieldProps) {
  const { title, hint, isHintUrgent, class: kind, ...rest } = props;
  const onInput = ({ currentTarget }: Typed) => onValue(currentTarget.value);
  return (
    <Label title={title} hint={hint} isHintUrgent={isHintUrgent} class={kind}>
      {rows === undefined ? (
        <input {...rest} onInput={onInput} />
      ) : (
        <textarea {...rest} rows={rows} onInput={onInput} />
      )}
    </Label>
  );
}

interface PassphraseFieldProps extends Omit<FieldProps, "hint" | "class"> {
  /** Whether it is chosen here. */
  readonly isNew?: boolean;
  readonly isOptional?: boolean;
  readonly placeholder?: string;
}

/** A field for a passphrase. */
export function PassphraseField({ isNew, isOptional, ...props }: PassphraseFieldProps) {
  const autocomplete = isNew ? "new-password" : "current-password";
  return (
    <TextField {...props} type="password" required={!isOptional} autocomplete={autocomplete} />
  );
}

interface ChoiceProps extends FieldProps {
  /** Values with what is reported of them. */
  readonly options: readonly (readonly [value: string, says: ComponentChildren])[];
}

/** A field for one of several values. */
export function ChoiceField({ options, value, onValue, ...label }: ChoiceProps) {
  return (
    <Label {...label}>
      <select value={value} onChange={({ currentTarget }) => onValue(currentTarget.value)}>
        {options.map(([name, says]) => (
          <option key={name} value={name}>
            {says}
          </option>
        ))}
      </select>
    </Label>
  );
}
