/** What stands before the name of a page in its title, as long as that page is shown. */
import { createContext } from "preact";
import { useContext, useLayoutEffect } from "preact/hooks";

/** The shell takes it. */
export const TitleMarkContext = createContext<(mark: string | undefined) => void>(() => undefined);

/** Marks the title of the page that is shown; undefined: it needs no mark. */
export function useTitleMark(mark: string | undefined): void {
  const tell = useContext(TitleMarkContext);
  // With what the page shows, not a frame later: no moment shows a lie under a plain title.
  useLayoutEffect(() => {
    if (mark === undefined) return undefined;
    tell(mark);
    return () => tell(undefined);
  }, [mark, tell]);
}
