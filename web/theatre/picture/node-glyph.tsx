/** One node of the picture: its state, its view or term, its quorum rings, its lock, its blocks. */
import type { NodeView } from "../../../runtimes/shared/theatre/frame.ts";
import { text } from "../../texts.ts";
import {
  angleOf,
  arcOf,
  at,
  type Layout,
  NODE,
  type Point,
  pieceOf,
  placeOf,
  RING,
} from "./circle.ts";
import { hueOf } from "../play/kinds.ts";
import { short } from "../row-words.ts";
import { isLeader, type Ring, ringsOf, roleWord, standingOf, waitOf } from "../play/standing.ts";

interface GlyphProps {
  readonly node: NodeView;
  readonly layout: Layout;
  readonly isChosen: boolean;
  /** Something that a lesson points at. */
  readonly isPointed: boolean;
}

const FULL = 2 * Math.PI;
const TOP = -Math.PI / 2;
/** Letters of usual width that fit into a node. */
const FITTING = 9;
/** From here on letters are as wide as high. */
const FIRST_WIDE = 0x2e80;

/** One node, but for what changes while time passes. */
export function NodeGlyph({ node, layout, isChosen, isPointed }: GlyphProps) {
  const place = placeOf(node.node, layout);
  const { node: radius, rings } = layout;
  const isLeading = isLeader(node);
  const classes = ["node", node.power, isLeading && "leads", node.lie && "lying"];
  if (isChosen) classes.push("chosen");
  return (
    <g class={classes.filter(Boolean).join(" ")} style={`--u:${radius / NODE}px`}>
      {isPointed && <circle class="pointed" cx={place.x} cy={place.y} r={rings + 2} />}
      <Blocks node={node} layout={layout} />
      <Rings node={node} place={place} layout={layout} />
      <circle class="body" cx={place.x} cy={place.y} r={radius} />
      {node.power === "off" && <Cross place={place} radius={radius} />}
      <Words node={node} place={place} layout={layout} />
      <Badges node={node} place={place} radius={radius} isLeading={isLeading} />
    </g>
  );
}

/** How much patience a node has left. */
export function Deadline(props: { node: NodeView; layout: Layout; now: number }) {
  const { node, layout, now } = props;
  const wait = waitOf(node);
  if (!wait) return null;
  const left = (wait.to - now) / Math.max(1, wait.to - wait.from);
  if (left <= 0) return null;
  const end = TOP + FULL * Math.min(0.999, left);
  const radius = layout.node + 8;
  return <path class="deadline" d={arcOf(placeOf(node.node, layout), radius, TOP, end)} />;
}

/** A node that is off is crossed out, so that it is seen from afar. */
function Cross({ place: { x, y }, radius }: { place: Point; radius: number }) {
  const reach = radius * 0.62;
  const [left, right, top, low] = [x - reach, x + reach, y - reach, y + reach];
  return (
    <path class="cross" d={`M${left} ${top} L${right} ${low} M${right} ${top} L${left} ${low}`} />
  );
}

/** Its number, where it stands, and what it counts: votes, else its height. */
function Words({ node, place, layout }: { node: NodeView; place: Point; layout: Layout }) {
  const { x, y } = place;
  const { node: radius, isTerse } = layout;
  if (isTerse)
    return (
      <text class="number terse" x={x} y={y + radius * 0.32}>
        {node.node + 1}
      </text>
    );
  const standing = standingOf(node);
  const counting = ringsOf(node).filter(({ voters }) => voters.length > 0);
  return (
    <>
      <text class="number" x={x} y={y - radius * 0.2}>
        {node.node + 1}
      </text>
      <text class="standing" x={x} y={y + radius * 0.24} style={`--fit:${fitOf(standing)}`}>
        {standing}
      </text>
      <text class="height" x={x} y={y + radius * 0.64}>
        {counting.length > 0 && node.power === "on"
          ? counting
              .slice(0, 2)
              .map((ring, index) => <Count key={ring.name} {...{ ring, index }} />)
          : `#${node.height}`}
      </text>
    </>
  );
}

/** Votes that are there of those that are needed. */
function Count({ ring, index }: { ring: Ring; index: number }) {
  const { voters, quorum, colour, letter } = ring;
  return (
    <tspan class={voters.length >= quorum ? `count ${colour} full` : `count ${colour}`}>
      {`${index > 0 ? " " : ""}${letter}${voters.length}/${quorum}`}
    </tspan>
  );
}

/** How much smaller a word is written, so that it fits into its node. */
function fitOf(word: string): number {
  const letters = [...word].map((it) => ((it.codePointAt(0) ?? 0) >= FIRST_WIDE ? 2 : 1));
  const length = letters.reduce((sum: number, one) => sum + one, 0);
  return Math.min(1, FITTING / Math.max(1, length));
}

