/** The nodes on a circle and the messages between them. */
import type { RefObject } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { CutView, Flight, Frame, NodeView } from "../../../runtimes/shared/theatre/frame.ts";
import { language, text } from "../../texts.ts";
import {
  along,
  behind,
  type Box,
  type Layout,
  layoutOf,
  NODE,
  pathOf,
  placeOf,
  type Point,
  SIDE,
  wayBetween,
} from "./circle.ts";
import { BACKGROUND, lookOf } from "../play/kinds.ts";
import { Deadline, NodeGlyph } from "./node-glyph.tsx";
import { sentenceOf } from "../play/standing.ts";

/** What is examined more closely. */
export type Choice =
  | { readonly kind: "node"; readonly node: number }
  | { readonly kind: "message"; readonly id: number };

interface PictureProps {
  readonly frame: Frame;
  readonly now: number;
  readonly choice: Choice | undefined;
  /** Nodes that a lesson points at. */
  readonly pointed?: readonly number[] | undefined;
  /** Messages do not fly: each is an arrow. */
  readonly isStill: boolean;
  readonly showsBackground: boolean;
  /** Nodes carry the beginning of their identifier, as those of a running chain. */
  readonly isNamed?: boolean;
  readonly onChoose: (choice: Choice) => void;
  /** A node's actions are wanted, at a place of the window. */
  readonly onMenu: ((node: number, place: Point) => void) | undefined;
  /** A line was drawn across the picture: the nodes on its two sides. */
  readonly onCut: ((sides: readonly (readonly number[])[]) => void) | undefined;
}

/** A press that lasts opens the menu, where there is no other button. */
const LONG_PRESS_MS = 550;
/** A shorter line was no line. */
const SHORTEST_LINE = 120;
/** Radius of a message. */
const DOT = { usual: 25, small: 30 };
/** A finger needs more. */
const TOUCH = 42;
/** Pictures of nearly the same shape are drawn alike, in pixels. */
const COARSE = 16;
/** Where an arrow that stands still carries its letter. */
const LETTER_AT = 0.6;

/** The size of the picture on the screen, as it comes to be. */
function useBox(svg: RefObject<SVGSVGElement | null>): Box {
  const [box, setBox] = useState<Box>({ width: SIDE, height: SIDE });
  useLayoutEffect(() => {
    const { current } = svg;
    if (!current) return undefined;
    const measure = () => {
      const { width, height } = current.getBoundingClientRect();
      const next = { width: coarse(width), height: coarse(height) };
      setBox((known) =>
        known.width === next.width && known.height === next.height ? known : next,
      );
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    return () => observer.disconnect();
  }, [svg]);
  return box;
}

function coarse(pixels: number): number {
  return Math.max(COARSE, Math.round(pixels / COARSE) * COARSE);
}

/** The picture. */
export function Picture(props: PictureProps) {
  const { frame, showsBackground, isNamed = false } = props;
  const count = frame.nodes.length;
  const flights = frame.flights.filter(({ kind }) => showsBackground || !BACKGROUND.has(kind));
  const svg = useRef<SVGSVGElement>(null);
  const box = useBox(svg);
  const layout = useMemo(() => layoutOf({ count, box, isNamed }), [count, box, isNamed]);
  const { line, ...drawing } = useLine(props, layout);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a picture holds no fieldset
    <svg
      ref={svg}
      class="picture"
      viewBox={`0 0 ${layout.width.toFixed(0)} ${layout.height.toFixed(0)}`}
      role="group"
      aria-label={text("stage.picture")}
      {...drawing}
    >
      <Links layout={layout} />
      {frame.cuts.map((cut) => (
        <Cut key={`${cut.from}-${cut.to}`} cut={cut} layout={layout} />
      ))}
      {frame.nodes.map((node) => (
        <NodePlace key={node.node} {...props} node={node} layout={layout} />
      ))}
      <g class="flights">
        {flights.map((flight) => (
          <FlightGlyph key={flight.id} {...props} flight={flight} layout={layout} />
        ))}
      </g>
      {line && (
        <line class="knife" x1={line.from.x} y1={line.from.y} x2={line.to.x} y2={line.to.y} />
      )}
    </svg>
  );
}

type PlaceProps = PictureProps & { readonly node: NodeView; readonly layout: Layout };

/** A node with its button. It is drawn anew when it changes, and its patience as time passes. */
function NodePlace(props: PlaceProps) {
  const { node, layout, choice, pointed, now } = props;
  const isChosen = choice?.kind === "node" && choice.node === node.node;
  const isPointed = pointed?.includes(node.node) === true;
  const words = language();
  // Texts change with the language.
  const glyph = useMemo(
    () => <NodeGlyph node={node} layout={layout} isChosen={isChosen} isPointed={isPointed} />,
    [node, layout, isChosen, isPointed, words],
  );
  return (
    <g>
      {/* biome-ignore lint/a11y/noAriaHiddenOnFocusable: a drawing takes no focus */}
      <g aria-hidden="true">
        <Deadline node={node} layout={layout} now={now} />
        {glyph}
      </g>
      <NodeButton {...props} />
    </g>
  );
}

function Links({ layout }: { layout: Layout }) {
  const { count } = layout;
  const pairs = Array.from({ length: count }, (_, one) =>
    Array.from({ length: count - one - 1 }, (__, more) => [one, one + 1 + more] as const),
  ).flat();
  return (
    <g class="links">
      {pairs.map(([one, other]) => {
        const [from, to] = [placeOf(one, layout), placeOf(other, layout)];
        return <line key={`${one}-${other}`} x1={from.x} y1={from.y} x2={to.x} y2={to.y} />;
      })}
    </g>
  );
}

