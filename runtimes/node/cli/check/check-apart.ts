/**
 * Checks the contents of a damaged database in a process of its own: what LevelDB makes of files
 * that are not as they were written may end the process that reads them.
 */
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { FolderFault, type FolderFaultKind } from "../../../folder/folder-fault.ts";
import type { Defect } from "../../../shared/ledger-check/defect.ts";
import type { LedgerCheck } from "../../../shared/ledger-check/ledger-check.ts";
import { workerUrl } from "../../threads/worker-url.ts";
import { type CheckWork, unreadable } from "./check-blocks.ts";

/** What the other process is to check. */
export interface ApartOrder extends Pick<CheckWork, "from" | "execute"> {
  /** Of the node. */
  readonly home: string;
  readonly groupId: number;
  /** Where the ledger is, or what its node lends of it. */
  readonly files: string;
}

/** What it tells. */
export type ApartWord =
  | { readonly type: "defect"; readonly defect: Defect }
  | { readonly type: "note"; readonly sentence: string }
  | { readonly type: "progress"; readonly text: string }
  | { readonly type: "found"; readonly found: LedgerCheck }
  /** It cannot be checked so: what keeps it from that. */
  | { readonly type: "fault"; readonly kind: FolderFaultKind; readonly message: string };

const MOST_SAID = 200;

/** As `checkBlocks`. That the process ended over it is a defect. */
export function checkApart({ place, from, execute, findings, progress }: CheckWork) {
  const { node, groupId, folder, files = folder } = place;
  return new Promise<LedgerCheck>((resolve, reject) => {
    const child = fork(fileURLToPath(workerUrl("check-process")), [], {
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    let said = "";
    let found: LedgerCheck | undefined;
    child.stderr?.on("data", (bytes: Buffer) => {
      said = (said + bytes.toString()).slice(-MOST_SAID);
    });
    child.on("message", (word: ApartWord) => {
      if (word.type === "defect") findings.report(word.defect);
      else if (word.type === "note") findings.note(word.sentence);
      else if (word.type === "progress") progress(word.text);
      else if (word.type === "found") found = word.found;
      else reject(new FolderFault(word.kind, word.message));
    });
    child.once("error", reject);
    child.once("close", (code, signal) => {
      const how = `reading it ended the process (${signal ?? code}) ${said.trim()}`.trim();
      resolve(found ?? unreadable(findings, how));
    });
    child.send({ home: node.home, groupId, files, from, execute } satisfies ApartOrder);
  });
}
