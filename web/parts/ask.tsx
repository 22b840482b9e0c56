/** A question before something is done. */
import { Button } from "./button.tsx";
import { Dialog, type DialogProps } from "./dialog.tsx";

interface AskProps extends Omit<DialogProps, "actions"> {
  /** Key of what the button says that does it. */
  readonly says: string;
  readonly tone?: "primary" | "danger";
  readonly onDo: () => unknown;
}

/** A question before something is done; it closes when that has ended. */
export function Ask({ says, tone = "danger", onDo, ...dialog }: AskProps) {
  const go = async () => {
    await onDo();
    dialog.onClose();
  };
  return <Dialog {...dialog} actions={<Button says={says} tone={tone} onClick={go} />} />;
}
