/** The explorer: what is in the chain, page by page, live. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { type Chain, useChain } from "../data/chain.ts";
import { addressOf, type PageProps } from "../address.ts";
import { Boundary } from "../parts/boundary.tsx";
import { text } from "../texts.ts";
import { useShellOfPart } from "../use-shell.ts";
import { AddressPage } from "./address.tsx";
import {
  identifierOf,
  isReadable,
  PAGES,
  placeOf,
  soughtBy,
  type Wanted,
  wantedBy,
} from "./read/addresses.ts";
import { BlockPage } from "./block.tsx";
import { BlockList } from "./block-list.tsx";
import { ContractsPage } from "./contracts.tsx";
import { GroupsPage } from "./groups.tsx";
import { NodesPage } from "./nodes.tsx";
import { OverviewPage } from "./overview.tsx";
import { Heading, type Place, PlaceContext, usePlace } from "./read/place.tsx";
import { PoolPage } from "./pool.tsx";
import { readsOf } from "./read/reads.ts";
import { Search } from "./search.tsx";
import "./texts.ts";
import { titleOfPath } from "./title.ts";
import { TransactionPage } from "./transaction.tsx";
import { TransactionsPage } from "./transactions.tsx";
import { TrustPage } from "./trust.tsx";
import { useDecoder } from "./read/use-decoder.ts";
import { trustHere } from "./read/use-trust.ts";

function BlocksPage() {
  const { height } = usePlace();
  return (
    <>
      <Heading>{text("explorer.blocks")}</Heading>
      {height === undefined ? (
        <p class="loading">{text("explorer.loading")}</p>
      ) : (
        <BlockList height={height} />
      )}
    </>
  );
}

function NoSuchPage({ name }: { readonly name: string }) {
  return (
    <>
      <Heading>{text("explorer.noPage")}</Heading>
      <p class="problem">{text("explorer.noPage.words", { name })}</p>
    </>
  );
}

/** Somebody lost a part of a link, or wrote it by hand. */
function Misread({ name, id }: { readonly name: string; readonly id: string }) {
  return (
    <>
      <Heading>{text("explorer.misread")}</Heading>
      <p class="problem">{text(`explorer.misread.${name}`, { text: id })}</p>
    </>
  );
}

function Content({ wanted, query }: { readonly wanted: Wanted; readonly query: URLSearchParams }) {
  const [given = ""] = wanted.rest;
  const sought = soughtBy(given);
  if (!isReadable(wanted.name, sought)) return <Misread name={wanted.name} id={given} />;
  const id = identifierOf(sought);
  switch (wanted.name) {
    case "overview":
      return <OverviewPage />;
    case "blocks":
      return <BlocksPage />;
    case "block":
      return <BlockPage key={id} id={id} />;
    case "transactions":
      return <TransactionsPage />;
    case "tx":
      return <TransactionPage key={id} hash={id} />;
    case "address":
      return <AddressPage key={id} address={id} />;
    case "contracts":
      return <ContractsPage query={query} />;
    case "nodes":
      return <NodesPage />;
    case "trust":
      return <TrustPage />;
    case "pool":
      return <PoolPage />;
    case "groups":
      return <GroupsPage />;
    default:
      return <NoSuchPage name={wanted.name} />;
  }
}

/** What is shown while there is no chain. */
function NoChain() {
  const shell = useShellOfPart();
  if (shell?.condition !== "failed") {
    return (
      <>
        <h1>{text("nav.explorer")}</h1>
        <p class="loading">{text("explorer.connecting")}</p>
      </>
    );
  }
  return (
    <>
      <h1>{text("explorer.noChain")}</h1>
      <p class="problem">{shell.state.context.trouble}</p>
      <p>{text("explorer.noChain.words")}</p>
      <div class="buttons">
        <button type="button" onClick={() => shell.send({ type: "source.retry" })}>
          {text("explorer.again")}
        </button>
        <a class="button primary" href={addressOf("node")}>
          {text("explorer.noChain.tab")}
        </a>
      </div>
    </>
  );
}

