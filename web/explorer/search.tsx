/** Finds blocks, transactions, addresses and names by what somebody types. */
import { useEffect, useRef, useState } from "preact/hooks";
import { NodeFault } from "../../core/client/client-fault.ts";
import { failureText } from "../failure.ts";
import { text } from "../texts.ts";
import { placeOf, soughtBy } from "./addresses.ts";
import { usePlace } from "./place.tsx";
import type { ChainReads } from "./reads.ts";

/** The page of a hash: that of a transaction, or of a block. */
async function placeOfHash(reads: ChainReads, hash: string): Promise<string | undefined> {
  const { groupId } = reads;
  if ((await reads.executed(hash)) !== undefined) return placeOf(groupId, "tx", hash);
  try {
    const block = await reads.block(hash);
    return placeOf(groupId, "block", String(Number(block.number)));
  } catch (cause) {
    if (cause instanceof NodeFault) return undefined;
    throw cause;
  }
}

/** Where the typed text leads; undefined when there is nothing of it. */
async function find(reads: ChainReads, typed: string): Promise<string | undefined> {
  const { groupId } = reads;
  const sought = soughtBy(typed);
  switch (sought.kind) {
    case "block":
      return placeOf(groupId, "block", sought.id);
    case "address":
      return placeOf(groupId, "address", sought.address);
    case "hash":
      return await placeOfHash(reads, sought.hash);
    case "name":
      return `${placeOf(groupId, "contracts")}?${new URLSearchParams({ name: sought.name })}`;
    case "nothing":
      return undefined;
  }
}

/** The field; `/` leads to it from everywhere. */
export function Search(props: { readonly groupId: number; readonly isAsked: boolean }) {
  const { groupId, isAsked } = props;
  const { reads } = usePlace();
  const [typed, setTyped] = useState("");
  const [problem, setProblem] = useState<string>();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isAsked) field.current?.focus();
  }, [isAsked]);
  const search = async () => {
    setProblem(undefined);
    // What stands in the field: Enter may come before the page has drawn the last letter.
    const wanted = field.current?.value ?? typed;
    try {
      const place = await find(reads, wanted);
      if (place === undefined && wanted.trim() !== "") {
        return setProblem(text("explorer.search.nothing", { group: groupId }));
      }
      if (place === undefined) return;
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
        <button type="submit">{text("explorer.search.do")}</button>
        {problem !== undefined && (
          <p class="search-problem" role="alert">
            {problem}
          </p>
        )}
      </form>
    </search>
  );
}
