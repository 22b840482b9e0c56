/** One contract: its functions as forms, its events as they come. */
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { UsageFault } from "../../../core/client/client-fault.ts";
import {
  type AbiItem,
  functionsOf,
  isPayable,
  isReadOnly,
  signatureText,
} from "../../../core/client/abi-list.ts";
import type { KnownContract } from "../../data/contracts.ts";
import { failureText } from "../../failure.ts";
import { Problem } from "../../parts/problem.tsx";
import { Told } from "../../parts/proof-mark.tsx";
import { text } from "../../texts.ts";
import {
  type ActingPlace,
  callFunction,
  type Outcome,
  type SeenEvent,
  sendFunction,
  watchEvents,
} from "./chain-client.ts";
import { type FieldFault, readDraft } from "./field-value.ts";
import { FunctionForm } from "./function-form.tsx";
import { Events, OutcomeBox } from "./outcome.tsx";
import { signerFor, useObstacle, useTask } from "./use-place.ts";

/** Events that are shown; the oldest go. */
const MOST_EVENTS = 100;

interface FunctionProps {
  readonly place: ActingPlace;
  readonly contract: KnownContract;
  readonly item: AbiItem;
}

const VALUE_TYPE = { kind: "uint", bits: 256 } as const;

function PayableValue({ value, onValue }: { value: string; onValue: (value: string) => void }) {
  const id = useId();
  const faults = new Map<string, FieldFault>();
  if (value !== "") readDraft(VALUE_TYPE, value, "value", faults);
  const fault = faults.get("value");
  return (
    <div class="field">
      <label for={id}>{text("workbench.value")}</label>
      <input
        id={id}
        value={value}
        aria-describedby={`${id}-words`}
        onInput={({ currentTarget }) => onValue(currentTarget.value)}
      />
      <span id={`${id}-words`} class={fault ? "bad" : "soft"}>
        {fault ? text(fault.key, fault.values) : text("workbench.value.hint")}
      </span>
    </div>
  );
}

function FunctionBody({ place, contract, item }: FunctionProps) {
  const [value, setValue] = useState("");
  const task = useTask<Outcome>();
  const obstacle = useObstacle(place.chain);
  const isRead = isReadOnly(item);
  const run = async (isCall: boolean, values: readonly unknown[]): Promise<Outcome> => {
    const account = await signerFor(place.chain);
    const acting = { ...place, account };
    const order = { contract, item, values };
    if (isCall) return await callFunction(acting, order);
    const read = value === "" ? 0n : readDraft(VALUE_TYPE, value, "value", new Map());
    if (typeof read !== "bigint") throw new UsageFault(text("workbench.field.integer"));
    return await sendFunction(acting, { ...order, value: read });
  };
  // Older sources do not say which functions only read: those may be called, too.
  const [isTrial, setTrial] = useState(false);
  const isCall = isRead || isTrial;
  return (
    <>
      <FunctionForm
        item={item}
        action={text(isCall ? "workbench.call" : "workbench.send")}
        isBusy={task.isBusy}
        obstacle={isCall || !obstacle ? undefined : text(obstacle)}
        onRun={(values) => task.run(() => run(isCall, values))}
      >
        {isPayable(item) && <PayableValue value={value} onValue={setValue} />}
        {!isRead && (
          <label class="check">
            <input
              type="checkbox"
              checked={isTrial}
              onChange={({ currentTarget }) => setTrial(currentTarget.checked)}
            />
            {text("workbench.trial")}
          </label>
        )}
      </FunctionForm>
      <Problem>{task.trouble}</Problem>
      {task.result && (
        <OutcomeBox
          outcome={task.result}
          failedTitle={text(
            isCall ? "workbench.outcome.callFailed" : "workbench.outcome.sendFailed",
          )}
        />
      )}
    </>
  );
}

