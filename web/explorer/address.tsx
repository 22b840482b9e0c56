/** An address: an account, or a contract with its code, its ABI and its transactions. */
import { useCallback, useState } from "preact/hooks";
import { readAbi, signatureText } from "../../core/client/abi-list.ts";
import { contractRegistry, type KnownContract } from "../data/contracts.ts";
import { precompiledAt } from "../data/precompiled.ts";
import { failureText } from "../failure.ts";
import { Button } from "../parts/button.tsx";
import { TextField } from "../parts/fields.tsx";
import { GatewayMark } from "../parts/gateway-mark.tsx";
import { HashText } from "../parts/hash-text.tsx";
import { Marked, ProofScope } from "../parts/proof-mark.tsx";
import { StatusBadge } from "../parts/status-badge.tsx";
import { Facts } from "../parts/table.tsx";
import { toast } from "../parts/toast.tsx";
import { text } from "../texts.ts";
import { type ContractState, contractState } from "./read/contract-calls.ts";
import { Heading, usePlace, Waiting, WaitingPage } from "./read/place.tsx";
import { useRead } from "./read/use-read.ts";
import { RawData } from "./value-text.tsx";
import type { Met } from "./read/walk.ts";
import { WalkedList } from "./walked-list.tsx";

/** Keeps an ABI in this browser, and says what came of it. @returns whether it is kept */
export function keepAbi(
  contract: Pick<KnownContract, "address" | "label" | "name"> & { chain: string | undefined },
  json: string,
): boolean {
  const abi = readAbi(json);
  const { chain, label } = contract;
  try {
    if (abi && chain) contractRegistry().keep({ ...contract, chain, abi, at: Date.now() });
    if (abi && chain) toast(text("explorer.abi.kept", { name: label }));
    else toast(text("explorer.abi.bad"), "bad");
    return abi !== undefined && chain !== undefined;
  } catch (cause) {
    toast(failureText(cause), "bad");
    return false;
  }
}

function AbiForm({ address, onDone }: { readonly address: string; readonly onDone: () => void }) {
  const { chainKey } = usePlace();
  const [label, setLabel] = useState("");
  const [pasted, setPasted] = useState("");
  const keep = (event: Event) => {
    event.preventDefault();
    const name = label.trim() || text("explorer.contract");
    if (keepAbi({ chain: chainKey, address, label: name, name }, pasted)) onDone();
  };
  return (
    <form class="panel form" onSubmit={keep}>
      <TextField title="explorer.abi.label" value={label} onValue={setLabel} />
      <TextField
        title="explorer.abi.paste"
        rows={5}
        required
        spellcheck={false}
        value={pasted}
        onValue={setPasted}
      />
      <div class="actions">
        <Button says="explorer.abi.keep" tone="primary" />
      </div>
    </form>
  );
}

function AbiSection({ address }: { readonly address: string }) {
  const { decoder, chainKey } = usePlace();
  const [isOpen, setOpen] = useState(false);
  const known = decoder?.contractAt(address);
  const own = chainKey === undefined ? undefined : contractRegistry().find(chainKey, address);
  return (
    <section>
      <h2>{text("explorer.abi")}</h2>
      {known === undefined ? (
        <p class="empty">{text("explorer.abi.none")}</p>
      ) : (
        <ul class="plain signatures">
          {known.abi
            .filter(({ type }) => type === "function" || type === "event")
            .map((item) => (
              <li key={`${item.type}:${signatureText(item)}`}>
                <span class="soft">{text(`explorer.abi.${item.type}`)}</span>{" "}
                <code>{signatureText(item)}</code>
              </li>
            ))}
        </ul>
      )}
      {!known?.isPrecompiled && (
        <div class="buttons">
          <Button
            says={known ? "explorer.abi.replace" : "explorer.abi.add"}
            isOpen={isOpen}
            onClick={() => setOpen(!isOpen)}
          />
          {own && (
            <Button
              says="explorer.abi.forget"
              tone="danger"
              onClick={() => contractRegistry().forget(own.chain, own.address)}
            />
          )}
        </div>
      )}
      {isOpen && <AbiForm address={address} onDone={() => setOpen(false)} />}
    </section>
  );
}

function History({ address }: { readonly address: string }) {
  const { reads, groupId, height } = usePlace();
  const [from, setFrom] = useState<number>();
  const wants = useCallback(
    ({ transaction: { from: sender, to }, created }: Met) =>
      [sender, to, created].some((it) => it?.toLowerCase() === address),
    [address],
  );
  return (
    <section>
      <h2>{text("explorer.history")}</h2>
      {from === undefined ? (
        <p>
          <span class="soft">{text("explorer.history.why")}</span>{" "}
          <Button
            says="explorer.history.look"
            isOff={height === undefined}
            onClick={() => setFrom(height ?? 0)}
          />
        </p>
      ) : (
        <WalkedList
          id={`${reads.id}:${groupId}:${address}:${from}`}
          from={from}
          wants={wants}
          label={text("explorer.history")}
          empty={text("explorer.history.none")}
        />
      )}
    </section>
  );
}

function StateText({ words, proof }: ContractState) {
  return (
    <>
      {words} <GatewayMark proof={proof} />
    </>
  );
}

/** The page of an address. */
export function AddressPage({ address: given }: { readonly address: string }) {
  const address = given.toLowerCase();
  const place = usePlace();
  const { reads, groupId, decoder, chainKey } = place;
  const precompiled = precompiledAt(address);
  const read = useRead({
    id: `code:${groupId}:${address}:${reads.id}`,
    load: () => reads.code(address),
  });
  const code = read.value?.code ?? "0x";
  const isContract = precompiled !== undefined || code.length > 2;
  const state = useRead({
    id: `state:${groupId}:${address}:${isContract}:${reads.id}`,
    load: async () => {
      if (!isContract || precompiled) return undefined;
      return await contractState(place, address);
    },
  });
  const name = decoder?.contractAt(address)?.name;
  const kept = chainKey === undefined ? undefined : contractRegistry().find(chainKey, address);
  if (read.value === undefined) {
    return <WaitingPage title={text("explorer.address")} read={read} />;
  }
  const size = (code.length - 2) / 2;
  const kind = text(isContract ? "explorer.contract" : "explorer.account");
  return (
    <>
      <Heading>{name ?? text("explorer.address")}</Heading>
      <p>
        {precompiled ? (
          <StatusBadge tone="plain">{text("explorer.kind.precompiled")}</StatusBadge>
        ) : (
          <Marked proof="unproven">
            <StatusBadge tone="told">{kind}</StatusBadge>
          </Marked>
        )}{" "}
        <GatewayMark proof={read.value.proof} />
      </p>
      <Facts
        facts={[
          ["explorer.address", <HashText key="address" value={address} whole />],
          [
            "explorer.state",
            state.value?.words && <StateText key="state" {...state.value} />,
            "unproven",
          ],
          ["explorer.code.size", size > 0 && text("explorer.bytes", { count: size }), "unproven"],
          ["explorer.abi.name", kept?.name !== name && kept?.name],
        ]}
      />
      {state.failure !== undefined && <Waiting read={state} />}
      {!isContract && (
        <p class="soft">
          <Marked proof="unproven">{text("explorer.account.words")}</Marked>
        </p>
      )}
      {isContract && <AbiSection address={address} />}
      <ProofScope proof="unproven">
        <RawData title={text("explorer.code")} data={code} />
      </ProofScope>
      <History address={address} />
    </>
  );
}