/** A scissors mark where nothing passes. */
function Cut({ cut, layout }: { cut: CutView; layout: Layout }) {
  const way = wayBetween(cut.from, cut.to, layout);
  const { x, y } = along(way, 0.5);
  return (
    <g class="cut">
      <path d={pathOf(way)} />
      <path d={`M${x - 16} ${y - 16} l32 32 m0 -32 l-32 32`} />
    </g>
  );
}

function FlightGlyph(props: PictureProps & { flight: Flight; layout: Layout }) {
  const { flight, layout, now, isStill, choice, onChoose } = props;
  const { from, to, sentAt, arrivesAt, held, lie, kind, id } = flight;
  const way = wayBetween(from, to, layout);
  // What waits behind a message that is held stands behind it.
  const standing = held ? 0.5 : 0.36;
  const part =
    arrivesAt === undefined ? standing : (now - sentAt) / Math.max(1, arrivesAt - sentAt);
  const { x, y } = along(way, isStill ? LETTER_AT : part);
  const { letter, colour } = lookOf(kind);
  const isChosen = choice?.kind === "message" && choice.id === id;
  const classes = ["flight", colour, held && "held", lie && "lie", isChosen && "chosen"];
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the inspector lists it for the keyboard
    <g
      class={classes.filter(Boolean).join(" ")}
      onClick={(event) => {
        event.stopPropagation();
        onChoose({ kind: "message", id });
      }}
    >
      {isStill || isChosen ? (
        <path class="way" d={pathOf(way)} />
      ) : (
        <path class="tail" d={pathOf(behind(way, part))} />
      )}
      <g transform={`translate(${x.toFixed(1)} ${y.toFixed(1)})`}>
        <circle class="touch" r={TOUCH} />
        <circle class="dot" r={layout.node > NODE ? DOT.small : DOT.usual} />
        <text y={10}>{letter}</text>
      </g>
    </g>
  );
}

/**
 * Lies over a node and listens for it: click, key, right click, long press. The drawing is next to
 * it and not inside, so that what the button is called does not differ from what it shows.
 */
function NodeButton({ node: view, layout, onChoose, onMenu, choice }: PlaceProps) {
  const number = view.node;
  const { x, y } = placeOf(number, layout);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const menuAt = (target: Element) => {
    const { left, top, width, height } = target.getBoundingClientRect();
    onMenu?.(number, { x: left + width / 2, y: top + height / 2 });
  };
  const words = language();
  // Texts change with the language.
  const label = useMemo(() => sentenceOf(view), [view, words]);
  const release = () => clearTimeout(timer.current);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a picture holds no button
    <g
      class="node-button"
      role="button"
      tabindex={0}
      data-node={number}
      aria-label={label}
      aria-pressed={choice?.kind === "node" && choice.node === number}
      onClick={() => onChoose({ kind: "node", node: number })}
      onContextMenu={(event) => {
        if (!onMenu) return;
        event.preventDefault();
        onMenu(number, { x: event.clientX, y: event.clientY });
      }}
      onKeyDown={(event) => {
        if (event.key === "Enter" || event.key === " ") onChoose({ kind: "node", node: number });
        else if (event.key === "m" || event.key === "ContextMenu") menuAt(event.currentTarget);
        else return;
        event.preventDefault();
        event.stopPropagation();
      }}
      onPointerDown={(event) => {
        event.stopPropagation();
        const { clientX: x, clientY: y, pointerType } = event;
        if (pointerType === "touch")
          timer.current = setTimeout(() => onMenu?.(number, { x, y }), LONG_PRESS_MS);
      }}
      onPointerUp={release}
      onPointerCancel={release}
      onPointerLeave={release}
    >
      <circle class="hit" cx={x} cy={y} r={layout.rings} />
    </g>
  );
}

interface Line {
  readonly from: Point;
  readonly to: Point;
}

/** A line drawn with the pointer across the picture. */
function useLine({ onCut }: PictureProps, layout: Layout) {
  const [line, setLine] = useState<Line>();
  if (!onCut) return { line: undefined };
  const finish = () => {
    setLine(undefined);
    if (!line || Math.hypot(line.to.x - line.from.x, line.to.y - line.from.y) < SHORTEST_LINE)
      return;
    const sides = sidesOf(line, layout);
    if (sides.every(({ length }) => length > 0)) onCut(sides);
  };
  return {
    line,
    onPointerDown: (event: PointerEvent) => {
      if (event.button !== 0 || event.pointerType === "touch") return;
      const place = inPicture(event);
      setLine({ from: place, to: place });
    },
    onPointerMove: (event: PointerEvent) => {
      if (line) setLine({ from: line.from, to: inPicture(event) });
    },
    onPointerUp: finish,
    onPointerLeave: () => setLine(undefined),
  };
}

/** A place of the window as one of the picture. */
function inPicture(event: PointerEvent): Point {
  const svg = event.currentTarget;
  const matrix = svg instanceof SVGSVGElement ? svg.getScreenCTM() : null;
  if (!matrix) return { x: 0, y: 0 };
  const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
  return { x, y };
}

/** The nodes left and right of a line. */
export function sidesOf({ from, to }: Line, layout: Layout): readonly (readonly number[])[] {
  const sides: [number[], number[]] = [[], []];
  for (let number = 0; number < layout.count; number++) {
    const { x, y } = placeOf(number, layout);
    const turn = (to.x - from.x) * (y - from.y) - (to.y - from.y) * (x - from.x);
    sides[turn < 0 ? 0 : 1].push(number);
  }
  return sides;
}
