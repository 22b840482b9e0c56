/** A word with a colour and a shape of its own, so that it is read without the colour. */
import type { ComponentChildren } from "preact";

/** What the word says about its subject; `told`: nobody has shown that it is so. */
export type Tone = "good" | "bad" | "warn" | "plain" | "busy" | "told";

const MARKS: Readonly<Record<Tone, string>> = {
  good: "✓",
  bad: "✗",
  warn: "!",
  plain: "•",
  busy: "…",
  told: "?",
};

interface StatusBadgeProps {
  readonly tone: Tone;
  readonly children: ComponentChildren;
  readonly title?: string;
}

/** The badge. */
export function StatusBadge({ tone, children, title }: StatusBadgeProps) {
  return (
    <span class={`badge ${tone}`} title={title}>
      <span aria-hidden="true">{MARKS[tone]}</span>
      <span class="badge-words">{children}</span>
    </span>
  );
}
