/** A list of any length of which only the visible rows exist. */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { lengths, scaleOf, viewAt } from "./visible-rows.ts";

interface VirtualListProps {
  readonly count: number;
  /** Pixels; the same for all rows. */
  readonly rowHeight: number;
  /** The row at an index; give it no key. */
  readonly row: (index: number) => ComponentChildren;
  /** What it holds, for those who do not see it. */
  readonly label: string;
  /** A row above the others that stays in view. */
  readonly head?: ComponentChildren;
  /** CSS height; the list fills what is below it on the screen when absent. */
  readonly height?: string;
  /** New rows come first: what is read stays in place while they do. */
  readonly growsAtTop?: boolean;
  /** Told which rows are on the screen. */
  readonly onVisible?: (first: number, last: number) => void;
}

/** The list. */
export function VirtualList(props: VirtualListProps) {
  const { count, rowHeight, row, label, head, height, growsAtTop, onVisible } = props;
  const scroller = useRef<HTMLElement>(null);
  const [place, setPlace] = useState({ top: 0, height: 600 });
  const lastCount = useRef(count);

  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return undefined;
    const measure = () => setPlace({ top: element.scrollTop, height: element.clientHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  useLayoutEffect(() => {
    const grown = count - lastCount.current;
    lastCount.current = count;
    const element = scroller.current;
    if (!growsAtTop || grown <= 0 || !element || element.scrollTop < rowHeight) return;
    const scale = scaleOf({ count, rowHeight }, element.clientHeight);
    element.scrollTop += (grown * rowHeight) / scale;
  }, [count, growsAtTop, rowHeight]);

  const { first, last, offset } = viewAt({ count, rowHeight }, place);
  useLayoutEffect(() => onVisible?.(first, last), [first, last, onVisible]);
  const rows = Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i);
  return (
    <section
      ref={scroller}
      class="virtual"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard
      tabIndex={0}
      style={height === undefined ? undefined : { height }}
      onScroll={({ currentTarget }) => {
        setPlace({ top: currentTarget.scrollTop, height: currentTarget.clientHeight });
      }}
    >
      {head && <div class="virtual-head">{head}</div>}
      <div style={{ height: `${lengths(count, rowHeight).drawn}px` }}>
        <ul style={{ transform: `translateY(${offset}px)` }}>
          {rows.map((index) => (
            <li
              key={index}
              class="virtual-row"
              aria-setsize={count}
              aria-posinset={index + 1}
              style={{ height: `${rowHeight}px` }}
            >
              {row(index)}
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}
