/** Whose word the certificates rest on: seen first or entered, and everyone reached from them. */
import type { TrailStep } from "../../core/client/told-objects.ts";
import { useState } from "preact/hooks";
import { ProofFault } from "../../core/client/client-fault.ts";
import { type OwnChain, ownChain } from "../data/own-chain.ts";
import { type ChainTrust, sameMembers, type Standing } from "../data/trust.ts";
import { fullTime, numberText } from "../format.ts";
import { Button } from "../parts/button.tsx";
import { Ask } from "../parts/ask.tsx";
import { HashText } from "../parts/hash-text.tsx";
import { Problem } from "../parts/problem.tsx";
import { Marked } from "../parts/proof-mark.tsx";
import { StatusBadge } from "../parts/status-badge.tsx";
import { Facts, Table } from "../parts/table.tsx";
import { attempt } from "../parts/toast.tsx";
import { text } from "../texts.ts";
import { placeOf } from "./read/addresses.ts";
import { Heading, NodeText, type Place, usePlace, Waiting } from "./read/place.tsx";
import { EnterForm } from "./trust-enter.tsx";
import "./trust-texts.ts";
import { useRead } from "./read/use-read.ts";
import { trustHere, useTrustRevision } from "./read/use-trust.ts";

/** What the page shows. */
interface Shown {
  readonly trust: ChainTrust;
  readonly standing: Standing;
  /** The sealers that the node names. */
  readonly told: readonly string[];
  /** Why the latest block is not reached. */
  readonly problem: string | undefined;
  /** Whether that contradicts what is trusted. */
  readonly isLie: boolean;
  readonly isUnsigned: boolean;
  readonly own: OwnChain;
}

async function readTrust(place: Place): Promise<Shown> {
  const { reads, groupId } = place;
  const trust = await trustHere(place);
  await trust.standing();
  const height = Number(await reads.request("getBlockNumber", [groupId]));
  const [header, told, own] = await Promise.all([
    reads.request("getBlockHeaderByNumber", [groupId, height, true]),
    reads.request("getSealerList", [groupId]),
    // Where it is not known, the words are those for a chain of others.
    ownChain(reads.source).catch(() => undefined),
  ]);
  const isUnsigned = height > 0 && (header.signatureList ?? []).length === 0;
  let problem: string | undefined;
  let isLie = false;
  try {
    if (!isUnsigned) await trust.certify(header);
  } catch (cause) {
    if (!(cause instanceof ProofFault)) throw cause;
    problem = cause.message;
    isLie = cause.reason !== "change";
  }
  return { trust, standing: await trust.standing(), told, problem, isLie, isUnsigned, own };
}

function OtherChain({ shown, hash }: { readonly shown: Shown; readonly hash: string }) {
  return (
    <div class="problem" role="alert">
      <p>
        {text(shown.own === "dev" ? "explorer.trust.other.dev" : "explorer.trust.other", { hash })}
      </p>
      <Button
        says="explorer.trust.other.accept"
        onClick={() => void attempt(() => shown.trust.acceptChain())}
      />
    </div>
  );
}

/** Those who seal, as far as that was followed. */
function sealersNow({ isUnsigned, standing: { kept, trail } }: Shown): readonly string[] {
  return isUnsigned ? kept.sealers : trail.sealers;
}

/** Whether the node names the same ones. */
function isAsTold(shown: Shown): boolean {
  return sameMembers(sealersNow(shown), shown.told);
}

function State({ shown }: { readonly shown: Shown }) {
  const { kept, trail, otherChain } = shown.standing;
  const { confirmedAt, isEntered } = kept;
  const state = isEntered ? "entered" : confirmedAt === undefined ? "seen" : "confirmed";
  const last = trail.steps.at(-1)?.number ?? 0;
  const isDoubted = shown.isLie || otherChain !== undefined || !isAsTold(shown);
  return (
    <>
      <p data-trust={state}>
        <StatusBadge tone={state === "seen" || isDoubted ? "warn" : "good"}>
          {text(`explorer.trust.state.${state}`)}
        </StatusBadge>
      </p>
      {otherChain !== undefined && <OtherChain shown={shown} hash={otherChain} />}
      {shown.problem !== undefined && otherChain === undefined && (
        <Problem>
          {text("explorer.trust.problem")} {shown.problem}
        </Problem>
      )}
      {shown.isUnsigned && <p class="problem">{text("explorer.trust.unsigned")}</p>}
      <Facts
        facts={[
          ["explorer.trust.first", <HashText key="hash" value={kept.chain} />],
          [
            "explorer.trust.since",
            text("explorer.trust.sinceBlock", {
              date: fullTime(kept.seenAt),
              block: numberText(kept.seenNumber),
            }),
          ],
          ["explorer.trust.confirmedAt", confirmedAt !== undefined && fullTime(confirmedAt)],
          [
            "explorer.trust.gap",
            kept.gap !== undefined && (
              <span key="gap">
                {text("explorer.trust.gap.words")} {kept.gap}
              </span>
            ),
          ],
          [
            "explorer.trust.reached",
            !shown.isUnsigned && text("explorer.block.title", { number: numberText(last) }),
          ],
        ]}
      />
    </>
  );
}

