/** Turns the pages of a lesson: addresses of its steps, and the keys that lead to them. */
import { useLayoutEffect } from "preact/hooks";

/** The address of a step, from 0. */
export function addressOfStep(id: string, index: number): string {
  return `#/lessons/${id}/${index + 1}`;
}

/** Arrow keys lead from the step that is shown to its neighbours. */
export function useArrows(id: string, at: number, count: number): void {
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
