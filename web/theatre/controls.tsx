/** Playing, stepping, scrubbing, speed, and what is done to all nodes at once. */
import type { Action } from "../../runtimes/shared/theatre/scenario.ts";
import { text } from "../texts.ts";
import { clientAction } from "./play/menu-actions.ts";
import { type Show, SPEEDS } from "./play/player.ts";
import { timeWord } from "./row-words.ts";
import { leaveScreen, toggleScreen } from "./screen.ts";

interface ToolProps {
  readonly id: string;
  readonly sign?: string;
  readonly onDo: () => void;
  readonly isOff?: boolean;
}

function Tool({ id, sign, onDo, isOff = false }: ToolProps) {
  return (
    <button
      type="button"
      data-tool={id}
      disabled={isOff}
      onClick={onDo}
      title={text(`tool.${id}.title`)}
      aria-label={sign ? text(`tool.${id}.title`) : undefined}
    >
      {sign ?? text(`tool.${id}`)}
    </button>
  );
}

interface TransportProps {
  readonly show: Show;
  readonly onCopy: () => void;
  readonly onLeave: () => void;
  /** Background traffic is shown. */
  readonly showsBackground: boolean;
  readonly onBackground: () => void;
}

/** The transport bar: time goes on, back, or stands. */
export function Transport(props: TransportProps) {
  const { show, showsBackground, onBackground } = props;
  const { isPlaying, isBusy, frame, head, isLive, aim } = show;
  return (
    <div class="transport">
      <fieldset class="tools" aria-label={text("controls.time")}>
        <Tool id="back" sign="◀" onDo={() => void show.back()} isOff={frame.step === 0} />
        {isPlaying ? (
          <Tool id="pause" sign="❚❚" onDo={() => show.pause()} />
        ) : (
          <Tool id="play" sign="▶" onDo={() => show.play()} />
        )}
        <Tool id="step" sign="▶|" onDo={() => void show.step("message")} isOff={isBusy} />
        {!isLive && (
          <>
            <Tool id="block" onDo={() => void show.step("block")} isOff={isBusy} />
            <Tool
              id={frame.protocol === "pbft" ? "view" : "term"}
              onDo={() => void show.step("view")}
              isOff={isBusy}
            />
          </>
        )}
      </fieldset>
      <label class="scrub">
        <span class="visually-hidden">{text("controls.scrub")}</span>
        <input
          type="range"
          data-tool="scrub"
          min={show.first}
          max={Math.max(1, head)}
          value={aim ?? frame.step}
          aria-valuetext={text("controls.at", { step: frame.step, time: timeWord(frame.timeMs) })}
          onInput={(event) => void show.seek(event.currentTarget.valueAsNumber)}
        />
      </label>
      <output class="clock" aria-live="off">
        {text("controls.clock", {
          time: aim === undefined ? timeWord(show.now) : "…",
          step: aim ?? frame.step,
          head,
        })}
      </output>
      <div class="speed">
        {!isLive && <Speed show={show} />}
        <label>
          <input type="checkbox" checked={showsBackground} onChange={onBackground} />
          {text("controls.background")}
        </label>
        <Ways {...props} />
      </div>
    </div>
  );
}

function Speed({ show }: { show: Show }) {
  const at = Math.max(0, SPEEDS.indexOf(show.speed));
  return (
    <>
      <label>
        {text("controls.speed")}
        <input
          type="range"
          data-tool="speed"
          min={0}
          max={SPEEDS.length - 1}
          value={at}
          aria-valuetext={text("controls.speed.value", { speed: show.speed })}
          onInput={({ currentTarget }) =>
            show.setSpeed(SPEEDS[currentTarget.valueAsNumber] ?? show.speed, show.hurries)
          }
        />
        <span class="value">{text("controls.speed.value", { speed: show.speed })}</span>
      </label>
      <label>
        <input
          type="checkbox"
          checked={show.hurries}
          onChange={() => show.setSpeed(show.speed, !show.hurries)}
        />
        {text("controls.hurry")}
      </label>
    </>
  );
}

/** To others, to the wall, and away. */
function Ways({ show, onCopy, onLeave }: TransportProps) {
  return (
    <span class="away">
      {!show.isLive && <Tool id="copy" onDo={onCopy} />}
      <Tool id="screen" onDo={toggleScreen} />
      <Tool
        id="leave"
        onDo={() => {
          leaveScreen();
          onLeave();
        }}
      />
    </span>
  );
}

interface ActionBarProps {
  readonly show: Show;
  readonly onAct: (action: Action) => void;
  readonly onPartition: () => void;
  readonly onLinks: () => void;
}

/** What is done to all nodes at once. */
export function ActionBar(props: ActionBarProps) {
  const { show, onAct } = props;
  const send = clientAction(show.frame);
  return (
    <fieldset class="tools node-actions" aria-label={text("controls.actions")}>
      <Tool id="send" onDo={() => send && onAct(send)} isOff={!send} />
      <Tool id="partition" onDo={props.onPartition} />
      <Tool id="heal" onDo={() => onAct({ kind: "heal" })} />
      <Tool id="links" onDo={props.onLinks} />
      <Tool id="spread" onDo={() => onAct({ kind: "spread" })} />
      <Tool id="align" onDo={() => onAct({ kind: "align" })} />
      <Tool id="addNode" onDo={() => onAct({ kind: "addNode" })} />
    </fieldset>
  );
}
