/** A dialog above the page: the browser keeps the focus inside and closes it on Escape. */
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { addTexts, text } from "../texts.ts";

addTexts({ "dialog.close": ["Close", "关闭"] });

/** What a dialog is given. */
export interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** Buttons below; a button to close is always there. */
  readonly actions?: ComponentChildren;
}

/** A dialog that is open while it is rendered. */
export function Dialog({ title, onClose, children, actions }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = element.current;
    const before = document.activeElement;
    dialog?.showModal();
    // The browser chose a button below the fold: what is read begins at its heading.
    if (dialog && dialog.scrollTop > 0) {
      heading.current?.focus();
      dialog.scrollTop = 0;
    }
    return () => {
      dialog?.close();
      const canReturn = before instanceof HTMLElement || before instanceof SVGElement;
      if (canReturn && before.isConnected && before !== document.body) before.focus();
      else document.getElementById("main")?.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <h2 id={id} ref={heading} tabIndex={-1}>
        {title}
      </h2>
      {children}
      <div class="actions">
        {actions}
        <button type="button" onClick={onClose}>
          {text("dialog.close")}
        </button>
      </div>
    </dialog>
  );
}
