/** Buttons by the key of their text. */
import { text } from "../texts.ts";

interface ButtonProps {
  /** Key of what it says. */
  readonly says: string;
  readonly values?: Readonly<Record<string, string | number>>;
  readonly tone?: "primary" | "danger";
  readonly isOff?: boolean;
  /** Whether what it opens is open. */
  readonly isOpen?: boolean;
  /** Without it the button submits its form. */
  readonly onClick?: (event: Event) => void;
}

/** A button. */
export function Button({ says, values, tone, isOff, isOpen, onClick }: ButtonProps) {
  return (
    <button
      type={onClick ? "button" : "submit"}
      class={tone}
      disabled={isOff}
      aria-expanded={isOpen}
      onClick={onClick}
    >
      {text(says, values)}
    </button>
  );
}
