/** Contracts: those whose ABI this browser keeps, those of every chain, and the name service. */
import { useState } from "preact/hooks";
import { contractRegistry } from "../data/contracts.ts";
import { PRECOMPILED } from "../data/precompiled.ts";
import { Button } from "../parts/button.tsx";
import { TextField } from "../parts/fields.tsx";
import { HashText } from "../parts/hash-text.tsx";
import { Told } from "../parts/proof-mark.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { text } from "../texts.ts";
import { keepAbi } from "./address.tsx";
import { placeOf, soughtBy } from "./read/addresses.ts";
import { type CnsEntry, lookUpName } from "./read/contract-calls.ts";
import { Heading, Time, usePlace, Waiting } from "./read/place.tsx";
import { useRead } from "./read/use-read.ts";

function addressColumn(groupId: number): Column<{ readonly address: string }> {
  return [
    "explorer.address",
    ({ address }) => <HashText value={address} href={placeOf(groupId, "address", address)} />,
  ];
}

function Names({ name }: { readonly name: string }) {
  const place = usePlace();
  const { chainKey, groupId } = place;
  const read = useRead({
    id: `name:${groupId}:${name}:${place.reads.id}`,
    load: () => lookUpName(place, name),
  });
  if (read.value === undefined) return <Waiting read={read} />;
  const keep = ({ name: own, version, address, abi }: CnsEntry) =>
    keepAbi({ chain: chainKey, address, label: `${own} ${version}`, name: own }, abi);
  return (
    <Told>
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
          ["explorer.name", (it) => it.name],
          ["explorer.version", (it) => it.version],
          addressColumn(groupId),
          [
            "explorer.abi",
            (it) =>
              it.abi === "" ? "–" : <Button says="explorer.abi.keep" onClick={() => keep(it)} />,
          ],
        ]}
      />
    </Told>
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
        <TextField
          title="explorer.names.ask"
          placeholder="HelloWorld:1.0"
          value={typed}
          onValue={setTyped}
        />
        <Button says="explorer.names.look" />
      </form>
      {asked !== "" && <Names name={asked} />}
    </section>
  );
}

function KeptContracts() {
  const { chainKey, groupId } = usePlace();
  const rows = chainKey === undefined ? [] : contractRegistry().list(chainKey);
  return (
    <section>
      <h2>{text("explorer.contracts.kept")}</h2>
      <Table
        label={text("explorer.contracts.kept")}
        rows={rows}
        keyOf={({ address }) => address}
        empty={text("explorer.contracts.none")}
        columns={[
          ["explorer.name", (it) => it.label || it.name],
          addressColumn(groupId),
          ["explorer.kept.at", (it) => <Time at={it.at} />],
          [
            "explorer.creation",
            ({ creation }) =>
              creation === undefined ? (
                "–"
              ) : (
                <HashText value={creation} href={placeOf(groupId, "tx", creation)} />
              ),
          ],
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
      <Heading>{text("explorer.page.contracts")}</Heading>
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
            ["explorer.name", (it) => it.name],
            addressColumn(groupId),
            ["explorer.functions", (it) => it.abi.length, "numeric"],
          ]}
        />
      </section>
    </>
  );
}
