/** Finds blocks, transactions, addresses and names by what somebody types. */
import { useEffect, useRef, useState } from "preact/hooks";
import { NodeFault } from "../../core/client/client-fault.ts";
import { contractRegistry } from "../data/contracts.ts";
import { failureText } from "../failure.ts";
import { Button } from "../parts/button.tsx";
import { text } from "../texts.ts";
import { placeOf, soughtBy } from "./read/addresses.ts";
import { lookUpName } from "./read/contract-calls.ts";
import { type Place, usePlace } from "./read/place.tsx";
import type { ChainReads } from "./read/reads.ts";

/** What came of a search: the page, or why there is none; neither when nothing was typed. */
interface Found {
  readonly place?: string;
  readonly problem?: string;
}

/** The answer of a node that has one; undefined when it says that there is none. */
async function unlessNone<Answer>(asked: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await asked;
  } catch (cause) {
    if (cause instanceof NodeFault) return undefined;
    throw cause;
  }
}

/** The page of a hash: that of a transaction, or of a block. */
async function foundByHash(reads: ChainReads, hash: string): Promise<Found> {
  const { groupId } = reads;
  if ((await reads.executed(hash)) !== undefined) return { place: placeOf(groupId, "tx", hash) };
  const block = await unlessNone(reads.block(hash));
  if (block === undefined) return { problem: text("explorer.search.nothing", { group: groupId }) };
  return { place: placeOf(groupId, "block", String(Number(block.number))) };
}

/** A number in hexadecimal may be the beginning of a hash: then there is no such block. */
async function foundByNumber({ reads, height }: Place, id: string, typed: string): Promise<Found> {
  const isHex = /^0x/i.test(typed);
  const isKnown = height !== undefined && Number(id) <= height;
  if (isHex && !isKnown && (await unlessNone(reads.summary(Number(id)))) === undefined)
    return { problem: text("explorer.search.digits", { text: typed }) };
  return { place: placeOf(reads.groupId, "block", id) };
}

/** What the chain registered under a name goes before what this browser calls so. */
async function foundByName(place: Place, name: string): Promise<Found> {
  const { groupId, reads } = place;
  const known = contractRegistry().list(await reads.chainKey());
  const own = known.find(({ label }) => label === name) ?? known.find((it) => it.name === name);
  const registered = own && (await unlessNone(lookUpName(place, name)));
  if (own && !registered?.length) return { place: placeOf(groupId, "address", own.address) };
  return { place: `${placeOf(groupId, "contracts")}?${new URLSearchParams({ name })}` };
}

/** Where the typed text leads. */
async function find(place: Place, given: string): Promise<Found> {
  const typed = given.trim();
  const sought = soughtBy(typed);
  switch (sought.kind) {
    case "block":
      return await foundByNumber(place, sought.id, typed);
    case "address":
      return { place: placeOf(place.groupId, "address", sought.address) };
    case "hash":
      return await foundByHash(place.reads, sought.hash);
    case "digits":
      return { problem: text("explorer.search.digits", { text: typed }) };
    case "name":
      return await foundByName(place, sought.name);
    case "nothing":
      return {};
  }
}

interface SearchProps {
  readonly isAsked: boolean;
  /** The page below, of which the field knows nothing else. */
  readonly at: string;
}

/** The field; `/` leads to it from everywhere. */
export function Search({ isAsked, at }: SearchProps) {
  const here = usePlace();
  const [typed, setTyped] = useState("");
  const [problem, setProblem] = useState<string>();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isAsked) field.current?.focus();
  }, [isAsked]);
  // What came of the last search is no matter of another page.
  useEffect(() => setProblem(undefined), [at]);
  const search = async () => {
    setProblem(undefined);
    // What stands in the field: Enter may come before the page has drawn the last letter.
    const wanted = field.current?.value ?? typed;
    try {
      const { place, problem: why } = await find(here, wanted);
      if (place === undefined) return setProblem(why);
      setTyped("");
      if (field.current) field.current.value = "";
      field.current?.blur();
      location.hash = place;
    } catch (cause) {
      setProblem(failureText(cause));
    }
  };
  return (
    <search>
      <form
        class="search"
        onSubmit={(event) => {
          event.preventDefault();
          void search();
        }}
      >
        <input
          ref={field}
          data-search
          type="search"
          enterkeyhint="search"
          autocomplete="off"
          spellcheck={false}
          aria-label={text("explorer.search")}
          placeholder={text("explorer.search.hint")}
          value={typed}
          onInput={({ currentTarget }) => {
            setTyped(currentTarget.value);
            setProblem(undefined);
          }}
        />
        <Button says="explorer.search" />
        {problem !== undefined && (
          <p class="search-problem" role="alert">
            {problem}
          </p>
        )}
      </form>
    </search>
  );
}
