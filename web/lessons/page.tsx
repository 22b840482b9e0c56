/** The lessons part of the page: the list, and one lesson step by step. */
import type { PageProps } from "../address.ts";
import { addKeys } from "../help.tsx";
import { inLanguage, text } from "../texts.ts";
import "../theatre/texts.ts";
import "../theatre/word-texts.ts";
import { LESSONS } from "./all-lessons.ts";
import { LessonPage } from "./lesson-page.tsx";
import { MERKLE, MerklePage } from "./merkle-page.tsx";
import { addressOfStep } from "./step-nav.tsx";
import "./texts.ts";

addKeys("lessons", [
  { keys: "→", title: "lesson.key.next" },
  { keys: "←", title: "lesson.key.back" },
]);

/** What its page at an address is called; undefined for a lesson that there is not. */
export function titleOf({ path: [id = ""] }: PageProps): string | undefined {
  if (id === "") return text("nav.lessons");
  if (id === MERKLE) return text("merkle.title");
  const title = LESSONS.find((one) => one.id === id)?.title;
  return title && inLanguage(title);
}

/** The part. */
export function Page({ path }: PageProps) {
  const [id, place] = path;
  const lesson = LESSONS.find((one) => one.id === id);
  const index = Math.max(0, Number.parseInt(place ?? "1", 10) - 1 || 0);
  return (
    <div class="lessons">
      {lesson && <LessonPage key={lesson.id} lesson={lesson} index={index} />}
      {id === MERKLE && <MerklePage index={index} />}
      {!lesson && id !== MERKLE && <List />}
    </div>
  );
}

function List() {
  return (
    <>
      <h1>{text("nav.lessons")}</h1>
      <p>{text("lessons.intro")}</p>
      <ol class="lesson-list">
        {LESSONS.map(({ id, title, about, steps }) => (
          <Card
            key={id}
            id={id}
            title={inLanguage(title)}
            about={inLanguage(about)}
            count={steps.length}
          />
        ))}
        <Card id={MERKLE} title={text("merkle.title")} about={text("merkle.about")} />
      </ol>
    </>
  );
}

function Card(props: { id: string; title: string; about: string; count?: number }) {
  const { id, title, about, count } = props;
  return (
    <li class="panel">
      <h2>
        <a href={addressOfStep(id, 0)} data-lesson={id}>
          {title}
        </a>
      </h2>
      <p>{about}</p>
      {count !== undefined && <p class="soft">{text("lesson.steps", { count })}</p>}
    </li>
  );
}