function Rings(props: { node: NodeView; place: Point; layout: Layout }) {
  const { node, place, layout } = props;
  if (node.power === "off") return null;
  const unit = layout.node / NODE;
  return (
    <g class="rings">
      {ringsOf(node).map(({ name, colour, voters, quorum }, ring) => (
        <g key={name} class={`ring ${colour} ${voters.length >= quorum ? "full" : ""}`}>
          {Array.from({ length: layout.count }, (_, number) => (
            <path
              key={number}
              class={voters.includes(number) ? "voted" : ""}
              d={pieceOf(place, layout.node + (RING.first + ring * RING.step) * unit, {
                number,
                count: layout.count,
              })}
            />
          ))}
        </g>
      ))}
    </g>
  );
}

const LOCK = "M-9 -1 h18 v13 h-18 z M-5.5 -1 v-5 a5.5 5.5 0 0 1 11 0 v5";

interface BadgesProps {
  readonly node: NodeView;
  readonly place: Point;
  readonly radius: number;
  readonly isLeading: boolean;
}

function Badges({ node, place, radius, isLeading }: BadgesProps) {
  const { power, lie, consensus } = node;
  const [right, left] = [-1, -3].map((turn) => at(place, (turn * Math.PI) / 4, radius));
  // Next to the words, not over them.
  const beside = at(place, 0.2, radius * 1.16);
  const lock = consensus?.kind === "pbft" && power !== "off" ? consensus.lock : undefined;
  const locked = lock && text("stage.locked", { view: lock.view });
  return (
    <>
      {isLeading && <Badge at={right} sign="★" kind="leader" title={text("stage.leader")} />}
      {locked && <Badge at={beside} kind="lock" title={locked} />}
      {lie && <Badge at={left} sign="!" kind="byzantine" title={text(`lie.${lie}`)} />}
      {power === "paused" && <Badge at={left} sign="‖" kind="paused" title={roleWord(node)} />}
    </>
  );
}

function Badge(props: { at: Point | undefined; sign?: string; kind: string; title: string }) {
  const { x, y } = props.at ?? { x: 0, y: 0 };
  return (
    <g class={`mark ${props.kind}`} transform={`translate(${x} ${y})`}>
      <title>{props.title}</title>
      <circle r={24} />
      {props.sign ? <text y={10}>{props.sign}</text> : <path d={LOCK} />}
    </g>
  );
}

interface Square {
  readonly number: number;
  readonly hash: string;
  /** Not final yet. */
  readonly isOpen: boolean;
}

/** The newest blocks, outside of the circle; the entry that is not final yet is hollow. */
function Blocks({ node, layout }: { node: NodeView; layout: Layout }) {
  const { count, rings, block: side, name } = layout;
  const place = placeOf(node.node, layout);
  const out = outwards(node.node, count);
  const row = { x: place.x, y: place.y + out * (rings + name + 8 + side / 2) };
  const squares = squaresOf(node, layout.blocks);
  const pace = side * 1.15;
  const first = row.x - (squares.length * pace - (pace - side)) / 2;
  return (
    <g class="blocks">
      {name > 0 && (
        <text class="name" x={place.x} y={place.y + out * (rings + name / 2 + 4) + 9}>
          {short(node.nodeId)}
        </text>
      )}
      {squares.map(({ number, hash, isOpen }, index) => (
        <g
          key={number}
          class={isOpen ? "block open" : "block"}
          style={`--hue:${hueOf(hash)};--fit:${Math.min(1, 3 / String(number).length)}`}
          transform={`translate(${first + index * pace} ${row.y - side / 2})`}
        >
          <title>{text("stage.block", { height: number, hash: hash.slice(0, 12) })}</title>
          <rect width={side} height={side} rx={5} />
          <text x={side / 2} y={side * 0.68}>
            {number}
          </text>
        </g>
      ))}
    </g>
  );
}

function squaresOf({ blocks, consensus, height }: NodeView, most: number): readonly Square[] {
  const closed = blocks.slice(-most).map(({ number, hash }) => ({ number, hash, isOpen: false }));
  const entry = consensus?.kind === "raft" ? consensus.entry : undefined;
  if (!entry || entry.height <= height) return closed;
  return [...closed, { number: entry.height, hash: entry.proposal, isOpen: true }];
}

/** Down (1) or up (-1), so that rows of blocks stay upright side by side. */
function outwards(number: number, count: number): 1 | -1 {
  return Math.sin(angleOf(number, count)) > 0.2 ? 1 : -1;
}
