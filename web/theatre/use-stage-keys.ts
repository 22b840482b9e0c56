/** The keys of the stage. */
import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Action } from "../../runtimes/shared/theatre/scenario.ts";
import { clientAction, leaderAction } from "./play/menu-actions.ts";
import type { Point } from "./picture/circle.ts";
import { type KeyId, keyOf } from "./keys.ts";
import type { Choice } from "./picture/picture.tsx";
import { type Show, SPEEDS } from "./play/player.ts";
import { toggleScreen } from "./screen.ts";

/** What lies over the stage. */
export type Over =
  | { readonly kind: "menu"; readonly node: number; readonly place: Point }
  | { readonly kind: "partition" }
  | { readonly kind: "links" };

/** What keys do something to. */
export interface StageKeys {
  readonly show: Show;
  readonly act: (action: Action) => void;
  readonly choice: Choice | undefined;
  readonly choose: (choice: Choice) => void;
  readonly setOver: (over: Over) => void;
  readonly onCopy: () => void;
  readonly root: RefObject<HTMLDivElement | null>;
}

/** Listens while the stage is there. */
export function useStageKeys(stage: StageKeys): void {
  const latest = useRef(stage);
  latest.current = stage;
  // Before the stage is painted: a key that comes as soon as it is seen is heard.
  useLayoutEffect(() => {
    const follow = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (isTaken(event.target, event.key) || document.querySelector("dialog[open]")) return;
      const id = keyOf(event.key);
      if (!id || PRESSES[id](latest.current, event.key) === false) return;
      event.preventDefault();
    };
    addEventListener("keydown", follow);
    return () => removeEventListener("keydown", follow);
  }, []);
}

/** Whether a key belongs to what has the focus, as digits to a field. */
function isTaken(target: EventTarget | null, pressed: string): boolean {
  if (!(target instanceof HTMLElement)) return false;
  const { tagName } = target;
  if (tagName === "TEXTAREA" || tagName === "SELECT" || target.isContentEditable) return true;
  if (tagName === "INPUT") {
    const isSlider = target.getAttribute("type") === "range";
    return !isSlider || /^(Arrow|Home|End|Page)/.test(pressed);
  }
  const isButton = tagName === "BUTTON" || tagName === "A" || tagName === "SUMMARY";
  if (isButton) return pressed === " " || pressed === "Enter";
  // A list that scrolls keeps its keys.
  return target.classList.contains("row-list") && /^(Arrow|Home|End|Page| )/.test(pressed);
}

/** What each key does; false: nothing now. */
const PRESSES: Readonly<Record<KeyId, (stage: StageKeys, pressed: string) => unknown>> = {
  play: ({ show }) => (show.isPlaying ? show.pause() : show.play()),
  step: ({ show }) => void show.step("message"),
  back: ({ show }) => void show.back(),
  block: ({ show }) => void (show.isLive || show.step("block")),
  view: ({ show }) => void (show.isLive || show.step("view")),
  first: ({ show }) => void show.seek(0),
  last: ({ show }) => void show.seek(show.head),
  faster: ({ show }) => changeSpeed(show, 1),
  slower: ({ show }) => changeSpeed(show, -1),
  send: (stage) => pressAction(stage, clientAction(stage.show.frame)),
  leader: (stage) => pressAction(stage, leaderAction(stage.show.frame)),
  spread: (stage) => pressAction(stage, { kind: "spread" }),
  align: (stage) => pressAction(stage, { kind: "align" }),
  partition: ({ show, setOver }) => !show.isLive && setOver({ kind: "partition" }),
  heal: (stage) => pressAction(stage, { kind: "heal" }),
  link: ({ show, onCopy }) => !show.isLive && onCopy(),
  screen: toggleScreen,
  node: ({ show, choose, root }, pressed) => {
    const node = (Number(pressed) + 9) % 10;
    if (node >= show.frame.nodes.length) return false;
    choose({ kind: "node", node });
    return buttonOf(root, node)?.focus({ preventScroll: true });
  },
  menu: ({ show, choice, setOver, root }) => {
    if (show.isLive || choice?.kind !== "node") return false;
    const box = buttonOf(root, choice.node)?.getBoundingClientRect();
    const place = { x: (box?.left ?? 0) + (box?.width ?? 0) / 2, y: box?.top ?? 0 };
    return setOver({ kind: "menu", node: choice.node, place });
  },
};

function changeSpeed(show: Show, by: 1 | -1): void {
  const next = SPEEDS[SPEEDS.indexOf(show.speed) + by];
  show.setSpeed(next ?? show.speed, show.hurries);
}

function pressAction({ show, act }: StageKeys, action: Action | undefined): unknown {
  return !show.isLive && action !== undefined && act(action);
}

function buttonOf(root: RefObject<HTMLDivElement | null>, node: number): SVGElement | null {
  return root.current?.querySelector<SVGElement>(`[data-node="${node}"]`) ?? null;
}
