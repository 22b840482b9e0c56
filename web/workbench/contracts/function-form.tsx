/** A form made from an entry of an ABI. */
import type { ComponentChildren } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import { type TypedParameter, typedParameters } from "../../../core/client/abi-item.ts";
import { UsageFault } from "../../../core/client/client-fault.ts";
import type { AbiItem } from "../../../core/client/abi-list.ts";
import { text } from "../../texts.ts";
import { type Draft, emptyDraft, type FieldFault, readDraft } from "./field-value.ts";
import { ValueField } from "./value-fields.tsx";

interface FunctionFormProps {
  readonly item: AbiItem;
  /** What the button says. */
  readonly action: string;
  readonly isBusy: boolean;
  /** Why nothing can be sent now; the button is off then. */
  readonly obstacle?: string | undefined;
  readonly onRun: (values: readonly unknown[]) => void;
  /** Between the fields and the button. */
  readonly children?: ComponentChildren;
}

/** A form with a field for each parameter; runs when all of them have values. */
export function FunctionForm(props: FunctionFormProps) {
  const { item } = props;
  const parameters = useMemo(() => parametersOf(item), [item]);
  if (parameters instanceof UsageFault) {
    // Functions of libraries take structures by their place in storage: contracts alone call them.
    return <p class="soft">{text("workbench.notCallable", { why: parameters.message })}</p>;
  }
  return <TypedForm {...props} parameters={parameters} />;
}

/** The parameters with their types, or why they have none that the page knows. */
function parametersOf({ inputs, outputs }: AbiItem): readonly TypedParameter[] | UsageFault {
  try {
    typedParameters(outputs);
    return typedParameters(inputs);
  } catch (cause) {
    if (cause instanceof UsageFault) return cause;
    throw cause;
  }
}

interface TypedFormProps extends FunctionFormProps {
  readonly parameters: readonly TypedParameter[];
}

function TypedForm(props: TypedFormProps) {
  const { parameters, action, isBusy, obstacle, onRun, children } = props;
  const [drafts, setDrafts] = useState<readonly Draft[]>(() =>
    parameters.map(({ type }) => emptyDraft(type)),
  );
  const [faults, setFaults] = useState<ReadonlyMap<string, FieldFault>>(new Map());
  const form = useRef<HTMLFormElement>(null);

  const submit = (event: Event) => {
    event.preventDefault();
    if (isBusy || obstacle !== undefined) return;
    const found = new Map<string, FieldFault>();
    const values = parameters.map(({ type }, i) =>
      readDraft(type, drafts[i] ?? "", String(i), found),
    );
    setFaults(found);
    const [first] = found.keys();
    if (first === undefined) onRun(values);
    else {
      const field = form.current?.querySelector(`[data-path="${first}"]`);
      field?.querySelector<HTMLElement>("input, textarea, select")?.focus();
    }
  };
  return (
    <form ref={form} class="call" onSubmit={submit} noValidate>
      {parameters.map(({ name, type }, index) => (
        <ValueField
          key={index}
          name={name || text("workbench.parameter", { number: index + 1 })}
          type={type}
          draft={drafts[index] ?? ""}
          path={String(index)}
          faults={faults}
          onDraft={(draft) => setDrafts(drafts.map((it, i) => (i === index ? draft : it)))}
        />
      ))}
      {children}
      <div class="actions">
        <button type="submit" class="primary" disabled={isBusy || obstacle !== undefined}>
          {isBusy ? text("workbench.working") : action}
        </button>
        {obstacle !== undefined && <span class="soft">{obstacle}</span>}
      </div>
    </form>
  );
}
