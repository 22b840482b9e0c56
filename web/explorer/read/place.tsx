/** What all pages of the explorer share: the group they are about, and how they begin. */
import { type ComponentChildren, createContext } from "preact";
import { useContext, useEffect, useRef } from "preact/hooks";
import type { Chain } from "../../data/chain.ts";
import { Button } from "../../parts/button.tsx";
import { HashText } from "../../parts/hash-text.tsx";
import type { Proof } from "../../parts/proof-mark.tsx";
import { text } from "../../texts.ts";
import { useTitleMark } from "../../title-mark.ts";
import { fullTime, nodeName, shortTime } from "../../format.ts";
import { placeOf } from "./addresses.ts";
import type { Decoder } from "./decode.ts";
import type { ChainReads } from "./reads.ts";
import type { Read } from "./use-read.ts";

/** The group that a page is about. */
export interface Place {
  readonly chain: Chain;
  readonly reads: ChainReads;
  readonly groupId: number;
  /** Number of the latest block; undefined until it is known. */
  readonly height: number | undefined;
  /** Hash of block 0; undefined until it is known. */
  readonly chainKey: string | undefined;
  /** Undefined until it is ready. */
  readonly decoder: Decoder | undefined;
}

/** Pages read it with {@link usePlace}. */
export const PlaceContext = createContext<Place | undefined>(undefined);

/** The group that the page is about; only pages below the explorer may call it. */
export function usePlace(): Place {
  const place = useContext(PlaceContext);
  if (place === undefined) throw new TypeError("there is no group around this component");
  return place;
}

let arrivals = 0;

interface HeadingProps {
  readonly children: ComponentChildren;
  /** What is shown of the page: one that is contradicted says so first, and in its title. */
  readonly proof?: Proof | undefined;
}

/** The heading of a page; a user who came by a link goes on reading here. */
export function Heading({ children, proof }: HeadingProps) {
  const isLie = proof === "contradicted";
  useTitleMark(isLie ? `✗ ${text("proof.contradicted")}` : undefined);
  const element = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    arrivals += 1;
    if (arrivals === 1 || document.activeElement?.hasAttribute("data-search")) return;
    element.current?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, []);
  return (
    <>
      {isLie && (
        <p class="problem contradicted" role="alert" data-contradicted>
          ✗ {text("explorer.contradicted")}
        </p>
      )}
      <h1 ref={element} tabIndex={-1}>
        {children}
      </h1>
    </>
  );
}

/** What a page shows while its answer is not there: the wait, or what went wrong. */
export function Waiting({ read }: { readonly read?: Read<unknown> | undefined }) {
  if (read?.failure === undefined) return <p class="loading">{text("explorer.loading")}</p>;
  return (
    <div class="problem" role="alert">
      <p>{read.failure}</p>
      <Button says="explorer.again" onClick={() => read.again()} />
    </div>
  );
}

/** The page meanwhile. */
export function WaitingPage(props: { readonly title: string; readonly read?: Read<unknown> }) {
  return (
    <>
      <Heading proof={props.read?.isLie ? "contradicted" : undefined}>{props.title}</Heading>
      <Waiting read={props.read} />
    </>
  );
}

/** A point in time. */
export function Time({ at, short }: { readonly at: number; readonly short?: boolean }) {
  if (at === 0) return <span>–</span>;
  return (
    <time dateTime={new Date(at).toISOString()} title={fullTime(at)}>
      {short ? shortTime(at) : fullTime(at)}
    </time>
  );
}

interface LinkProps {
  readonly value: string;
  readonly plain?: boolean;
}

/** An address that leads to its page, with the name that is known of it. */
export function AddressLink({ value, plain }: LinkProps) {
  const { groupId, decoder } = usePlace();
  return (
    <HashText
      value={value}
      href={placeOf(groupId, "address", value)}
      what={text("explorer.address")}
      plain={plain}
      label={decoder?.contractAt(value)?.name}
    />
  );
}

/** A node by its name: the first digits of its ID. */
export function NodeText({ id, plain }: { readonly id: string; readonly plain?: boolean }) {
  return <HashText value={id} short={nodeName(id)} what={text("explorer.nodeId")} plain={plain} />;
}
