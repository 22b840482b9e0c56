/** An address: an account, or a contract with its code, its ABI and its transactions. */
import { useCallback, useState } from "preact/hooks";
import { readAbi, signatureText } from "../data/abi.ts";
import { contractBook } from "../data/contracts.ts";
import { precompiledAt } from "../data/precompiled.ts";
import { failureText } from "../failure.ts";
import { HashText } from "../parts/hash-text.tsx";
import { StatusBadge } from "../parts/status-badge.tsx";
import { Facts } from "../parts/table.tsx";
import { toast } from "../parts/toast.tsx";
import { text } from "../texts.ts";
import { contractState } from "./read/contract-calls.ts";
import { Heading, usePlace, Waiting } from "./read/place.tsx";
import { useRead } from "./read/use-read.ts";
import { RawData } from "./value-text.tsx";
import type { Met } from "./read/walk.ts";
import { WalkedList } from "./walked-list.tsx";

function AbiForm({ address, onDone }: { readonly address: string; readonly onDone: () => void }) {
  const { chainKey } = usePlace();
  const [label, setLabel] = useState("");
  const [pasted, setPasted] = useState("");
  const keep = () => {
    const abi = readAbi(pasted);
    if (abi === undefined || chainKey === undefined) return toast(text("explorer.abi.bad"), "bad");
    const name = label.trim() || text("explorer.contract");
    try {
      contractBook().keep({ chain: chainKey, address, label: name, name, abi, at: Date.now() });
      toast(text("explorer.abi.kept", { name }));
      onDone();
    } catch (cause) {
      toast(failureText(cause), "bad");
    }
  };
  return (
    <form
      class="panel form"
      onSubmit={(event) => {
        event.preventDefault();
        keep();
      }}
    >
      <label>
        {text("explorer.abi.label")}
        <input value={label} onInput={({ currentTarget }) => setLabel(currentTarget.value)} />
      </label>
      <label>
        {text("explorer.abi.paste")}
        <textarea
          rows={5}
          required
          spellcheck={false}
          value={pasted}
          onInput={({ currentTarget }) => setPasted(currentTarget.value)}
        />
      </label>
      <div class="actions">
        <button type="submit" class="primary">
          {text("explorer.abi.keep")}
        </button>
      </div>
    </form>
  );
}

function AbiSection({ address }: { readonly address: string }) {
  const { decoder, chainKey } = usePlace();
  const [isOpen, setOpen] = useState(false);
  const known = decoder?.contractAt(address);
  const own = chainKey === undefined ? undefined : contractBook().find(chainKey, address);
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
          <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {text(known ? "explorer.abi.replace" : "explorer.abi.add")}
          </button>
          {own && (
            <button
              type="button"
              class="danger"
              onClick={() => contractBook().forget(own.chain, own.address)}
            >
              {text("explorer.abi.forget")}
            </button>
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
          <button
            type="button"
            disabled={height === undefined}
            onClick={() => setFrom(height ?? 0)}
          >
            {text("explorer.history.look")}
          </button>
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

/** The page of an address. */
export function AddressPage({ address: given }: { readonly address: string }) {
  const address = given.toLowerCase();
  const place = usePlace();
  const { reads, groupId, decoder, chainKey } = place;
  const precompiled = precompiledAt(address);
  const read = useRead({
    id: `code:${groupId}:${address}:${reads.id}`,
    load: () => reads.request("getCode", [groupId, address]),
  });
  const isContract = precompiled !== undefined || (read.value ?? "0x").length > 2;
  const state = useRead({
    id: `state:${groupId}:${address}:${isContract}:${reads.id}`,
    load: async () =>
      isContract && !precompiled ? await contractState(place, address).catch(() => "") : "",
  });
  const name = decoder?.contractAt(address)?.name;
  const kept = chainKey === undefined ? undefined : contractBook().find(chainKey, address);
  if (read.value === undefined) {
    return (
      <>
        <Heading>{text("explorer.address")}</Heading>
        <Waiting read={read} />
      </>
    );
  }
  return (
    <>
      <Heading>{name ?? text(isContract ? "explorer.contract" : "explorer.account")}</Heading>
      <p>
        <StatusBadge tone="plain">
          {text(
            precompiled
              ? "explorer.kind.precompiled"
              : isContract
                ? "explorer.contract"
                : "explorer.account",
          )}
        </StatusBadge>
      </p>
      <Facts
        facts={[
          [text("explorer.address"), <HashText key="address" value={address} whole />],
          [text("explorer.state"), state.value || undefined],
          [
            text("explorer.code.size"),
            read.value.length > 2
              ? text("explorer.bytes", { count: (read.value.length - 2) / 2 })
              : undefined,
          ],
          [text("explorer.abi.name"), kept && kept.name !== name ? kept.name : undefined],
        ]}
      />
      {!isContract && <p class="soft">{text("explorer.account.words")}</p>}
      {isContract && <AbiSection address={address} />}
      <RawData title={text("explorer.code")} data={read.value} />
      <History address={address} />
    </>
  );
}
