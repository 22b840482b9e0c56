/** The statecharts of a node's actors, as the production code defines them, with what is lit. */
import { useId, useMemo, useState } from "preact/hooks";
import type {
  ActorView,
  Chart,
  ChartState,
  ChartTransition,
  NodeView,
  TakenView,
} from "../../../runtimes/shared/theatre/frame.ts";
import { type Language, language, text } from "../../texts.ts";
import { type ChartBox, type ChartLayout, layChart } from "./chart-layout.ts";
import { ruleWord } from "./rule-words.ts";
import { stateWord } from "./state-words.ts";

/** How much smaller or larger than usual a chart is drawn. */
const ZOOM = { min: 0.5, max: 3, step: 0.25 };
/** Which actors come first. */
const ORDER = ["consensus", "raft", "sync", "group", "txpool", "sealing", "session", "node"];

interface ChartsProps {
  /** One, or several that are drawn side by side. */
  readonly nodes: readonly NodeView[];
  readonly charts: readonly Chart[];
  /** What the charts of all nodes did at the step that is shown. */
  readonly taken: readonly TakenView[];
  /** Id of the chart that is drawn first. */
  readonly first?: string | undefined;
}

/** One chart of one node, or the same one of several. */
export function Charts({ nodes, charts, taken, first }: ChartsProps) {
  const [wanted, setWanted] = useState(first);
  const [zoom, setZoom] = useState(1);
  const actors = sorted(nodes.flatMap((node) => node.actors));
  const isWanted = ({ name, chart }: ActorView) => name === wanted || chart === wanted;
  const chosen = actors.find(isWanted) ?? actors[0];
  const looks = useLooks(chosen, charts);
  const isOne = nodes.length === 1;
  const numbers = nodes.map(({ node }) => node + 1).join(", ");
  return (
    <section
      class={isOne && zoom <= 1 ? "charts" : "charts wide-charts"}
      aria-label={text("charts.title", { node: numbers })}
    >
      <fieldset class="choices" aria-label={text("charts.actors")}>
        {actors.map((it) => (
          <button
            key={it.name}
            type="button"
            aria-pressed={chosen?.name === it.name}
            onClick={() => setWanted(it.chart === "session" ? it.name : it.chart)}
          >
            {wordOf(it)}
          </button>
        ))}
      </fieldset>
      <Zoom zoom={zoom} onZoom={setZoom} />
      <div class="charts-row">
        {nodes.map((node) => (
          <figure key={node.node} data-of={node.node}>
            {!isOne && <figcaption>{text("stage.node.long", { node: node.node + 1 })}</figcaption>}
            <NodeChart node={node} chosen={chosen} looks={looks} taken={taken} zoom={zoom} />
          </figure>
        ))}
      </div>
    </section>
  );
}

function Zoom({ zoom, onZoom }: { zoom: number; onZoom: (zoom: number) => void }) {
  return (
    <label class="zoom">
      {text("charts.zoom")}
      <input
        type="range"
        {...ZOOM}
        value={zoom}
        onInput={({ currentTarget }) => onZoom(Number(currentTarget.value))}
      />
      <span>{`${zoom * 100}%`}</span>
    </label>
  );
}

/** How a chart looks, whatever its actor does. */
interface Looks {
  readonly chart: Chart;
  readonly layout: ChartLayout;
  readonly words: Words;
}

/** The chosen chart, laid out once for all nodes. */
function useLooks(chosen: ActorView | undefined, charts: readonly Chart[]): Looks | undefined {
  const locale = language();
  const chart = charts.find(({ id }) => id === chosen?.chart);
  const name = chart && chosen && locale !== "en" ? wordOf(chosen) : (chart?.id ?? "");
  return useMemo(() => {
    if (!chart) return undefined;
    const layout = layChart(chart.root, name, (key) => stateWord(chart.id, key, locale));
    return { chart, layout, words: wordsOf(chart, name, locale) };
  }, [chart, name, locale]);
}

