/** Turns the pages of a lesson: addresses of its steps, links and keys that lead to them. */
import type { ComponentChildren } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { text } from "../texts.ts";

/** The address of a step, from 0. */
export function addressOfStep(id: string, index: number): string {
  return `#/lessons/${id}/${index + 1}`;
}

/** Arrow keys lead from the step that is shown to its neighbours. */
function useArrows(id: string, at: number, count: number): void {
  // Before the page is painted: a key that follows at once must count from the step that is seen.
  useLayoutEffect(() => {
    const follow = ({ key, target, defaultPrevented, altKey, ctrlKey, metaKey }: KeyboardEvent) => {
      if (defaultPrevented || altKey || ctrlKey || metaKey) return;
      if (target instanceof HTMLInputElement || target instanceof HTMLSelectElement) return;
      if (document.querySelector("dialog[open]")) return;
      const to = key === "ArrowRight" ? at + 1 : key === "ArrowLeft" ? at - 1 : at;
      if (to !== at && to >= 0 && to < count) location.hash = addressOfStep(id, to);
    };
    addEventListener("keydown", follow);
    return () => removeEventListener("keydown", follow);
  }, [id, count, at]);
}

interface StepPageProps {
  readonly id: string;
  readonly title: string;
  /** The step that is shown, from 0. */
  readonly at: number;
  readonly count: number;
  /** What it says. */
  readonly children: ComponentChildren;
  /** Next to the links. */
  readonly actions?: ComponentChildren;
}

/** Where a step stands in its lesson, what it says, and the way on. */
export function StepWords({ id, title, at, count, children, actions }: StepPageProps) {
  useArrows(id, at, count);
  return (
    <>
      <p>
        <a href="#/lessons">{text("lesson.list")}</a>
      </p>
      <h1>{title}</h1>
      <p class="soft">{text("lesson.place", { at: at + 1, count })}</p>
      {children}
      <nav class="lesson-nav" aria-label={title}>
        {at > 0 && (
          <a class="button" data-go="back" href={addressOfStep(id, at - 1)}>
            {text("lesson.back")}
          </a>
        )}
        {at + 1 < count && (
          <a class="button primary" data-go="next" href={addressOfStep(id, at + 1)}>
            {text("lesson.next")}
          </a>
        )}
        {actions}
      </nav>
    </>
  );
}
