/** The keys of the stage. */
import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Action } from "../../runtimes/shared/theatre/scenario.ts";
import { clientDeed, leaderDeed } from "./play/deeds.ts";
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
      if (!id || !press(id, event.key, latest.current)) return;
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

/** False: the key does nothing now. */
function press(id: KeyId, pressed: string, stage: StageKeys): boolean {
  return pressTime(id, stage.show) || pressDeed(id, stage) || pressOther(id, pressed, stage);
}

function pressTime(id: KeyId, show: Show): boolean {
  const at = SPEEDS.indexOf(show.speed);
  switch (id) {
    case "play":
      if (show.isPlaying) show.pause();
      else show.play();
      return true;
    case "step":
      void show.step("message");
      return true;
    case "back":
      void show.back();
      return true;
    case "block":
    case "view":
      if (!show.isLive) void show.step(id);
      return true;
    case "first":
      void show.seek(0);
      return true;
    case "last":
      void show.seek(show.head);
      return true;
    case "faster":
      show.setSpeed(SPEEDS[at + 1] ?? show.speed, show.hurries);
      return true;
    case "slower":
      show.setSpeed(SPEEDS[at - 1] ?? show.speed, show.hurries);
      return true;
    default:
      return false;
  }
}

function pressDeed(id: KeyId, { show, act, setOver, onCopy }: StageKeys): boolean {
  if (show.isLive) return false;
  const action = actionOf(id, show);
  if (action) act(action);
  else if (id === "partition") setOver({ kind: "partition" });
  else if (id === "link") onCopy();
  else return false;
  return true;
}

function actionOf(id: KeyId, { frame }: Show): Action | undefined {
  switch (id) {
    case "send":
      return clientDeed(frame);
    case "leader":
      return leaderDeed(frame);
    case "spread":
    case "align":
    case "heal":
      return { kind: id };
    default:
      return undefined;
  }
}

function pressOther(id: KeyId, pressed: string, stage: StageKeys): boolean {
  const { show, choice, choose, setOver, root } = stage;
  if (id === "screen") {
    toggleScreen();
    return true;
  }
  if (id === "node") {
    const node = (Number(pressed) + 9) % 10;
    if (node >= show.frame.nodes.length) return false;
    choose({ kind: "node", node });
    buttonOf(root, node)?.focus({ preventScroll: true });
    return true;
  }
  if (id !== "menu" || show.isLive || choice?.kind !== "node") return false;
  const box = buttonOf(root, choice.node)?.getBoundingClientRect();
  const place = { x: (box?.left ?? 0) + (box?.width ?? 0) / 2, y: box?.top ?? 0 };
  setOver({ kind: "menu", node: choice.node, place });
  return true;
}

function buttonOf(root: RefObject<HTMLDivElement | null>, node: number): SVGElement | null {
  return root.current?.querySelector<SVGElement>(`[data-node="${node}"]`) ?? null;
}
