/** Contracts: those whose ABI this browser keeps, those of every chain, and the name service. */
import { useState } from "preact/hooks";
import { readAbi } from "../data/abi.ts";
import { contractBook } from "../data/contracts.ts";
import { PRECOMPILED } from "../data/precompiled.ts";
import { HashText } from "../parts/hash-text.tsx";
import { Table } from "../parts/table.tsx";
import { toast } from "../parts/toast.tsx";
import { failureText } from "../failure.ts";
import { text } from "../texts.ts";
import { placeOf, soughtBy } from "./read/addresses.ts";
import { type CnsEntry, lookUpName } from "./read/contract-calls.ts";
import { Heading, Time, usePlace, Waiting } from "./read/place.tsx";
import { useRead } from "./read/use-read.ts";

function Names({ name }: { readonly name: string }) {
  const place = usePlace();
  const { chainKey, groupId } = place;
  const read = useRead({
    id: `name:${groupId}:${name}:${place.reads.id}`,
    load: () => lookUpName(place, name),
  });
  if (read.value === undefined) return <Waiting read={read} />;
  const keep = (entry: CnsEntry) => {
    const abi = readAbi(entry.abi);
    if (abi === undefined || chainKey === undefined) return toast(text("explorer.abi.bad"), "bad");
    const { name: own, version, address } = entry;
    try {
      const label = `${own} ${version}`;
      contractBook().keep({ chain: chainKey, address, label, name: own, abi, at: Date.now() });
      toast(text("explorer.abi.kept", { name: label }));
    } catch (cause) {
      toast(failureText(cause), "bad");
    }
  };
  return (
    <Table
      label={text("explorer.names")}
      rows={read.value}
      keyOf={({ version, address }) => `${version}:${address}`}
      empty={
        soughtBy(name).kind === "digits"
          ? text("explorer.search.digits", { text: name })
          : text("explorer.names.none", { name })
      }
      columns={[
        { title: text("explorer.name"), cell: (it) => it.name },
        { title: text("explorer.version"), cell: (it) => it.version },
        {
          title: text("explorer.address"),
          cell: (it) => (
            <HashText value={it.address} href={placeOf(groupId, "address", it.address)} />
          ),
        },
        {
          title: text("explorer.abi"),
          cell: (it) =>
            it.abi === "" ? (
              "–"
            ) : (
              <button type="button" onClick={() => keep(it)}>
                {text("explorer.abi.keep")}
              </button>
            ),
        },
      ]}
    />
  );
}

function NameService({ asked }: { readonly asked: string }) {
  const { groupId } = usePlace();
  const [typed, setTyped] = useState(asked);
  return (
    <section>
      <h2>{text("explorer.names")}</h2>
      <form
        class="line"
        onSubmit={(event) => {
          event.preventDefault();
          const query = new URLSearchParams({ name: typed.trim() });
          location.hash = `${placeOf(groupId, "contracts")}?${query}`;
        }}
      >
        <label>
          {text("explorer.names.ask")}
          <input
            value={typed}
            placeholder="HelloWorld:1.0"
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        </label>
        <button type="submit">{text("explorer.names.look")}</button>
      </form>
      {asked !== "" && <Names name={asked} />}
    </section>
  );
}

function KeptContracts() {
  const { chainKey, groupId } = usePlace();
  const rows = chainKey === undefined ? [] : contractBook().list(chainKey);
  return (
    <section>
      <h2>{text("explorer.contracts.kept")}</h2>
      <Table
        label={text("explorer.contracts.kept")}
        rows={rows}
        keyOf={({ address }) => address}
        empty={text("explorer.contracts.none")}
        columns={[
          { title: text("explorer.name"), cell: (it) => it.label || it.name },
          {
            title: text("explorer.address"),
            cell: (it) => (
              <HashText value={it.address} href={placeOf(groupId, "address", it.address)} />
            ),
          },
          { title: text("explorer.kept.at"), cell: (it) => <Time at={it.at} /> },
          {
            title: text("explorer.creation"),
            cell: (it) =>
              it.creation === undefined ? (
                "–"
              ) : (
                <HashText value={it.creation} href={placeOf(groupId, "tx", it.creation)} />
              ),
          },
        ]}
      />
    </section>
  );
}

/** The page. */
export function ContractsPage({ query }: { readonly query: URLSearchParams }) {
  const { groupId } = usePlace();
  const asked = query.get("name") ?? "";
  return (
    <>
      <Heading>{text("explorer.contracts")}</Heading>
      <KeptContracts />
      <NameService key={asked} asked={asked} />
      <section>
        <h2>{text("explorer.contracts.precompiled")}</h2>
        <Table
          label={text("explorer.contracts.precompiled")}
          rows={PRECOMPILED}
          keyOf={({ address }) => address}
          empty=""
          columns={[
            { title: text("explorer.name"), cell: (it) => it.name },
            {
              title: text("explorer.address"),
              cell: (it) => (
                <HashText value={it.address} href={placeOf(groupId, "address", it.address)} />
              ),
            },
            {
              title: text("explorer.functions"),
              numeric: true,
              cell: (it) => it.abi.length,
            },
          ]}
        />
      </section>
    </>
  );
}
