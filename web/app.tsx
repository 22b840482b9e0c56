/** The shell: navigation, the chain, and the part that the address names. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { ChainContext } from "./data/chain.ts";
import { Header } from "./header.tsx";
import { Help, isTyping } from "./help.tsx";
import { NoSuchPage } from "./no-such-page.tsx";
import { Boundary } from "./parts/boundary.tsx";
import { Toasts } from "./parts/toast.tsx";
import { addressOf } from "./address.ts";
import { type PartModule, type Place, placeOf, type Route } from "./routes.ts";
import { addTexts, text } from "./texts.ts";
import { TitleMarkContext } from "./title-mark.ts";
import { type Shell, ShellContext, useShell, useShownChain } from "./use-shell.ts";

addTexts({
  "shell.loading": ["Loading …", "加载中……"],
  "shell.part.failed": [
    "This part of the page could not be loaded: {why}. Reload the page.",
    "无法加载此部分：{why}。请刷新页面。",
  ],
});

function useHash(): string {
  const [hash, setHash] = useState(location.hash);
  // Before the page is painted: an address that changes at once is heard.
  useLayoutEffect(() => {
    const follow = () => setHash(location.hash);
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return hash;
}

interface Loaded {
  readonly route: Route;
  readonly module: PartModule | undefined;
  readonly failure: string | undefined;
}

function usePart(route: Route | undefined): Loaded | undefined {
  const [loaded, setLoaded] = useState<Loaded>();
  useEffect(() => {
    if (!route) return;
    let isWanted = true;
    const keep = (part: Omit<Loaded, "route">) => isWanted && setLoaded({ route, ...part });
    route.load().then(
      (module) => keep({ module, failure: undefined }),
      (cause: unknown) => keep({ module: undefined, failure: String(cause) }),
    );
    return () => {
      isWanted = false;
    };
  }, [route]);
  return loaded?.route === route ? loaded : undefined;
}

/** `?` shows the keys and hides them again, `/` leads to the search. */
function useShortcuts(send: Shell["send"], isHelpOpen: boolean): void {
  useLayoutEffect(() => {
    const follow = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      const isOther = !isHelpOpen && document.querySelector("dialog[open]") !== null;
      if (isTyping(event) || isOther || event.repeat) return;
      if (event.key === "?") send({ type: "help.toggle" });
      else if (event.key === "/" && !isHelpOpen) {
        event.preventDefault();
        focusSearch();
      }
    };
    addEventListener("keydown", follow);
    return () => removeEventListener("keydown", follow);
  }, [send, isHelpOpen]);
}

/** The field of the explorer; the explorer is opened where there is none. */
function focusSearch(): void {
  const field = document.querySelector<HTMLElement>("[data-search]");
  if (field) field.focus();
  else location.hash = addressOf("explorer", [], "search");
}

/** After the first page, a user who follows a link to another part goes on reading in it. */
function useFocusOnArrival(part: string, isReady: boolean) {
  const main = useRef<HTMLElement>(null);
  const arrived = useRef<string | undefined>(undefined);
  useEffect(() => {
    if (!isReady) return;
    const isMove = arrived.current !== undefined && arrived.current !== part;
    arrived.current = part;
    if (!isMove) return;
    // The part may have given the focus to a place of its own, as to the field that `/` leads to.
    const isTaken = document.activeElement?.closest("main > *") instanceof HTMLElement;
    if (!isTaken) main.current?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [part, isReady]);
  return main;
}

/** How much of an address names what goes on while the rest changes; all of it where absent. */
const LASTING: ReadonlyMap<string, number> = new Map([
  // The bar of the explorer: letters that somebody types into its search are not lost.
  ["explorer", 0],
  ["lessons", 1],
]);

/** What begins anew at another place: pages do; a lesson goes on from step to step. */
function boundaryKeyOf({ route, path }: Place): string {
  return [route.name, ...path.slice(0, LASTING.get(route.name))].join("/");
}

/** Tabs, the history and bookmarks of the browser call every page by its own name. */
function useTitle(name: string): void {
  useLayoutEffect(() => {
    document.title = `${name} – chain-node`;
  }, [name]);
}

/** What the page at a place is called; undefined where there is none. */
function titleAt(place: Place | undefined, part: PartModule | undefined): string | undefined {
  if (place === undefined || !part?.titleOf) return place && text(place.route.title);
  return part.titleOf(place);
}

interface PartProps {
  readonly place: Place | undefined;
  readonly address: string;
}

function Part({ place, address }: PartProps) {
  const part = usePart(place?.route);
  const title = titleAt(place, part?.module);
  const Page = title === undefined ? undefined : part?.module?.Page;
  const isReady = title === undefined || Page !== undefined;
  const main = useFocusOnArrival(place?.route.name ?? "", isReady);
  const [mark, setMark] = useState<string>();
  const name = title ?? text("shell.noPage");
  useTitle(mark === undefined ? name : `${mark} – ${name}`);
  return (
    <main id="main" ref={main} tabIndex={-1} data-part={place?.route.name}>
      {part?.failure && <p role="alert">{text("shell.part.failed", { why: part.failure })}</p>}
      {place && !part && <p class="loading">{text("shell.loading")}</p>}
      {title === undefined && <NoSuchPage address={address} />}
      {place && Page && (
        <Boundary key={boundaryKeyOf(place)}>
          <TitleMarkContext.Provider value={setMark}>
            <Page path={place.path} query={place.query} />
          </TitleMarkContext.Provider>
        </Boundary>
      )}
    </main>
  );
}

/** The whole page. */
export function App() {
  const hash = useHash();
  const place = placeOf(hash);
  const shell = useShell();
  const chain = useShownChain(shell);
  const { send, state } = shell;
  const isHelpOpen = state.matches({ help: "open" });
  useShortcuts(send, isHelpOpen);
  const part = place?.route.name ?? "";
  const chooseGroup = (groupId: number) => {
    send({ type: "group.choose", groupId });
    // Addresses of the explorer name their group.
    if (part === "explorer") location.hash = addressOf(part, [String(groupId)]);
  };
  return (
    <ShellContext.Provider value={shell}>
      <ChainContext.Provider value={chain}>
        <button type="button" class="skip" onClick={() => document.getElementById("main")?.focus()}>
          {text("shell.skip")}
        </button>
        <Header shell={shell} part={part} onGroup={chooseGroup} />
        {shell.condition === "away" && (
          <p class="problem away" role="status">
            {state.context.trouble}
          </p>
        )}
        <Part place={place} address={hash} />
        <Toasts />
        {isHelpOpen && <Help part={part} onClose={() => send({ type: "help.close" })} />}
      </ChainContext.Provider>
    </ShellContext.Provider>
  );
}