function Sealers({ shown }: { readonly shown: Shown }) {
  const { kept, trail } = shown.standing;
  const now = sealersNow(shown);
  const all = [...new Set([...kept.sealers, ...now, ...shown.told])].sort();
  const isIn = (list: readonly string[]) => (id: string) =>
    list.includes(id) ? text("explorer.trust.yes") : text("explorer.trust.no");
  const isNamed = isIn(shown.told);
  /** Whether only the node reports so. */
  const isWord = (id: string) => isNamed(id) !== isIn(now)(id);
  const last = numberText(trail.steps.at(-1)?.number ?? 0);
  return (
    <section>
      <h2>{text("explorer.sealers")}</h2>
      {!isAsTold(shown) && <p class="problem">{text("explorer.trust.differs")}</p>}
      <Table
        label={text("explorer.sealers")}
        rows={all}
        keyOf={(id) => id}
        empty={text("explorer.trust.sealers.none")}
        columns={[
          [
            "explorer.nodeId",
            (id) => (
              <Marked proof={isWord(id) ? "unproven" : undefined}>
                <HashText value={id} whole what={text("explorer.nodeId")} />
              </Marked>
            ),
          ],
          ["explorer.trust.kept", isIn(kept.sealers)],
          ...(shown.isUnsigned
            ? []
            : [[text("explorer.trust.at", { block: last }), isIn(now)] as const]),
          [
            "explorer.trust.told",
            (id) => <Marked proof={isWord(id) ? "unproven" : undefined}>{isNamed(id)}</Marked>,
          ],
        ]}
      />
    </section>
  );
}

/** Neighbours of different lists. */
function changesOf(steps: readonly TrailStep[]) {
  return steps.flatMap((step, i) => {
    const before = steps[i - 1]?.sealers ?? step.sealers;
    const came = step.sealers.filter((id) => !before.includes(id));
    const went = before.filter((id) => !step.sealers.includes(id));
    return came.length + went.length === 0 ? [] : [{ number: step.number, came, went }];
  });
}

function Changes({ standing }: { readonly standing: Standing }) {
  const { groupId } = usePlace();
  const changes = changesOf(standing.trail.steps);
  return (
    <section>
      <h2>{text("explorer.trust.changes")}</h2>
      {changes.length === 0 && <p class="empty">{text("explorer.trust.changes.none")}</p>}
      <ul class="plain">
        {changes.map(({ number, came, went }) => (
          <li key={number} data-change={number}>
            <a href={placeOf(groupId, "block", String(number))}>
              {text("explorer.trust.change", { block: numberText(number) })}
            </a>
            {[...came, ...went].map((id) => (
              <span key={id}>
                {" · "}
                {text(came.includes(id) ? "explorer.trust.came" : "explorer.trust.went")}{" "}
                <NodeText id={id} plain />
              </span>
            ))}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Whom to ask, by whose chain it is. */
const CONFIRM_WORDS = {
  tab: "explorer.trust.confirm.tab",
  dev: "explorer.trust.confirm.dev",
  other: "explorer.trust.confirm.words",
} as const;

function Actions({ shown }: { readonly shown: Shown }) {
  const [open, setOpen] = useState<"enter" | "forget">();
  const { confirmedAt } = shown.standing.kept;
  return (
    <>
      {confirmedAt === undefined && <p>{text(CONFIRM_WORDS[shown.own ?? "other"])}</p>}
      <div class="buttons">
        {confirmedAt === undefined && (
          <Button
            says="explorer.trust.confirm"
            tone="primary"
            onClick={() => void attempt(() => shown.trust.confirm())}
          />
        )}
        <Button
          says="explorer.trust.enter"
          isOpen={open === "enter"}
          onClick={() => setOpen(open === "enter" ? undefined : "enter")}
        />
        <Button says="explorer.trust.forget" onClick={() => setOpen("forget")} />
      </div>
      {open === "enter" && <EnterForm {...shown} onDone={() => setOpen(undefined)} />}
      {open === "forget" && (
        <Ask
          title={text("explorer.trust.forget.ask")}
          says="explorer.trust.forget.do"
          tone="primary"
          onDo={() => void attempt(() => shown.trust.forget())}
          onClose={() => setOpen(undefined)}
        >
          <p>{text("explorer.trust.forget.words")}</p>
        </Ask>
      )}
    </>
  );
}

/** The page. */
export function TrustPage() {
  const place = usePlace();
  const revision = useTrustRevision(place);
  const read = useRead({
    id: `trust:${place.groupId}:${place.reads.id}:${place.chainKey ?? ""}`,
    version: `${revision}:${place.height ?? ""}`,
    load: () => readTrust(place),
  });
  return (
    <>
      <Heading proof={read.isLie || read.value?.isLie ? "contradicted" : undefined}>
        {text("explorer.page.trust")}
      </Heading>
      <p>{text("explorer.trust.words")}</p>
      {(read.value === undefined || read.failure !== undefined) && <Waiting read={read} />}
      {read.value && (
        <>
          <section class="panel">
            <State shown={read.value} />
            <Actions shown={read.value} />
          </section>
          <Sealers shown={read.value} />
          <Changes standing={read.value.standing} />
        </>
      )}
    </>
  );
}
