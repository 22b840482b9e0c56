/** A long list that keeps one row in view; rows are drawn together, as one picture or list. */
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

interface RowListProps {
  readonly count: number;
  readonly rowHeight: number;
  readonly label: string;
  /** Row that is kept in view. */
  readonly at: number;
  readonly className: string;
  /** Draws rows from one (included) to another (excluded). */
  readonly draw: (from: number, to: number) => ComponentChildren;
}

const MARGIN_ROWS = 6;

/** The list; it scrolls by itself when the row to be kept in view moves. */
export function RowList(props: RowListProps) {
  const { count, rowHeight, label, at, className, draw } = props;
  const box = useRef<HTMLElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(300);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setHeight(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || at < 0) return;
    const place = at * rowHeight;
    const isSeen = place >= element.scrollTop && place + rowHeight <= element.scrollTop + height;
    if (!isSeen) element.scrollTop = Math.max(0, place - height + 3 * rowHeight);
  }, [at, rowHeight, height]);
  const from = Math.max(0, Math.floor(top / rowHeight) - MARGIN_ROWS);
  const to = Math.min(count, Math.ceil((top + height) / rowHeight) + MARGIN_ROWS);
  return (
    <section
      class={`row-list ${className}`}
      ref={box}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard
      tabIndex={0}
      aria-label={label}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      <div class="row-space" style={`height:${count * rowHeight}px`}>
        <div class="row-rows" style={`transform:translateY(${from * rowHeight}px)`}>
          {draw(from, to)}
        </div>
      </div>
    </section>
  );
}
