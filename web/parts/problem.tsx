/** What went wrong, also told to those who do not see it. */
import type { ComponentChildren } from "preact";

/** The problem; nothing while there is none. */
export function Problem({ children }: { readonly children: ComponentChildren }) {
  if (!children) return null;
  return (
    <p class="problem" role="alert">
      {children}
    </p>
  );
}
