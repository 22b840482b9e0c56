/** What came of a call, a transaction or a deployment: green only where it is proven, and why. */
import type { JsonParameter } from "../../../core/client/abi-item.ts";
import { ReceiptTimeoutFault } from "../../../core/client/client-fault.ts";
import type { Receipt } from "../../../core/client/rpc-objects.ts";
import { failureText } from "../../failure.ts";
import { numberText } from "../../format.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { GatewayMark } from "../../parts/gateway-mark.tsx";
import { HashText } from "../../parts/hash-text.tsx";
import { Marked, ProofScope, Verdict } from "../../parts/proof-mark.tsx";
import { Facts } from "../../parts/table.tsx";
import { StatusBadge } from "../../parts/status-badge.tsx";
import { addressOf } from "../../address.ts";
import { useChain } from "../../data/chain.ts";
import { text } from "../../texts.ts";
import { useReceiptProof } from "./use-receipt-proof.ts";
import { type Failure, NoCodeFault, type Outcome, type SeenEvent } from "./chain-client.ts";

/** A value as text: whole numbers with all digits, lists and objects as JSON. */
function valueText(value: unknown): string {
  if (value === undefined) return "";
  if (typeof value === "object" && value !== null) {
    return JSON.stringify(value, (_, it) => (typeof it === "bigint" ? it.toString() : it), 1);
  }
  return String(value);
}

function Value({ value }: { readonly value: unknown }) {
  const shown = valueText(value);
  if (shown === "") return <span class="soft">{text("workbench.value.empty")}</span>;
  return (
    <span class="decoded">
      <code class="whole">{shown}</code>
      <CopyButton value={shown} />
    </span>
  );
}

interface ResultProps {
  readonly outputs: readonly JsonParameter[];
  readonly result: unknown;
}

function Result({ outputs, result }: ResultProps) {
  if (outputs.length === 0) return null;
  const list: readonly unknown[] = outputs.length > 1 && Array.isArray(result) ? result : [result];
  return (
    <Facts
      facts={outputs.map(({ name, type }, index) => [
        [
          name || text("workbench.result"),
          " ",
          <code key="type" class="soft">
            {type}
          </code>,
        ],
        <Value key="value" value={list[index]} />,
      ])}
    />
  );
}

interface EventsProps {
  readonly events: readonly SeenEvent[];
  /** Whether their transactions stand next to them, and so need not be named. */
  readonly isOfOne?: boolean;
}

/** Events, each with its values by name. */
export function Events({ events, isOfOne }: EventsProps) {
  return (
    <ul class="seen">
      {events.map(({ eventName, args, log: { transactionHash } }, index) => (
        <li key={index} data-event={eventName}>
          <Marked>
            <strong>{eventName}</strong>
          </Marked>
          {!isOfOne && transactionHash !== undefined && (
            <>
              {" "}
              <TransactionLink hash={transactionHash} />
            </>
          )}
          <Facts
            facts={Object.entries(args as object).map(([name, value]) => [
              name,
              <Value key="value" value={value} />,
            ])}
          />
        </li>
      ))}
    </ul>
  );
}

/** Addresses of the explorer, in the group that is shown. */
function useExplorer(): (page: string, id: string) => string {
  const groupId = useChain()?.groupId;
  return (page, id) => addressOf("explorer", [String(groupId), page, id]);
}

function TransactionLink({ hash }: { readonly hash: string }) {
  const href = useExplorer()("tx", hash);
  return <HashText value={hash} href={href} what={text("workbench.transaction")} />;
}

function TransactionFacts({ receipt }: { readonly receipt: Receipt }) {
  const block = Number(receipt.blockNumber);
  const href = useExplorer()("block", String(block));
  return (
    <Facts
      facts={[
        ["workbench.transaction", <TransactionLink key="hash" hash={receipt.transactionHash} />],
        [
          "workbench.block",
          <a key="block" href={href}>
            {numberText(block)}
          </a>,
        ],
        ["workbench.gasUsed", numberText(Number(receipt.gasUsed))],
      ]}
    />
  );
}

/** Why nothing came of it, in words. */
function whyOf({ status, reason, cause }: Failure): string {
  if (reason !== undefined) return reason;
  if (cause instanceof NoCodeFault) return text("workbench.noCode");
  if (cause instanceof ReceiptTimeoutFault) {
    return text(cause.expired ? "workbench.expired" : "workbench.timeout", { hash: cause.hash });
  }
  if (status !== undefined) {
    const known = text(`workbench.status.${status}`);
    return known.startsWith("workbench.") ? text("workbench.noReason") : known;
  }
  return failureText(cause);
}