function NoGroup({ chain, groupId }: { readonly chain: Chain; readonly groupId: number }) {
  return (
    <>
      <Heading>{text("explorer.group.title", { group: groupId })}</Heading>
      <p class="problem">
        {text(chain.groups.length > 0 ? "explorer.noGroup" : "explorer.noGroup.none", {
          group: groupId,
        })}
      </p>
      <ul class="plain">
        {chain.groups.map((id) => (
          <li key={id}>
            <a href={placeOf(id)}>{text("explorer.group.title", { group: id })}</a>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Hash of block 0; asked for again when the source changes. */
function useChainKey(place: Pick<Place, "reads">): string | undefined {
  const { reads } = place;
  const [known, setKnown] = useState<{ readonly reads: unknown; readonly key: string }>();
  useEffect(() => {
    let isWanted = true;
    reads.chainKey().then(
      (key) => isWanted && setKnown({ reads, key }),
      () => undefined,
    );
    return () => {
      isWanted = false;
    };
  }, [reads]);
  return known?.reads === reads ? known.key : undefined;
}

function SubNavigation({ groupId, name }: { readonly groupId: number; readonly name: string }) {
  const list = useRef<HTMLElement>(null);
  // Scrolls sideways only: to the chosen page, where not all fit.
  useEffect(() => {
    const chosen = list.current?.querySelector<HTMLElement>("[aria-current]");
    if (chosen && list.current) list.current.scrollLeft = chosen.offsetLeft - chosen.offsetWidth;
  }, [name]);
  return (
    <nav ref={list} class="sub" aria-label={text("explorer.pages")}>
      {PAGES.map((page) => (
        <a
          key={page}
          href={page === "overview" ? placeOf(groupId) : placeOf(groupId, page)}
          aria-current={page === name ? "page" : undefined}
        >
          {text(`explorer.page.${page}`)}
        </a>
      ))}
    </nav>
  );
}

function Explorer(props: PageProps & { readonly chain: Chain }) {
  const { chain, path, query } = props;
  const shell = useShellOfPart();
  const wanted = wantedBy(path);
  const groupId = wanted.groupId ?? chain.groupId;
  const isShown = chain.groupId === groupId;
  useEffect(() => {
    // The address decides: a link to a group shows that group.
    if (!isShown) shell?.send({ type: "group.choose", groupId });
  }, [isShown, groupId, shell]);
  const reads = readsOf(chain.source, groupId);
  const chainKey = useChainKey({ reads });
  const decoder = useDecoder(chain.facts, chainKey);
  const height = isShown ? chain.height : undefined;
  const place = useMemo<Place>(
    () => ({ chain, reads, groupId, height, chainKey, decoder }),
    [chain, reads, groupId, height, chainKey, decoder],
  );
  // What is trusted begins with the first look at a chain, not with the first doubt.
  useEffect(() => {
    if (chainKey === undefined || place.height === undefined) return;
    trustHere(place)
      .then((trust) => trust.standing())
      .catch(() => undefined);
  }, [chainKey, place.height === undefined]);
  const isThere = chain.groups.includes(groupId);
  return (
    <PlaceContext.Provider value={place}>
      <div class="explorer-bar">
        <SubNavigation groupId={groupId} name={wanted.name} />
        <Search isAsked={query.has("search")} at={path.join("/")} />
      </div>
      {isThere || wanted.name === "groups" ? (
        <Boundary key={`${groupId}/${wanted.name}/${wanted.rest.join("/")}`}>
          <Content wanted={wanted} query={query} />
        </Boundary>
      ) : (
        <NoGroup chain={chain} groupId={groupId} />
      )}
    </PlaceContext.Provider>
  );
}

/** What its page at an address is called. */
export function titleOf({ path }: PageProps): string {
  return titleOfPath(path);
}

/** The part. */
export function Page(props: PageProps) {
  const chain = useChain();
  return chain === undefined ? <NoChain /> : <Explorer {...props} chain={chain} />;
}
