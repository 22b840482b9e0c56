/** The stage: picture, panels and controls of one theatre, played or watched. */
import type { Over } from "./use-stage-keys.ts";
import { useMemo, useRef, useState } from "preact/hooks";
import type { Frame } from "../../runtimes/shared/theatre/frame.ts";
import type { Action } from "../../runtimes/shared/theatre/scenario.ts";
import { Problem } from "../parts/problem.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { toast } from "../parts/toast.tsx";
import { language, text } from "../texts.ts";
import { Caption } from "./caption.tsx";
import { Charts } from "./picture/chart.tsx";
import { ActionBar, Transport } from "./controls.tsx";
import { LinksDialog, PartitionDialog } from "./dialogs.tsx";
import { Announcer, EventList } from "./event-list.tsx";
import { Inspector } from "./inspector.tsx";
import { Legend } from "./legend.tsx";
import { NodeMenu } from "./menu.tsx";
import { type Choice, Picture } from "./picture/picture.tsx";
import type { Show } from "./play/player.ts";
import { Sequence } from "./sequence.tsx";
import { useShow, useStillness } from "./use-show.ts";
import { useStageKeys } from "./use-stage-keys.ts";

interface StageProps {
  readonly show: Show;
  readonly onCopy: () => void;
  readonly onLeave: () => void;
}

const TABS = ["sequence", "events", "charts", "inspector"] as const;

/** The stage. */
export function Stage({ show, onCopy, onLeave }: StageProps) {
  const { frame, now } = useShow(show);
  const isStill = useStillness();
  const [choice, setChoice] = useState<Choice>();
  const [over, setOver] = useState<Over>();
  const [tab, setTab] = useState<string>("sequence");
  const [showsBackground, setBackground] = useState(false);
  const act = (action: Action) => {
    setOver(undefined);
    doAct(show, action);
  };
  const choose = (wanted: Choice) => {
    setChoice(wanted);
    if (wanted.kind === "message") setTab("inspector");
  };
  const words = language();
  // While time passes and nothing happens, only the picture is drawn anew.
  // Only what the panels show counts.
  const panels = useMemo(
    () => (
      <Panels show={show} tab={tab} setTab={setTab} choice={choice} choose={choose} act={act} />
    ),
    [show, frame, show.rows.length, tab, choice, words],
  );
  const root = useRef<HTMLDivElement>(null);
  useStageKeys({ show, act, choice, choose, setOver, onCopy, root });
  return (
    <div class="stage" ref={root} data-step={frame.step} data-trace={frame.trace}>
      <div class="scene">
        <Notes show={show} />
        <Legend protocol={frame.protocol} showsBackground={showsBackground} />
        <Picture
          frame={frame}
          now={now}
          choice={choice}
          isStill={isStill}
          showsBackground={showsBackground}
          isNamed={show.isLive}
          onChoose={choose}
          onMenu={show.isLive ? undefined : (node, place) => setOver({ kind: "menu", node, place })}
          onCut={show.isLive ? undefined : (sides) => act({ kind: "partition", sides })}
        />
        <Caption rows={show.rows} step={frame.step} />
      </div>
      <Transport
        show={show}
        onCopy={onCopy}
        onLeave={onLeave}
        showsBackground={showsBackground}
        onBackground={() => setBackground(!showsBackground)}
      />
      {!show.isLive && (
        <ActionBar
          show={show}
          onAct={act}
          onPartition={() => setOver({ kind: "partition" })}
          onLinks={() => setOver({ kind: "links" })}
        />
      )}
      {panels}
      <Announcer rows={show.rows} step={frame.step} />
      <Overlay show={show} over={over} onAct={act} onClose={() => setOver(undefined)} />
    </div>
  );
}

/** What has to be reported above the picture. */
function Notes({ show: { failure, isOver, frame } }: { show: Show }) {
  return (
    <>
      <Problem>{failure && text("stage.failed", { why: failure })}</Problem>
      {isOver && <p role="status">{text("stage.over")}</p>}
      <Problem>
        {frame.forks.length > 0 && text("stage.forked", { heights: frame.forks.join(", ") })}
      </Problem>
    </>
  );
}

function doAct(show: Show, action: Action): void {
  void show.act(action).then((refusal) => {
    if (refusal !== undefined) toast(refusal, "bad");
  });
}

interface PanelsProps {
  readonly show: Show;
  readonly tab: string;
  readonly setTab: (tab: string) => void;
  readonly choice: Choice | undefined;
  readonly choose: (choice: Choice) => void;
  readonly act: (action: Action) => void;
}

function Panels({ show, tab, setTab, choice, choose, act }: PanelsProps) {
  const { frame, rows, charts } = show;
  const rowsProps = {
    rows,
    count: frame.nodes.length,
    step: frame.step,
    onSeek: (step: number) => void show.seek(step),
  };
  // Of a running chain only the node that is watched shows its actors.
  const inside = frame.nodes.find(({ seenFromOutside }) => !seenFromOutside)?.node ?? 0;
  const at = choice?.kind === "node" ? choice.node : inside;
  return (
    <div class="panels">
      <Tabs
        label={text("panels.title")}
        tabs={TABS.map((name) => ({ name, title: text(`panel.${name}`) }))}
        chosen={tab}
        onChoose={setTab}
      >
        {tab === "sequence" && <Sequence {...rowsProps} />}
        {tab === "events" && <EventList {...rowsProps} />}
        {tab === "charts" && <ChartsTab frame={frame} charts={charts} at={at} choose={choose} />}
        {tab === "inspector" && (
          <Inspector
            frame={frame}
            rows={rows}
            choice={choice}
            onChoose={choose}
            onAct={show.isLive ? undefined : act}
          />
        )}
      </Tabs>
    </div>
  );
}

interface ChartsTabProps {
  readonly frame: Frame;
  readonly charts: Show["charts"];
  /** The node whose charts are shown, if not those of all. */
  readonly at: number;
  readonly choose: (choice: Choice) => void;
}

function ChartsTab({ frame, charts, at, choose }: ChartsTabProps) {
  const [isAll, setAll] = useState(false);
  const { nodes, taken } = frame;
  const seen = nodes.filter(({ seenFromOutside }) => !seenFromOutside);
  const one = nodes.filter(({ node }) => node === at);
  return (
    <>
      <fieldset class="choices" aria-label={text("charts.nodes")}>
        {nodes.map(({ node }) => (
          <button
            key={node}
            type="button"
            aria-pressed={!isAll && node === at}
            onClick={() => {
              setAll(false);
              choose({ kind: "node", node });
            }}
          >
            {text("stage.node.short", { node: node + 1 })}
          </button>
        ))}
        {seen.length > 1 && (
          <button type="button" aria-pressed={isAll} onClick={() => setAll(true)}>
            {text("charts.all")}
          </button>
        )}
      </fieldset>
      <Charts nodes={isAll ? seen : one} charts={charts} taken={taken} />
    </>
  );
}

interface OverlayProps {
  readonly show: Show;
  readonly over: Over | undefined;
  readonly onAct: (action: Action) => void;
  readonly onClose: () => void;
}

function Overlay({ show, over, onAct, onClose }: OverlayProps) {
  const { frame } = show;
  switch (over?.kind) {
    case "menu":
      return (
        <NodeMenu
          frame={frame}
          node={over.node}
          place={over.place}
          onAct={onAct}
          onClose={onClose}
        />
      );
    case "partition":
      return <PartitionDialog frame={frame} onAct={onAct} onClose={onClose} />;
    case "links":
      return <LinksDialog frame={frame} onAct={onAct} onClose={onClose} />;
    default:
      return null;
  }
}