function Failed({ failure, title }: { readonly failure: Failure; readonly title: string }) {
  const { receipt } = failure;
  const proofs = useReceiptProof(receipt);
  return (
    <div class="outcome-box bad" role="alert" data-outcome="failed">
      <p>
        <StatusBadge tone="bad">{title}</StatusBadge>{" "}
        {failure.status && <code data-status>{failure.status}</code>}{" "}
        {receipt && <Verdict proof={proofs.page} />}
      </p>
      <p class="why" data-reason>
        {whyOf(failure)}
      </p>
      {receipt && (
        <ProofScope proof={proofs.of("receipt")}>
          <TransactionFacts receipt={receipt} />
        </ProofScope>
      )}
    </div>
  );
}

interface OutcomeBoxProps {
  readonly outcome: Outcome;
  /** What is reported of a failure: that the deployment or the call failed. */
  readonly failedTitle: string;
  /** Leads to the contract that was deployed; absent: there is no way. */
  readonly onUse?: ((address: string) => void) | undefined;
}

/** At which block a result was read. Once there is a newer one it may be another. */
function ReadAt({ block, isOld }: { readonly block: number; readonly isOld: boolean }) {
  return (
    <span class={isOld ? "warn" : "soft"} data-read-at={block}>
      {text(isOld ? "workbench.readAt.old" : "workbench.readAt", {
        block: numberText(block),
      })}
    </span>
  );
}

type Deployed = Extract<Outcome, { kind: "deployed" }>;

/** The new contract, and the way on to it. */
function NewContract({ outcome, onUse }: OutcomeBoxProps & { outcome: Deployed }) {
  const { address, name } = outcome.contract;
  const href = useExplorer()("address", address);
  return (
    <>
      <p>
        {name}{" "}
        <Marked>
          <HashText value={address} whole href={href} what={text("workbench.address")} />
        </Marked>
      </p>
      {!outcome.isChecked && <p class="warn">{text("workbench.unchecked")}</p>}
      {onUse && (
        <p>
          <button type="button" class="primary" data-use onClick={() => onUse(address)}>
            {text("workbench.use")}
          </button>
        </p>
      )}
    </>
  );
}

type Called = Extract<Outcome, { kind: "called" }>;

/** What a call gave: no proof of it exists, so it has no tick. */
function CallResult({ outcome }: { readonly outcome: Called }) {
  const height = useChain()?.height;
  const { block, item, result } = outcome;
  const isOld = block !== undefined && height !== undefined && height > block;
  return (
    <div
      class={isOld ? "outcome-box old" : "outcome-box"}
      role="status"
      data-outcome="called"
      data-proof="unproven"
    >
      <p>
        <StatusBadge tone={isOld ? "plain" : "told"}>
          {text("workbench.outcome.called")}
        </StatusBadge>{" "}
        {block !== undefined && <ReadAt block={block} isOld={isOld} />}{" "}
        <GatewayMark proof={outcome.proof} />
      </p>
      <ProofScope proof="unproven">
        <Result outputs={item.outputs ?? []} result={result} />
      </ProofScope>
    </div>
  );
}

type Written = Exclude<Outcome, Called | Failure>;

/** What a transaction came to, in its box: green as soon as that is proven. */
function WrittenResult({ outcome, ...props }: OutcomeBoxProps & { readonly outcome: Written }) {
  const { kind, events, receipt } = outcome;
  const proofs = useReceiptProof(receipt);
  const isProven = proofs.of("receipt") === "proven";
  return (
    <div
      class={isProven ? "outcome-box good" : "outcome-box"}
      role="status"
      data-outcome={kind}
      data-proof={proofs.of("receipt")}
    >
      <p>
        <StatusBadge tone={isProven ? "good" : "told"}>
          {text(`workbench.outcome.${kind}`)}
        </StatusBadge>{" "}
        <Verdict proof={proofs.page} />
      </p>
      <ProofScope proof={proofs.of("receipt")}>
        {outcome.kind === "deployed" ? (
          <NewContract {...props} outcome={outcome} />
        ) : (
          <Result outputs={outcome.item.outputs ?? []} result={outcome.result} />
        )}
        {events.length > 0 && (
          <>
            <h4>{text("workbench.events")}</h4>
            <Events events={events} isOfOne />
          </>
        )}
        <TransactionFacts receipt={receipt} />
      </ProofScope>
    </div>
  );
}

/** The outcome. A failure is red, says why, and has no address. */
export function OutcomeBox(props: OutcomeBoxProps) {
  const { outcome, failedTitle } = props;
  if (outcome.kind === "failed") return <Failed failure={outcome} title={failedTitle} />;
  if (outcome.kind === "called") return <CallResult outcome={outcome} />;
  return <WrittenResult {...props} outcome={outcome} />;
}