function FunctionEntry(props: FunctionProps) {
  const { item } = props;
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      class="function"
      data-function={item.name}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>
        <span class={`badge ${isReadOnly(item) ? "" : "warn"}`}>
          {text(isReadOnly(item) ? "workbench.reads" : "workbench.writes")}
        </span>{" "}
        <code>{signatureText(item)}</code>
      </summary>
      {isOpen && <FunctionBody {...props} />}
    </details>
  );
}

interface Feed {
  readonly events: readonly SeenEvent[];
  /** How many there were in all. */
  readonly count: number;
  /** Why nothing more comes. */
  readonly trouble: string | undefined;
  readonly isOpen: boolean;
}

const SILENT: Feed = { events: [], count: 0, trouble: undefined, isOpen: false };

/** How long after a connection ended a new one is tried. */
const RETRY_MS = 3_000;

function useEvents(place: ActingPlace, contract: KnownContract): Feed {
  const [feed, setFeed] = useState<Feed>(SILENT);
  const [attempt, setAttempt] = useState(0);
  const { source, groupId } = place.chain;
  const { address, abi } = contract;
  const hasEvents = abi.some(({ type }) => type === "event");
  useEffect(() => setFeed(SILENT), [source, groupId, address]);
  useEffect(() => {
    if (!hasEvents) return undefined;
    let stop: (() => void) | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isWanted = true;
    const onEnd = (cause: unknown): void => {
      if (!isWanted) return;
      setFeed((it) => ({ ...it, trouble: failureText(cause), isOpen: false }));
      timer = setTimeout(() => setAttempt((count) => count + 1), RETRY_MS);
    };
    const onEvent = (event: SeenEvent): void =>
      setFeed((it) => {
        const events = [event, ...it.events].slice(0, MOST_EVENTS);
        return { ...it, events, count: it.count + 1 };
      });
    watchEvents(place.chain, contract, { onEvent, onEnd }).then((subscription) => {
      stop = () => void subscription.stop().catch(() => undefined);
      if (isWanted) setFeed((it) => ({ ...it, trouble: undefined, isOpen: true }));
      else stop();
    }, onEnd);
    return () => {
      isWanted = false;
      clearTimeout(timer);
      stop?.();
    };
  }, [source, groupId, address, abi, hasEvents, attempt]);
  return feed;
}

/** Those who do not see the page learn of new events at most this often, and how many they are. */
const TOLD_EVERY_MS = 5_000;

function NewEvents({ count }: { readonly count: number }) {
  const [told, setTold] = useState("");
  const latest = useRef(count);
  latest.current = count;
  useEffect(() => {
    let last = 0;
    const timer = setInterval(() => {
      const fresh = latest.current - last;
      last = latest.current;
      if (fresh > 0) setTold(text("workbench.events.new", { count: fresh }));
    }, TOLD_EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <p class="visually-hidden" aria-live="polite">
      {told}
    </p>
  );
}

function EventFeed({ place, contract }: Omit<FunctionProps, "item">) {
  const { events, count, trouble, isOpen } = useEvents(place, contract);
  if (!contract.abi.some(({ type }) => type === "event")) return null;
  return (
    <section class="feed" data-feed={isOpen ? "open" : "closed"}>
      <h4>{text("workbench.events.live")}</h4>
      <NewEvents count={count} />
      {trouble && <p class="problem">{trouble}</p>}
      {!trouble && events.length === 0 && <p class="soft">{text("workbench.events.none")}</p>}
      {events.length > 0 && (
        <Told>
          <Events events={events} />
        </Told>
      )}
    </section>
  );
}

/** The functions and events of a contract. */
export function ContractBody({ place, contract }: Omit<FunctionProps, "item">) {
  return (
    <>
      {functionsOf(contract.abi).map((item) => (
        <FunctionEntry key={signatureText(item)} place={place} contract={contract} item={item} />
      ))}
      <EventFeed place={place} contract={contract} />
    </>
  );
}
