/** The theatre part of the page: the start, a scenario that is played, a chain that is watched. */
import type { PageProps } from "../address.ts";
import { useEffect, useState } from "preact/hooks";
import { addKeys } from "../help.tsx";
import { copyText } from "../parts/copy-button.tsx";
import { Problem } from "../parts/problem.tsx";
import { toast } from "../parts/toast.tsx";
import { text } from "../texts.ts";
import { hostScenario } from "./play/host.ts";
import { KEYS } from "./keys.ts";
import { Live } from "./live.tsx";
import { momentOf, playAddress, textAt } from "./play/moment.ts";
import { type Player, ScenarioRefused } from "./play/player.ts";
import { Stage } from "./stage.tsx";
import { Start } from "./start.tsx";
import "./texts.ts";
import { useStillness } from "./use-show.ts";
import "./word-texts.ts";

addKeys(
  "theatre",
  KEYS.map(({ id, shown }) => ({ keys: shown, title: `key.${id}` })),
);

/** What its page at an address is called. */
export function titleOf({ path: [first = ""], query }: PageProps): string | undefined {
  if (query.has("play") || first === "") return text("nav.theatre");
  return first === "live" ? text("start.live") : undefined;
}

/** The part. */
export function Page({ path, query }: PageProps) {
  const scenario = query.get("play");
  return (
    <div class="theatre">
      {scenario && <Played scenario={scenario} plays={query.has("now")} />}
      {!scenario && (path[0] === "live" ? <Live /> : <Start />)}
    </div>
  );
}

/** What has come of opening a scenario. */
type Opening =
  | { readonly kind: "opening"; readonly step: number }
  | { readonly kind: "open"; readonly player: Player }
  | { readonly kind: "failed"; readonly why: string };

/** Opens a scenario in a worker, and ends that with the component. */
function usePlayer(scenario: string): Opening {
  const [opening, setOpening] = useState<Opening>({ kind: "opening", step: 0 });
  useEffect(() => {
    let isWanted = true;
    const show = (next: Opening) => isWanted && setOpening(next);
    show({ kind: "opening", step: 0 });
    const { player, end } = hostScenario(scenario, (step) => show({ kind: "opening", step }));
    player.then(
      (opened) => {
        show({ kind: "open", player: opened });
        const moment = momentOf(scenario);
        const isShort = moment && "afterStep" in moment && moment.afterStep > opened.frame.step;
        if (isWanted && isShort) toast(text("open.short", { step: opened.frame.step }), "warn");
      },
      (cause: unknown) => show({ kind: "failed", why: wordsOf(cause) }),
    );
    return () => {
      isWanted = false;
      end();
    };
  }, [scenario]);
  return opening;
}

function wordsOf(cause: unknown): string {
  if (!(cause instanceof ScenarioRefused))
    return text("open.failed", { why: cause instanceof Error ? cause.message : String(cause) });
  const { code, position, field } = cause.fault;
  return text("open.refused", { why: text(`fault.${code}`), position: position + 1, field });
}

/** A scenario; it may play from the beginning, for those who want things to move. */
function Played({ scenario, plays }: { scenario: string; plays: boolean }) {
  const opening = usePlayer(scenario);
  const isStill = useStillness();
  const player = opening.kind === "open" ? opening.player : undefined;
  useEffect(() => {
    if (plays && !isStill) player?.play();
  }, [player, plays, isStill]);
  if (opening.kind === "opening")
    return <p class="loading">{text("open.opening", { step: opening.step })}</p>;
  if (opening.kind === "failed")
    return (
      <>
        <Problem>{opening.why}</Problem>
        <a href="#/theatre">{text("open.back")}</a>
      </>
    );
  const { player: show } = opening;
  return (
    <>
      <h1 class="visually-hidden">{text("nav.theatre")}</h1>
      <Stage
        show={show}
        onCopy={() => copyMoment(show)}
        onLeave={() => {
          location.hash = "#/theatre";
        }}
      />
    </>
  );
}

/** Puts the address of what is shown into the address bar and the clipboard. */
function copyMoment(player: Player): void {
  history.replaceState(null, "", playAddress(textAt(player.text, player.frame.step)));
  copyText(location.href).then(
    () => toast(text("link.copied")),
    () => toast(text("link.failed"), "warn"),
  );
}