interface NodeChartProps extends Pick<ChartsProps, "taken"> {
  readonly node: NodeView;
  readonly looks: Looks | undefined;
  readonly chosen: ActorView | undefined;
  readonly zoom: number;
}

/** The actor of one node that is like the chosen one. */
function NodeChart({ node, chosen, looks, taken, zoom }: NodeChartProps) {
  const isAlike = ({ name, chart }: ActorView) =>
    chart === "session" ? name === chosen?.name : chart === chosen?.chart;
  const actor = node.actors.find(isAlike);
  if (actor && looks) {
    const own = taken.filter((it) => it.node === node.node && it.actor === actor.name);
    return <Drawing looks={looks} actor={actor} taken={own} zoom={zoom} />;
  }
  if (node.seenFromOutside) return <p>{text("charts.outside")}</p>;
  return <p>{text(node.actors.length === 0 ? "charts.none" : "charts.absent")}</p>;
}

/** One actor for each chart that has a word here, and a session for each peer, in their order. */
function sorted(actors: readonly ActorView[]): readonly ActorView[] {
  return ORDER.flatMap((id) => {
    const found = actors.filter(({ chart }) => chart === id);
    if (id !== "session") return found.slice(0, 1);
    const byName = new Map(found.map((actor) => [actor.name, actor]));
    return [...byName.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
  });
}

/** A session is named after its peer: a number that counts from 0, or how its node ID begins. */
function wordOf({ name, chart }: ActorView): string {
  const [peer = ""] = name.split(".").slice(-1);
  return text(`chart.${chart}`, { peer: /^\d{1,3}$/.test(peer) ? Number(peer) + 1 : peer });
}

interface DrawingProps {
  readonly looks: Looks;
  readonly actor: ActorView;
  readonly taken: readonly TakenView[];
  readonly zoom: number;
}

/** What is lit: states by their paths, and what was taken, by the ends of its arrow. */
interface Lights {
  readonly lit: ReadonlySet<string>;
  readonly taken: ReadonlySet<string>;
}

/** What is told of states by their paths, and of transitions. */
interface Words {
  readonly path: (path: string) => string;
  readonly rule: (transition: ChartTransition) => string;
}

/** In English the names of the machine; a Chinese word tells a state without its path. */
function wordsOf(chart: Chart, name: string, locale: Language): Words {
  const chineseOf = (path: string) =>
    path === "" ? name : stateWord(chart.id, keyOf(path), locale);
  return {
    path: (path) => (locale === "en" ? path || name : chineseOf(path)),
    rule: (transition) => ruleWord(transition, locale),
  };
}

/** What stays in its state is an arrow from it to itself. */
function endsOf({ from, transition: { targets } }: TakenView): readonly string[] {
  return targets.length === 0 ? [`${from} ${from}`] : targets.map((to) => `${from} ${to}`);
}

function Drawing({ looks, actor, taken, zoom }: DrawingProps) {
  const { chart, layout, words } = looks;
  const parts = { layout, words };
  const lit = new Set(["", ...actor.active]);
  const lights = { lit, taken: new Set(taken.flatMap(endsOf)) };
  const innermost = actor.active.filter((one) => !actor.active.some((it) => isAbove(one, it)));
  const states = innermost.map((path) => stateWord(chart.id, keyOf(path), language()));
  const told = [...new Set(taken.map((it) => lineOf(it, words)))];
  const tip = useId();
  return (
    <div class={zoom > 1 ? "large" : ""}>
      <svg
        class="chart"
        role="img"
        aria-label={text("charts.lit", { actor: actor.name, states: states.join(", ") })}
        viewBox={`0 0 ${layout.width} ${layout.height}`}
        width={layout.width * zoom}
      >
        <Boxes {...parts} lights={lights} isNest />
        <Arrows {...parts} lights={lights} tip={tip} />
        <Boxes {...parts} lights={lights} isNest={false} />
      </svg>
      <ul class="soft" aria-label={text("charts.taken")}>
        {told.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      <Rules root={chart.root} words={words} />
    </div>
  );
}

/** What hovering tells, for keyboards and touch. */
function Rules({ root, words }: { root: ChartState; words: Words }) {
  const lines = useMemo(() => [...new Set(linesIn(root, words))], [root, words]);
  return (
    <details>
      <summary>{text("charts.rules", { count: lines.length })}</summary>
      <ul class="soft">
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </details>
  );
}

function linesIn({ path, transitions, states }: ChartState, words: Words): readonly string[] {
  const own = transitions.map((transition) => lineOf({ from: path, transition }, words));
  return [...own, ...states.flatMap((state) => linesIn(state, words))];
}

type Line = Pick<TakenView, "from" | "transition">;

/** A transition in a line. */
function lineOf({ from, transition }: Line, { path, rule }: Words): string {
  return `${[from, ...transition.targets].map(path).join(" → ")}: ${rule(transition)}`;
}

function looksOf(isLit: boolean, isTaken: boolean): string {
  return `${isLit ? "lit" : ""} ${isTaken ? "taken" : ""}`;
}

function keyOf(path: string): string {
  return path.split(".").at(-1) ?? "";
}

function isAbove(path: string, other: string): boolean {
  return other.startsWith(`${path}.`);
}

/** What is drawn of a chart. */
interface PartProps {
  readonly layout: ChartLayout;
  readonly words: Words;
  readonly lights: Lights;
}

function Arrows(props: PartProps & { readonly tip: string }) {
  const { layout, words, tip } = props;
  const { lit, taken } = props.lights;
  const end = `url(#${tip})`;
  return (
    <>
      <defs>
        <marker id={tip} viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" orient="auto">
          <path d="M0 0 L8 4 L0 8 z" />
        </marker>
      </defs>
      {layout.entries.map(({ to, dot, line }) => (
        <g key={to} class="entry" data-entry={to}>
          <circle cx={dot.x} cy={dot.y} r="3" />
          <path class="arrow" d={line} marker-end={end} />
        </g>
      ))}
      {layout.arrows.map(({ from, to, rules, line }) => (
        <g
          key={`${from} ${to}`}
          class={looksOf(lit.has(from), taken.has(`${from} ${to}`))}
          data-from={from}
          data-to={to}
        >
          <title>
            {[`${words.path(from)} → ${words.path(to)}`, ...rules.map(words.rule)].join("\n")}
          </title>
          <path class="arrow" d={line} marker-end={end} />
          <path class="hover" d={line} />
        </g>
      ))}
    </>
  );
}

/** Boxes with others inside lie below the arrows, states above them. */
function Boxes({ layout, words, lights, isNest }: PartProps & { readonly isNest: boolean }) {
  return (
    <>
      {layout.boxes
        .filter(({ type }) => isNest === (type === "compound" || type === "parallel"))
        .map((box) => (
          <Box key={box.path} box={box} words={words} lights={lights} />
        ))}
    </>
  );
}

function Box({ box, words, lights }: Omit<PartProps, "layout"> & { readonly box: ChartBox }) {
  const { x, y, width, height, label, type, path, stays } = box;
  const { lit, taken } = lights;
  const isNest = type === "compound" || type === "parallel";
  const isLit = lit.has(path);
  const looks = looksOf(isLit, taken.has(`${path} ${path}`));
  return (
    <g class={`state ${type} ${looks}`} data-path={path} data-lit={isLit}>
      <title>{[words.path(path), ...stays.map(words.rule)].join("\n")}</title>
      <rect x={x} y={y} width={width} height={height} rx={isNest ? 8 : 14} />
      <text
        x={isNest ? x + 10 : x + width / 2}
        y={isNest ? y + 16 : y + height / 2 + 4}
        text-anchor={isNest ? "start" : "middle"}
      >
        {label}
      </text>
    </g>
  );
}
