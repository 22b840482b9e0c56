/** Whose word the certificates rest on: seen first or entered, and everyone reached from them. */
import type { TrailStep } from "../../core/client/told-terms.ts";
import { useState } from "preact/hooks";
import { ProofFault } from "../../core/client/client-fault.ts";
import { type OwnChain, ownChain } from "../data/own-chain.ts";
import { type ChainTrust, pastedIds, sameMembers, type Standing } from "../data/trust.ts";
import { failureText } from "../failure.ts";
import { fullTime, nodeName, numberText } from "../format.ts";
import { Dialog } from "../parts/dialog.tsx";
import { HashText } from "../parts/hash-text.tsx";
import { StatusBadge } from "../parts/status-badge.tsx";
import { Facts, Table } from "../parts/table.tsx";
import { toast } from "../parts/toast.tsx";
import { text } from "../texts.ts";
import { placeOf } from "./read/addresses.ts";
import { Heading, NodeText, type Place, usePlace, Waiting } from "./read/place.tsx";
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
  try {
    if (!isUnsigned) await trust.certify(header);
  } catch (cause) {
    if (!(cause instanceof ProofFault)) throw cause;
    problem = cause.message;
  }
  return { trust, standing: await trust.standing(), told, problem, isUnsigned, own };
}

/** Has something done, and says what went wrong. */
async function attempt(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (cause) {
    toast(failureText(cause), "bad");
  }
}

function OtherChain({ shown, hash }: { readonly shown: Shown; readonly hash: string }) {
  return (
    <div class="problem" role="alert">
      <p>
        {text(shown.own === "dev" ? "explorer.trust.other.dev" : "explorer.trust.other", { hash })}
      </p>
      <button type="button" onClick={() => void attempt(shown.trust.acceptChain())}>
        {text("explorer.trust.other.accept")}
      </button>
    </div>
  );
}

function State({ shown }: { readonly shown: Shown }) {
  const { kept, trail, otherChain } = shown.standing;
  const { confirmedAt, isEntered } = kept;
  const state = isEntered ? "entered" : confirmedAt === undefined ? "seen" : "confirmed";
  const last = trail.steps.at(-1)?.number ?? 0;
  return (
    <>
      <p data-trust={state}>
        <StatusBadge tone={state === "seen" ? "warn" : "good"}>
          {text(`explorer.trust.state.${state}`)}
        </StatusBadge>
      </p>
      {otherChain !== undefined && <OtherChain shown={shown} hash={otherChain} />}
      {shown.problem !== undefined && otherChain === undefined && (
        <p class="problem" role="alert">
          {text("explorer.trust.problem")} {shown.problem}
        </p>
      )}
      {shown.isUnsigned && <p class="problem">{text("explorer.trust.unsigned")}</p>}
      <Facts
        facts={[
          [text("explorer.trust.first"), <HashText key="hash" value={kept.chain} />],
          [
            text("explorer.trust.since"),
            text("explorer.trust.sinceBlock", {
              date: fullTime(kept.seenAt),
              block: numberText(kept.seenNumber),
            }),
          ],
          [
            text("explorer.trust.confirmedAt"),
            confirmedAt === undefined ? undefined : fullTime(confirmedAt),
          ],
          [
            text("explorer.trust.gap"),
            kept.gap === undefined ? undefined : (
              <span key="gap">
                {text("explorer.trust.gap.words")} {kept.gap}
              </span>
            ),
          ],
          [
            text("explorer.trust.reached"),
            shown.isUnsigned
              ? undefined
              : text("explorer.block.title", { number: numberText(last) }),
          ],
        ]}
      />
    </>
  );
}

function Sealers({ shown }: { readonly shown: Shown }) {
  const { kept, trail } = shown.standing;
  const now = shown.isUnsigned ? kept.sealers : trail.sealers;
  const all = [...new Set([...kept.sealers, ...now, ...shown.told])].sort();
  const isIn = (list: readonly string[]) => (id: string) =>
    list.includes(id) ? text("explorer.trust.yes") : text("explorer.trust.no");
  const last = numberText(trail.steps.at(-1)?.number ?? 0);
  return (
    <section>
      <h2>{text("explorer.trust.sealers")}</h2>
      {!sameMembers(now, shown.told) && <p class="problem">{text("explorer.trust.differs")}</p>}
      <Table
        label={text("explorer.trust.sealers")}
        rows={all}
        keyOf={(id) => id}
        empty={text("explorer.trust.sealers.none")}
        columns={[
          {
            title: text("explorer.nodeId"),
            cell: (id) => <HashText value={id} whole what={text("explorer.nodeId")} />,
          },
          { title: text("explorer.trust.kept"), cell: isIn(kept.sealers) },
          ...(shown.isUnsigned
            ? []
            : [{ title: text("explorer.trust.at", { block: last }), cell: isIn(now) }]),
          { title: text("explorer.trust.told"), cell: isIn(shown.told) },
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

/** Who is on one list only. */
function differences(entered: readonly string[], standing: Standing): string {
  const { sealers } = standing.trail;
  const names = (ids: readonly string[]) => ids.map(nodeName).join(", ") || "–";
  return text("explorer.trust.enter.other", {
    missing: names(entered.filter((id) => !sealers.includes(id))),
    more: names(sealers.filter((id) => !entered.includes(id))),
  });
}

function EnterForm({ shown, onDone }: { readonly shown: Shown; readonly onDone: () => void }) {
  const [typed, setTyped] = useState("");
  const [problem, setProblem] = useState<string>();
  const enter = async () => {
    const ids = pastedIds(typed);
    if (ids === undefined) return setProblem(text("explorer.trust.enter.bad"));
    try {
      await shown.trust.enter(ids);
      toast(text("explorer.trust.entered"));
      onDone();
    } catch (cause) {
      const isOther = cause instanceof ProofFault && cause.reason === "sealers";
      setProblem(isOther ? differences(ids, shown.standing) : failureText(cause));
    }
  };
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        void enter();
      }}
    >
      <label>
        {text("explorer.trust.enter.label")}
        <textarea
          rows={5}
          spellcheck={false}
          value={typed}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        />
      </label>
      {problem !== undefined && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <div class="buttons">
        <button type="submit" class="primary">
          {text("explorer.trust.enter.do")}
        </button>
      </div>
    </form>
  );
}

function ForgetDialog({ trust, onClose }: { readonly trust: ChainTrust; onClose: () => void }) {
  return (
    <Dialog
      title={text("explorer.trust.forget.ask")}
      onClose={onClose}
      actions={
        <button
          type="button"
          class="primary"
          onClick={() => {
            void attempt(trust.forget());
            onClose();
          }}
        >
          {text("explorer.trust.forget.do")}
        </button>
      }
    >
      <p>{text("explorer.trust.forget.words")}</p>
    </Dialog>
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
          <button type="button" class="primary" onClick={() => void attempt(shown.trust.confirm())}>
            {text("explorer.trust.confirm")}
          </button>
        )}
        <button
          type="button"
          aria-expanded={open === "enter"}
          onClick={() => setOpen(open === "enter" ? undefined : "enter")}
        >
          {text("explorer.trust.enter")}
        </button>
        <button type="button" onClick={() => setOpen("forget")}>
          {text("explorer.trust.forget")}
        </button>
      </div>
      {open === "enter" && <EnterForm shown={shown} onDone={() => setOpen(undefined)} />}
      {open === "forget" && <ForgetDialog trust={shown.trust} onClose={() => setOpen(undefined)} />}
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
      <Heading>{text("explorer.page.trust")}</Heading>
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
