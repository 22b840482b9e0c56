/** Short words at the edge of the page about what has just happened. */
import { useEffect, useState } from "preact/hooks";
import { failureText } from "../failure.ts";
import { addTexts, text } from "../texts.ts";
import { StatusBadge, type Tone } from "./status-badge.tsx";

addTexts({
  "toast.dismiss": ["Dismiss", "关闭"],
  "toast.good": ["Done", "完成"],
  "toast.bad": ["Failed", "失败"],
  "toast.warn": ["Note", "注意"],
  "toast.plain": ["Note", "提示"],
  "toast.busy": ["Working", "进行中"],
});

interface Said {
  readonly id: number;
  readonly tone: Tone;
  readonly words: string;
}

const SHOWN_MS = 6_000;
/** Failures are read more slowly. */
const FAILURE_SHOWN_MS = 20_000;
const MOST = 4;

let said: readonly Said[] = [];
let lastId = 0;
let tell: ((list: readonly Said[]) => void) | undefined;

function replace(list: readonly Said[]): void {
  said = list;
  tell?.(said);
}

function dismiss(id: number): void {
  replace(said.filter((it) => it.id !== id));
}

/** Says something; the same words again take the place of the earlier ones. */
export function toast(words: string, tone: Tone = "good"): void {
  const id = ++lastId;
  const others = said.filter((it) => it.words !== words);
  replace([...others.slice(-(MOST - 1)), { id, tone, words }]);
  setTimeout(() => dismiss(id), tone === "bad" ? FAILURE_SHOWN_MS : SHOWN_MS);
}

/** Has something done, and says what failed. @returns whether it was done */
export async function attempt(work: () => unknown, words = failureText): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (cause) {
    toast(words(cause), "bad");
    return false;
  }
}

/** Where toasts appear; the shell holds one. */
export function Toasts() {
  const [list, setList] = useState(said);
  useEffect(() => {
    tell = setList;
    setList(said);
    return () => {
      tell = undefined;
    };
  }, []);
  return (
    <div class="toasts" role="status" aria-live="polite">
      {list.map(({ id, tone, words }) => (
        <div key={id} class={`toast ${tone}`}>
          <StatusBadge tone={tone}>{text(`toast.${tone}`)}</StatusBadge>
          <span>{words}</span>
          <button
            type="button"
            class="icon"
            aria-label={text("toast.dismiss")}
            onClick={() => dismiss(id)}
          >
            ✕
          </button>
        </div>
      ))}
    </div>
  );
}
