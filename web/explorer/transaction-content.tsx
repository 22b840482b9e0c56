/** What a transaction says and what came back: input, output, events. */
import type { Receipt, Transaction } from "../../core/client/rpc-objects.ts";
import { precompiledMessage } from "../../core/fault/precompiled-code.ts";
import { transactionStatusName } from "../../core/fault/transaction-status.ts";
import { Marked } from "../parts/proof-mark.tsx";
import { StatusBadge } from "../parts/status-badge.tsx";
import { numberText } from "../format.ts";
import { text } from "../texts.ts";
import type { Argument, Decoded } from "./read/decode.ts";
import { AddressLink, usePlace } from "./read/place.tsx";
import type { Executed } from "./read/reads.ts";
import { isCreation, plainBytes } from "./transaction-list.tsx";
import { Arguments, RawData } from "./value-text.tsx";

/** Who the ABI is of, when it is not the contract's own. */
function Guess({ decoded }: { readonly decoded: Decoded }) {
  if (!decoded.isGuess) return null;
  const words = text("explorer.guess", { name: decoded.contract.name });
  return <StatusBadge tone="warn">{words}</StatusBadge>;
}

/** What was sent. */
export function Input({ transaction }: { readonly transaction: Transaction }) {
  const { decoder } = usePlace();
  const { to, input } = transaction;
  const isNew = isCreation(to);
  const decoded = isNew ? undefined : decoder?.call(to, input);
  const plain = plainBytes(input);
  return (
    <section>
      <h2>{text(isNew ? "explorer.code" : "explorer.input")}</h2>
      {decoded && (
        <>
          <p>
            <Marked>
              <code>{decoded.signature}</code> <Guess decoded={decoded} />
            </Marked>
          </p>
          <Arguments args={decoded.args} />
        </>
      )}
      {!decoded && !isNew && decoder && input.length > 2 && (
        <p class="soft">
          <Marked>
            {plain === undefined
              ? text("explorer.input.unknown")
              : text("explorer.input.data", { count: numberText(plain) })}
          </Marked>
        </p>
      )}
      {input.length <= 2 && (
        <p class="soft">
          <Marked>{text("explorer.input.none")}</Marked>
        </p>
      )}
      <RawData title={text("explorer.raw")} data={input} />
    </section>
  );
}

/** What a code of a precompiled contract means. */
function codeMeaning(args: readonly Argument[]): string | undefined {
  const [first] = args;
  if (typeof first?.value !== "bigint") return undefined;
  return precompiledMessage(Number(first.value));
}

/** What was answered. */
export function Output({ transaction, receipt }: Executed & { readonly receipt: Receipt }) {
  const { decoder } = usePlace();
  const { to } = transaction;
  if (Number(receipt.status) !== 0) {
    const reason = decoder?.reason(to, receipt.output);
    return (
      <section>
        <h2>{text("explorer.failed")}</h2>
        <div class="problem" data-reason>
          <Marked>
            <strong>{transactionStatusName(Number(receipt.status))}</strong>
          </Marked>
          <div>
            <Marked>{reason ?? text("explorer.failed.silent")}</Marked>
          </div>
        </div>
        <RawData title={text("explorer.raw")} data={receipt.output} />
      </section>
    );
  }
  const decoded = isCreation(to) ? undefined : decoder?.call(to, transaction.input);
  const args = decoded && decoder?.result(decoded.item, receipt.output);
  if (receipt.output.length <= 2 && !args?.length) return null;
  const meaning = args && decoded?.contract.isPrecompiled ? codeMeaning(args) : undefined;
  return (
    <section>
      <h2>{text("explorer.output")}</h2>
      {args && <Arguments args={args} />}
      {meaning !== undefined && (
        <p class="soft">
          <Marked>{meaning}</Marked>
        </p>
      )}
      <RawData title={text("explorer.raw")} data={receipt.output} />
    </section>
  );
}

/** What was logged. */
export function Events({ receipt }: { readonly receipt: Receipt }) {
  const { decoder } = usePlace();
  const { logs } = receipt;
  return (
    <section>
      <h2>
        <Marked>{text("explorer.events.of", { count: logs.length })}</Marked>
      </h2>
      {logs.length === 0 && <p class="empty">{text("explorer.events.none")}</p>}
      {logs.map((log, index) => {
        const decoded = decoder?.event(log);
        return (
          <article key={index} class="panel event">
            <p>
              <span class="soft">{index}</span>{" "}
              <Marked>
                {decoded ? <code>{decoded.signature}</code> : text("explorer.event.unknown")}{" "}
                {decoded && <Guess decoded={decoded} />} <AddressLink value={log.address} />
              </Marked>
            </p>
            {decoded ? (
              <Arguments args={decoded.args} />
            ) : (
              log.topics.map((topic, i) => (
                <div key={i}>
                  <span class="soft">{text("explorer.topic", { index: i })}</span>{" "}
                  <Marked>
                    <code class="hash whole">{topic}</code>
                  </Marked>
                </div>
              ))
            )}
            <RawData title={text("explorer.data")} data={log.data} />
          </article>
        );
      })}
    </section>
  );
}
