/** One lesson, step by step: a picture of the theatre and one idea next to it. */
import { useState } from "preact/hooks";
import { Button } from "../parts/button.tsx";
import { Problem } from "../parts/problem.tsx";
import { inLanguage, text } from "../texts.ts";
import { Caption } from "../theatre/caption.tsx";
import { Charts } from "../theatre/picture/chart.tsx";
import { Announcer } from "../theatre/event-list.tsx";
import { Legend } from "../theatre/legend.tsx";
import { playAddress, textAt } from "../theatre/play/moment.ts";
import { type Choice, Picture } from "../theatre/picture/picture.tsx";
import type { Player } from "../theatre/play/player.ts";
import { timeWord } from "../theatre/row-words.ts";
import { sentenceOf } from "../theatre/play/standing.ts";
import { useShow, useStillness } from "../theatre/use-show.ts";
import { LESSONS } from "./all-lessons.ts";
import type { Lesson, LessonStep } from "./lesson.ts";
import type { Checked } from "./lesson-run.ts";
import { addressOfStep, StepWords } from "./step-nav.tsx";
import { type ShownLesson, useLesson } from "./use-lesson.ts";

/** The page of a lesson. */
export function LessonPage({ lesson, index }: { readonly lesson: Lesson; readonly index: number }) {
  const at = Math.min(index, lesson.steps.length - 1);
  const step = lesson.steps[at];
  const isStill = useStillness();
  const shown = useLesson(lesson, at, isStill);
  if (!step) return null;
  return (
    <article class="lesson" data-shot={shown.shot?.step ?? ""}>
      <div class="lesson-picture stage">
        {shown.player ? (
          <LessonPicture lesson={lesson} step={step} player={shown.player} isStill={isStill} />
        ) : (
          !shown.failure && <p class="loading">{text("lesson.preparing")}</p>
        )}
      </div>
      <LessonWords lesson={lesson} step={step} at={at} shown={shown} />
    </article>
  );
}

interface LessonPictureProps {
  readonly lesson: Lesson;
  readonly step: LessonStep;
  readonly player: Player;
  readonly isStill: boolean;
}

function LessonPicture({ lesson, step, player, isStill }: LessonPictureProps) {
  const [choice, setChoice] = useState<Choice>();
  const shown = useShow(player);
  const { frame, now } = shown;
  const node = frame.nodes[choice?.kind === "node" ? choice.node : (lesson.chart?.node ?? 0)];
  return (
    <>
      <div class="scene">
        <Legend protocol={frame.protocol} showsBackground={false} />
        <Picture
          frame={frame}
          now={now}
          choice={choice}
          pointed={step.pointed}
          isStill={isStill}
          showsBackground={false}
          onChoose={setChoice}
          onMenu={undefined}
          onCut={undefined}
        />
        <Caption rows={player.rows} step={frame.step} />
      </div>
      <p class="soft clock">
        {text("controls.at", { step: frame.step, time: timeWord(now) })}
        {choice && node && ` · ${sentenceOf(node)}`}
      </p>
      {lesson.chart && node && (
        <Charts nodes={[node]} charts={player.charts} taken={frame.taken} first={lesson.chart.id} />
      )}
      <Announcer rows={player.rows} step={frame.step} />
    </>
  );
}

interface LessonWordsProps {
  readonly lesson: Lesson;
  readonly step: LessonStep;
  readonly at: number;
  readonly shown: ShownLesson;
}

function LessonWords({ lesson, step, at, shown }: LessonWordsProps) {
  const { id, title, steps } = lesson;
  return (
    <div class="lesson-words">
      <StepWords
        id={id}
        title={inLanguage(title)}
        at={at}
        count={steps.length}
        actions={<Button says="lesson.again" isOff={!shown.shot} onClick={shown.again} />}
      >
        <div aria-live="polite">
          <p class="says">{inLanguage(step.says)}</p>
          {step.look && (
            <p class="look">
              <strong>{text("lesson.look")}</strong>
              {inLanguage(step.look)}
            </p>
          )}
        </div>
      </StepWords>
      <Problem>{shown.failure && text("stage.failed", { why: shown.failure })}</Problem>
      <Claims checked={shown.shot?.checked} />
      {shown.shot && (
        <p>
          <a data-go="theatre" href={playAddress(textAt(shown.shot.text, shown.shot.step))}>
            {text("lesson.open")}
          </a>
        </p>
      )}
      <Following lesson={lesson} at={at} />
    </div>
  );
}

function Claims({ checked }: { checked: readonly Checked[] | undefined }) {
  if (!checked) return <p class="soft">{text("lesson.preparing")}</p>;
  return (
    <>
      <h2>{text("lesson.checked")}</h2>
      <ul class="claims">
        {checked.map(({ claim, holds }) => (
          <li key={claim.says[0]} class={holds ? "holds" : "fails"} data-holds={holds}>
            <span role="img" aria-label={text(holds ? "lesson.holds" : "lesson.fails")}>
              {holds ? "✓" : "✗"}
            </span>
            <span>{inLanguage(claim.says)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

function Following({ lesson, at }: { lesson: Lesson; at: number }) {
  const next = LESSONS[LESSONS.indexOf(lesson) + 1];
  if (at + 1 < lesson.steps.length || !next) return null;
  return (
    <p>
      <a href={addressOfStep(next.id, 0)}>
        {text("lesson.following", { title: inLanguage(next.title) })}
      </a>
    </p>
  );
}
