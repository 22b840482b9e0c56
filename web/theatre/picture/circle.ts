/** Where things stand in the picture: nodes on a circle, messages on bows between them. */

/** A point of the picture. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The shorter side of the picture, in its own units. */
export const SIDE = 1_000;
/** How far messages bow out, as a part of their way: two directions do not cover each other. */
const BOW = 0.09;
/** A picture whose shorter side is less on the screen has larger nodes in it, in CSS pixels. */
const SMALL = 520;
/** Pictures are not drawn flatter or steeper than that. */
const FLATTEST = 2;
const STEEPEST = 0.7;
/** Nodes do not stand further apart sideways, as a part of how far they do upright. */
const WIDEST = 1.7;
const MARGIN = 16;
/** Radius of a node that everything in and around it is drawn for. */
export const NODE = 88;
/** Rings of votes: the first one's distance from the node, and from each to the next. */
export const RING = { first: 22, step: 16 } as const;
const RINGS_END = 48;
/** Height of a node's name where it is shown. */
const NAME = 34;

/** A size on the screen. */
export interface Box {
  readonly width: number;
  readonly height: number;
}

/** Where this many nodes stand in a picture of some shape, and how large they are. */
export interface Layout extends Box {
  readonly count: number;
  /** Half the width and half the height of the ring that the nodes stand on. */
  readonly orbit: Point;
  /** Radius of a node. */
  readonly node: number;
  /** Radius of its outermost ring. */
  readonly rings: number;
  /** Side of a block. */
  readonly block: number;
  /** How many blocks of a node are shown. */
  readonly blocks: number;
  /** Height of a node's name; 0: it has none. */
  readonly name: number;
  /** Nodes are so small on the screen that they carry their number only. */
  readonly isTerse: boolean;
}

interface LayoutOptions {
  readonly count: number;
  /** The picture on the screen. */
  readonly box: Box;
  /** Nodes carry the beginning of their identifier. */
  readonly isNamed?: boolean;
}

/** The layout of this many nodes in a picture of that size on the screen. */
export function layoutOf({ count, box, isNamed = false }: LayoutOptions): Layout {
  const shape = Math.min(FLATTEST, Math.max(STEEPEST, box.width / Math.max(1, box.height)));
  const width = shape > 1 ? SIDE * shape : SIDE;
  const height = shape > 1 ? SIDE : SIDE / shape;
  const isSmall = Math.min(box.width, box.height) < SMALL;
  const node = radiusOf(count, isSmall);
  const rings = node + (RINGS_END * node) / NODE;
  const block = Math.round(node * (count <= 5 ? 0.5 : 0.6));
  const name = isNamed ? NAME : 0;
  const upright = height / 2 - rings - block - name - 2 * MARGIN;
  const sideways = Math.min(width / 2 - rings - MARGIN, upright * WIDEST);
  const orbit = count === 1 ? { x: 0, y: 0 } : { x: sideways, y: upright };
  const blocks = count <= 4 ? 4 : count <= 7 ? 3 : 2;
  const isTerse = isSmall && count > 7;
  return { count, width, height, orbit, node, rings, block, blocks, name, isTerse };
}

function radiusOf(count: number, isSmall: boolean): number {
  if (count <= 4) return isSmall ? 104 : NODE;
  if (count === 5) return isSmall ? 88 : 80;
  return count <= 7 ? 66 : 56;
}

/**
 * The direction of a node from the centre. The first one stands at the top; of two nodes left, and
 * of four in the corner, since there the ways between them are longest.
 */
export function angleOf(number: number, count: number): number {
  const first = count === 2 ? -Math.PI : count === 4 ? -0.75 * Math.PI : -Math.PI / 2;
  return first + (2 * Math.PI * number) / count;
}

/** A point at an angle and a distance. */
export function at(centre: Point, angle: number, distance: number): Point {
  return { x: centre.x + distance * Math.cos(angle), y: centre.y + distance * Math.sin(angle) };
}

/** Where a node stands. */
export function placeOf(number: number, { count, width, height, orbit }: Layout): Point {
  const angle = angleOf(number, count);
  const stretch = count === 4 ? Math.SQRT2 : 1;
  return {
    x: width / 2 + stretch * orbit.x * Math.cos(angle),
    y: height / 2 + stretch * orbit.y * Math.sin(angle),
  };
}

/** The way of a message: a bow to the right of its direction, from ring to ring. */
export interface Way {
  readonly start: Point;
  readonly bend: Point;
  readonly end: Point;
}

/** The way from one node to another. */
export function wayBetween(from: number, to: number, layout: Layout): Way {
  const one = placeOf(from, layout);
  const other = placeOf(to, layout);
  const length = Math.hypot(other.x - one.x, other.y - one.y) || 1;
  const across = { x: (other.x - one.x) / length, y: (other.y - one.y) / length };
  const gap = Math.min(layout.rings, length / 3);
  const start = { x: one.x + across.x * gap, y: one.y + across.y * gap };
  const end = { x: other.x - across.x * gap, y: other.y - across.y * gap };
  const bow = length * BOW;
  const bend = {
    x: (start.x + end.x) / 2 - across.y * bow,
    y: (start.y + end.y) / 2 + across.x * bow,
  };
  return { start, bend, end };
}

/** The part (0 to 1) of a way that lies behind a message. */
export function behind({ start, bend, end }: Way, part: number): Way {
  const t = Math.min(1, Math.max(0, part));
  const mid = { x: start.x + (bend.x - start.x) * t, y: start.y + (bend.y - start.y) * t };
  return { start, bend: mid, end: along({ start, bend, end }, t) };
}

/** Where something is that has gone this part (0 to 1) of its way. */
export function along({ start, bend, end }: Way, part: number): Point {
  const t = Math.min(1, Math.max(0, part));
  const mix = (a: number, b: number, c: number) =>
    (1 - t) * (1 - t) * a + 2 * (1 - t) * t * b + t * t * c;
  return { x: mix(start.x, bend.x, end.x), y: mix(start.y, bend.y, end.y) };
}

/** A way as the path of an SVG. */
export function pathOf({ start, bend, end }: Way): string {
  return `M${short(start)} Q${short(bend)} ${short(end)}`;
}

/** An arc around a point, from one angle to another, as the path of an SVG. */
export function arcOf(centre: Point, radius: number, from: number, to: number): string {
  const isLarge = to - from > Math.PI ? 1 : 0;
  const start = short(at(centre, from, radius));
  return `M${start} A${radius} ${radius} 0 ${isLarge} 1 ${short(at(centre, to, radius))}`;
}

/**
 * One piece of a ring with a piece for each node; it points to that node, so that a vote is seen
 * where it came from.
 */
export function pieceOf(
  centre: Point,
  radius: number,
  { number, count }: { readonly number: number; readonly count: number },
): string {
  const middle = angleOf(number, count);
  const half = Math.PI / count - 0.05;
  return arcOf(centre, radius, middle - half, middle + half);
}

function short({ x, y }: Point): string {
  return `${x.toFixed(1)} ${y.toFixed(1)}`;
}
