/** Fields for the parameters of a function: texts, items of arrays, members of tuples. */
import { useId } from "preact/hooks";
import { type AbiType, abiTypeText } from "../../../core/abi/type.ts";
import { Button } from "../../parts/button.tsx";
import { text } from "../../texts.ts";
import { type Draft, emptyDraft, type FieldFaults, hintOf, MOST_FIELDS } from "./field-value.ts";

/** One parameter and what stands in its fields. */
interface ValueFieldProps {
  readonly name: string;
  readonly type: AbiType;
  readonly draft: Draft;
  readonly path: string;
  readonly faults: FieldFaults;
  readonly onDraft: (draft: Draft) => void;
}

const DATALIST = "workbench-addresses";

/** Addresses that fields of that type suggest; one list for the whole page. */
export function AddressList({ known }: { readonly known: ReadonlyMap<string, string> }) {
  return (
    <datalist id={DATALIST}>
      {[...known].map(([address, label]) => (
        <option key={address} value={address}>
          {label}
        </option>
      ))}
    </datalist>
  );
}

function Input({ type, draft, fault, id, onDraft }: InputProps) {
  const value = typeof draft === "string" ? draft : "";
  const described = {
    id,
    "aria-invalid": fault ? ("true" as const) : undefined,
    "aria-describedby": `${id}-words`,
  };
  if (type.kind === "bool") {
    return (
      <select
        {...described}
        value={value}
        onChange={({ currentTarget }) => onDraft(currentTarget.value)}
      >
        <option value="true">true</option>
        <option value="false">false</option>
      </select>
    );
  }
  if (type.kind === "string" || type.kind === "bytes" || type.kind === "array") {
    const rows = Math.min(6, value.split("\n").length);
    return (
      <textarea
        {...described}
        rows={rows}
        value={value}
        spellcheck={false}
        onInput={({ currentTarget }) => onDraft(currentTarget.value)}
      />
    );
  }
  return (
    <input
      type="text"
      {...described}
      value={value}
      spellcheck={false}
      autocomplete="off"
      {...(type.kind === "address" ? { list: DATALIST } : {})}
      onInput={({ currentTarget }) => onDraft(currentTarget.value)}
    />
  );
}

interface InputProps {
  readonly type: AbiType;
  readonly draft: Draft;
  readonly fault: boolean;
  readonly id: string;
  readonly onDraft: (draft: Draft) => void;
}

function ScalarField({ name, type, draft, path, faults, onDraft }: ValueFieldProps) {
  const id = useId();
  const fault = faults.get(path);
  const hint = hintOf(type);
  return (
    <div class="field" data-path={path}>
      <label for={id}>
        {name} <code class="soft">{abiTypeText(type)}</code>
      </label>
      <Input type={type} draft={draft} fault={fault !== undefined} id={id} onDraft={onDraft} />
      <span id={`${id}-words`} class={fault ? "bad" : "soft"}>
        {fault ? text(fault.key, fault.values) : hint && text(hint)}
      </span>
    </div>
  );
}

type ArrayType = AbiType & { readonly kind: "array" };

function ArrayField(props: ValueFieldProps & { readonly type: ArrayType }) {
  const { name, type, path, faults, onDraft } = props;
  const drafts = typeof props.draft === "string" ? [] : props.draft;
  const canGrow = type.length === undefined;
  return (
    <fieldset>
      <legend>
        {name} <code class="soft">{abiTypeText(type)}</code>
      </legend>
      {drafts.map((draft, index) => (
        <div class="item" key={index}>
          <ValueField
            name={`${name}[${index}]`}
            type={type.element}
            draft={draft}
            path={`${path}.${index}`}
            faults={faults}
            onDraft={(next) => onDraft(drafts.map((it, i) => (i === index ? next : it)))}
          />
          {canGrow && (
            <button
              type="button"
              class="icon"
              aria-label={text("workbench.item.remove", { name: `${name}[${index}]` })}
              onClick={() => onDraft(drafts.filter((_, i) => i !== index))}
            >
              ✕
            </button>
          )}
        </div>
      ))}
      {drafts.length === 0 && <p class="soft">{text("workbench.item.none")}</p>}
      {canGrow && (
        <Button
          says="workbench.item.add"
          onClick={() => onDraft([...drafts, emptyDraft(type.element)])}
        />
      )}
    </fieldset>
  );
}

type TupleType = AbiType & { readonly kind: "tuple" };

function TupleField(props: ValueFieldProps & { readonly type: TupleType }) {
  const { name, type, path, faults, onDraft } = props;
  const drafts = typeof props.draft === "string" ? [] : props.draft;
  return (
    <fieldset>
      <legend>
        {name} <span class="soft">{text("workbench.tuple")}</span>
      </legend>
      {type.components.map((component, index) => (
        <ValueField
          key={index}
          name={component.name || String(index)}
          type={component.type}
          draft={drafts[index] ?? ""}
          path={`${path}.${index}`}
          faults={faults}
          onDraft={(next) => onDraft(drafts.map((it, i) => (i === index ? next : it)))}
        />
      ))}
    </fieldset>
  );
}

/** The fields of one parameter. */
export function ValueField(props: ValueFieldProps) {
  const { type } = props;
  if (type.kind === "array" && (type.length ?? 0) <= MOST_FIELDS)
    return <ArrayField {...props} type={type} />;
  if (type.kind === "tuple") return <TupleField {...props} type={type} />;
  return <ScalarField {...props} />;
}
