/** All cases of the channel port, by the place where they run. */
import type { FolderPlace } from "../../../support/channel/channel-folder-place.ts";
import type { DevPlace, Visit } from "../../../support/channel/channel-place.ts";
import { ACCESS_CASES } from "./access.ts";
import { AMOP_CASES } from "./amop.ts";
import { EVENT_CASES } from "./events.ts";
import { FRAME_CASES } from "./frames.ts";
import { MALFORMED_CASES } from "./malformed.ts";
import { PROCESS_CASES } from "./processes.ts";
import { REFUSAL_CASES } from "./refusals.ts";
import type { RowCase } from "./row-case.ts";
import { RPC_CASES } from "./rpc.ts";
import { SESSION_CASES } from "./session.ts";
import { STORY_CASES } from "./story.ts";
import { TLS_CASES } from "./tls.ts";
import { TOPIC_CASES } from "./topics.ts";
import { TRANSACTION_CASES } from "./transactions.ts";

/** Cases for a dev chain of two nodes. */
export const DEV_CASES: readonly RowCase<Visit<DevPlace>>[] = [
  ...FRAME_CASES,
  ...MALFORMED_CASES,
  ...SESSION_CASES,
  ...RPC_CASES,
  ...TRANSACTION_CASES,
  ...TOPIC_CASES,
  ...EVENT_CASES,
  ...AMOP_CASES,
  ...STORY_CASES,
];

/** Cases for three nodes with limits. */
export const FOLDER_CASES: readonly RowCase<Visit<FolderPlace>>[] = [
  ...TLS_CASES,
  ...REFUSAL_CASES,
  ...ACCESS_CASES,
  ...PROCESS_CASES,
];
