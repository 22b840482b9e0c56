/** A menu of what can be done to a node: arrow keys move in it, Escape closes it. */
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { Frame } from "../../runtimes/shared/theatre/frame.ts";
import type { Action } from "../../runtimes/shared/theatre/scenario.ts";
import { text } from "../texts.ts";
import type { Point } from "./picture/circle.ts";
import { menuActionsOf } from "./play/menu-actions.ts";

interface NodeMenuProps {
  readonly frame: Frame;
  readonly node: number;
  /** Of the window. */
  readonly place: Point;
  readonly onAct: (action: Action) => void;
  readonly onClose: () => void;
}

/** Room that stays between the menu and the window's edge. */
const EDGE = 8;

/** The menu. */
export function NodeMenu({ frame, node, place, onAct, onClose }: NodeMenuProps) {
  const box = useRef<HTMLDivElement>(null);
  const view = frame.nodes[node];
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const { width, height } = element.getBoundingClientRect();
    element.style.left = `${Math.max(EDGE, Math.min(place.x, innerWidth - width - EDGE))}px`;
    element.style.top = `${Math.max(EDGE, Math.min(place.y, innerHeight - height - EDGE))}px`;
  }, [place]);
  useEffect(() => {
    const before = document.activeElement;
    box.current?.querySelector<HTMLElement>("[role=menuitem]")?.focus();
    return () => {
      if (before instanceof HTMLElement || before instanceof SVGElement) before.focus();
    };
  }, []);
  if (!view) return null;
  return (
    <>
      <div class="menu-shade" onPointerDown={onClose} />
      <div
        class="menu"
        role="menu"
        ref={box}
        aria-label={text("menu.title", { node: node + 1 })}
        onKeyDown={(event) => move(event, onClose)}
      >
        <strong aria-hidden="true">{text("menu.title", { node: node + 1 })}</strong>
        {menuActionsOf(view, frame).map(({ id, label, action }) => (
          <button
            key={id}
            type="button"
            role="menuitem"
            data-action={id}
            tabIndex={-1}
            onClick={() => {
              onClose();
              onAct(action);
            }}
          >
            {label}
          </button>
        ))}
      </div>
    </>
  );
}

function move(event: KeyboardEvent, onClose: () => void): void {
  event.stopPropagation();
  const menu = event.currentTarget as HTMLElement;
  const items = [...menu.querySelectorAll<HTMLElement>("[role=menuitem]")];
  const at = items.indexOf(document.activeElement as HTMLElement);
  const goTo = (index: number) => items[(index + items.length) % items.length]?.focus();
  switch (event.key) {
    case "ArrowDown":
      goTo(at + 1);
      break;
    case "ArrowUp":
      goTo(at - 1);
      break;
    case "Home":
      goTo(0);
      break;
    case "End":
      goTo(-1);
      break;
    case "Escape":
    case "Tab":
      onClose();
      break;
    default:
      return;
  }
  event.preventDefault();
}
