/** The explorer: what is in the chain, page by page, live. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { type Chain, useChain } from "../data/chain.ts";
import { addressOf, type PageProps } from "../address.ts";
import { Button } from "../parts/button.tsx";
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
import { BlockPage, BlocksPage } from "./block.tsx";
import { ContractsPage } from "./contracts.tsx";
import { GroupsPage } from "./groups.tsx";
import { NodesPage } from "./nodes.tsx";
import { OverviewPage } from "./overview.tsx";
import { Heading, PlaceContext } from "./read/place.tsx";
import { Search } from "./search.tsx";
import { titleOfPath } from "./title.ts";
import { TransactionPage } from "./transaction.tsx";
import { PoolPage, TransactionsPage } from "./transactions.tsx";
import { TrustPage } from "./trust.tsx";
import { useGroup } from "./read/use-group.ts";

/** There is no page for an address: a part of it was lost, or somebody wrote it by hand. */
function NoPage({ title, words }: { readonly title: string; readonly words: string }) {
  return (
    <>
      <Heading>{title}</Heading>
      <p class="problem">{words}</p>
    </>
  );
}

/** Pages by their names in the address. */
const CONTENTS = new Map<string, (id: string, query: URLSearchParams) => ComponentChildren>([
  ["overview", () => <OverviewPage />],
  ["blocks", () => <BlocksPage />],
  ["block", (id) => <BlockPage key={id} id={id} />],
  ["transactions", () => <TransactionsPage />],
  ["tx", (id) => <TransactionPage key={id} hash={id} />],
  ["address", (id) => <AddressPage key={id} address={id} />],
  ["contracts", (_, query) => <ContractsPage query={query} />],
  ["nodes", () => <NodesPage />],
  ["trust", () => <TrustPage />],
  ["pool", () => <PoolPage />],
  ["groups", () => <GroupsPage />],
]);

function Content({ wanted, query }: { readonly wanted: Wanted; readonly query: URLSearchParams }) {
  const { name, rest } = wanted;
  const [given = ""] = rest;
  const sought = soughtBy(given);
  if (!isReadable(name, sought)) {
    const words = text(`explorer.misread.${name}`, { text: given });
    return <NoPage title={text("explorer.misread")} words={words} />;
  }
  const page = CONTENTS.get(name);
  if (page) return <>{page(identifierOf(sought), query)}</>;
  return <NoPage title={text("explorer.noPage")} words={text("explorer.noPage.words", { name })} />;
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
        <Button says="explorer.again" onClick={() => shell.send({ type: "source.retry" })} />
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
  const place = useGroup(chain, groupId);
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
