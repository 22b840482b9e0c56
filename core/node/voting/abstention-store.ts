/** A group's abstention on disk: outlives restarts and copies of the store. Source: decision 25 */
import { encodeRlp, openRlpList } from "../../bytes/rlp.ts";
import type {
  AbstentionCause,
  AbstentionMode,
  AbstentionRecord,
} from "../../consensus/abstention.ts";
import { StoreFault } from "../../fault/store-fault.ts";
import { metaKey } from "../../ledger/keys.ts";
import type { Store } from "../../ports/store.ts";

const ABSTENTION_KEY = metaKey("silence");
/** First item of every record; another number is another format. */
const FORMAT = 1;
/** A place in these lists is a number on disk. */
const MODES: readonly AbstentionMode[] = ["silent", "confirmed"];
const CAUSES: readonly AbstentionCause[] = ["copied", "lostVotes", "twin"];

function decode(bytes: Uint8Array): AbstentionRecord | undefined {
  const items = openRlpList(bytes);
  if (!items || items.safe() !== FORMAT) return undefined;
  const mode = MODES[items.safe()];
  const cause = CAUSES[items.safe()];
  const since = items.safe();
  if (!items.complete() || !mode || !cause) return undefined;
  return { mode, cause, since };
}

/**
 * The abstention that is kept; undefined when there is none.
 * @throws StoreFault corrupt: to speak then could be to vote twice
 */
export function readAbstention(store: Store): AbstentionRecord | undefined {
  const bytes = store.get(ABSTENTION_KEY);
  if (!bytes) return undefined;
  const record = decode(bytes);
  if (!record) throw new StoreFault("corrupt", "the record of the abstention cannot be read");
  return record;
}

/** Keeps an abstention, or forgets it; on disk when resolved. */
export async function writeAbstention(
  store: Store,
  record: AbstentionRecord | undefined,
): Promise<void> {
  const value =
    record &&
    encodeRlp([FORMAT, MODES.indexOf(record.mode), CAUSES.indexOf(record.cause), record.since]);
  await store.commit([{ key: ABSTENTION_KEY, value }], { durable: true });
}
