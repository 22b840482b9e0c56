/** Process that reads a damaged database for `chain-node check`, and may end over it. */
import { FolderFault, reasonOf } from "../../../folder/folder-fault.ts";
import { requireReadable } from "../../store/ledger-place.ts";
import type { ApartOrder, ApartWord } from "./check-apart.ts";
import { checkBlocks } from "./check-blocks.ts";

const PROGRESS_MS = 250;

function say(word: ApartWord): void {
  process.send?.(word);
}

async function check({ home, groupId, files, from, execute }: ApartOrder): Promise<void> {
  const node = await requireReadable(home);
  let shownAt = 0;
  const found = await checkBlocks({
    place: { node, groupId, folder: node.folderOf(groupId), files },
    from,
    execute,
    findings: {
      // A caller that asked has found some in the files.
      count: 1,
      report: (defect) => say({ type: "defect", defect }),
      note: (sentence) => say({ type: "note", sentence }),
    },
    progress(text) {
      if (performance.now() - shownAt < PROGRESS_MS) return;
      shownAt = performance.now();
      say({ type: "progress", text });
    },
  });
  say({ type: "found", found });
}

process.once("message", (order: ApartOrder) => {
  void check(order)
    .catch((cause: unknown) => {
      const kind = cause instanceof FolderFault ? cause.kind : "unusable";
      say({ type: "fault", kind, message: reasonOf(cause) });
    })
    .finally(() => process.disconnect?.());
});
