/** A button that copies a text. */
import { useEffect, useState } from "preact/hooks";
import { addTexts, text } from "../texts.ts";

addTexts({
  "copy.do": ["Copy {what}", "复制{what}"],
  "copy.value": ["value", "值"],
  "copy.done": ["Copied", "已复制"],
  "copy.failed": [
    "The browser did not allow copying: select the text and copy it yourself",
    "浏览器不允许复制，请手动选择文本复制",
  ],
});

/** How long the button says that it copied. */
const SAID_MS = 1_500;

/** Copies where the page is no secure context too. */
export async function copyText(value: string): Promise<void> {
  if (navigator.clipboard !== undefined) return await navigator.clipboard.writeText(value);
  const area = document.createElement("textarea");
  area.value = value;
  area.setAttribute("aria-hidden", "true");
  area.style.position = "fixed";
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  if (!done) throw new DOMException("copying was refused", "NotAllowedError");
}

/** The button; `what` names the text for those who do not see it. */
export function CopyButton(props: { readonly value: string; readonly what?: string | undefined }) {
  const { value, what } = props;
  const [said, setSaid] = useState<"copy.done" | "copy.failed">();
  useEffect(() => {
    if (said === undefined) return undefined;
    const timer = setTimeout(() => setSaid(undefined), SAID_MS);
    return () => clearTimeout(timer);
  }, [said]);
  const label = said ? text(said) : text("copy.do", { what: what ?? text("copy.value") });
  return (
    <button
      type="button"
      class={`icon copy ${said === "copy.done" ? "good" : ""}`}
      aria-label={label}
      title={label}
      onClick={() =>
        copyText(value).then(
          () => setSaid("copy.done"),
          () => setSaid("copy.failed"),
        )
      }
    >
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
        {said === "copy.done" ? (
          <path d="M3 8.5l3.2 3.2L13 5" />
        ) : (
          <path d="M5.5 5.5h8v8h-8zM2.5 10.5v-8h8" />
        )}
      </svg>
    </button>
  );
}
