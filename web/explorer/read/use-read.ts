/** What a page asks a node for, as it stands: the answer, the failure, or neither yet. */
import { useEffect, useRef, useState } from "preact/hooks";
import { ProofFault } from "../../../core/client/client-fault.ts";
import { failureText } from "../../failure.ts";
import { OtherAnswerError } from "./reads.ts";

interface Asking<Value> {
  /** Names what is read: another one forgets the last answer. */
  readonly id: string;
  /** Another one asks again and shows the last answer meanwhile. */
  readonly version?: string | number | undefined;
  /** Asks again and again. */
  readonly everyMs?: number;
  readonly load: () => Promise<Value>;
}

/** How that stands. */
export interface Read<Value> {
  readonly value: Value | undefined;
  readonly failure: string | undefined;
  /** Whether the failure is an answer that contradicts the question, or what is trusted. */
  readonly isLie: boolean;
  readonly isBusy: boolean;
  /** Asks again. */
  again(): void;
}

interface Answer<Value> {
  readonly id: string;
  readonly value: Value | undefined;
  readonly failure: string | undefined;
  readonly isLie?: boolean;
}

/** Whether an answer contradicts, rather than being no answer, or less than is needed. */
function isLie(cause: unknown): boolean {
  if (cause instanceof ProofFault) return cause.reason !== "change";
  return cause instanceof OtherAnswerError;
}

/** Reads, and reads again when that is due. */
export function useRead<Value>({ id, version, everyMs, load }: Asking<Value>): Read<Value> {
  const [answer, setAnswer] = useState<Answer<Value>>();
  const [isBusy, setBusy] = useState(true);
  const [turn, setTurn] = useState(0);
  const loader = useRef(load);
  loader.current = load;
  // Another version or turn asks again.
  useEffect(() => {
    let isWanted = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = async () => {
      setBusy(true);
      try {
        const value = await loader.current();
        if (isWanted) setAnswer({ id, value, failure: undefined });
      } catch (cause) {
        const failure = failureText(cause);
        if (isWanted) {
          setAnswer((last) => ({
            id,
            value: last?.id === id ? last.value : undefined,
            failure,
            isLie: isLie(cause),
          }));
        }
      }
      if (!isWanted) return;
      setBusy(false);
      if (everyMs !== undefined) timer = setTimeout(() => void ask(), everyMs);
    };
    void ask();
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [id, version, turn, everyMs]);
  const own = answer?.id === id ? answer : undefined;
  return {
    value: own?.value,
    failure: own?.failure,
    isLie: own?.isLie === true,
    isBusy: isBusy || own === undefined,
    again: () => setTurn(turn + 1),
  };
}
