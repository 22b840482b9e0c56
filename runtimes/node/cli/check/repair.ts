/**
 * `chain-node repair`: says what is damaged of a stopped node, and has its next start build the
 * ledger anew from peers. Source: decision 30
 */
import { FolderFault } from "../../../folder/folder-fault.ts";
import {
  groupFacts,
  holdNode,
  type LedgerPlace,
  ledgersOf,
  requireNode,
} from "../../store/ledger-place.ts";
import { damageOf, markDamaged } from "../../store/repaired-ledger.ts";
import { checkOne } from "./check.ts";
import {
  type CheckedLedger,
  type CheckOptions,
  findingLines,
  genesisStep,
  isOtherGenesis,
} from "./check-report.ts";
import { createCountLine } from "../count-line.ts";

/** Options of `chain-node repair`. */
export interface RepairOptions {
  readonly group?: number | undefined;
  readonly execute: boolean;
  readonly force: boolean;
  readonly json: boolean;
}

/** What came of one ledger. */
interface Repaired
  extends Pick<CheckedLedger, "group" | "folder" | "head" | "defects" | "first" | "notes"> {
  readonly marked: boolean;
}

/** A group nobody else has the blocks of must keep what it has. */
async function requireOthers({ node, groupId, folder }: LedgerPlace): Promise<void> {
  const { genesis } = await groupFacts(node, groupId);
  if (genesis && genesis.sealers.length > 1) return;
  const next = "put a backup in its place with chain-node restore --replace";
  throw new FolderFault("argument", `${folder}: no other sealer has its blocks: ${next}`);
}

/** The first defect in a few words: what the start and the status of the group say. */
function causeOf({ folder, first }: CheckedLedger): string {
  const [defect] = first;
  if (!defect) return `${folder} is built anew: chain-node repair --force said so`;
  const { what, stored, expected } = defect;
  return `${folder} is damaged: ${what} is ${stored}, not ${expected}`;
}

async function repairOne(
  place: LedgerPlace,
  found: CheckedLedger,
  { force }: RepairOptions,
): Promise<Repaired> {
  const { group, folder, head, defects, first, notes } = found;
  const isWanted = defects > 0 || force;
  if (isWanted) {
    await requireOthers(place);
    await markDamaged(folder, causeOf(found));
  }
  const marked = (await damageOf(folder)) !== undefined;
  return { group, folder, head, defects, first, notes, marked };
}

function reportText(repaired: readonly Repaired[], { execute }: RepairOptions): string {
  const lines = repaired.flatMap(({ group, head, defects, first, notes, marked }) => {
    if (!marked) {
      const more = execute ? "" : "; --execute also compares the contents of all rows";
      const noted = notes.map((sentence) => `note: ${sentence}`);
      return [`group ${group} at block ${head}: nothing is damaged${more}`, ...noted];
    }
    const next = "the next start builds its ledger anew from peers; it follows without a vote";
    const found = defects === 1 ? "1 defect" : `${defects} defects`;
    return [`group ${group}: ${found}`, ...findingLines(first, defects), `group ${group}: ${next}`];
  });
  return lines.map((line) => `${line}\n`).join("");
}

/** Checks, and marks what is damaged. @throws FolderFault, ConfigFault, StoreFault */
export async function runRepair(folder: string, options: RepairOptions): Promise<void> {
  const node = await requireNode(folder);
  const held = await holdNode(node);
  const { group, execute } = options;
  const check: CheckOptions = { data: undefined, group, from: 0, execute, json: false };
  const line = createCountLine();
  try {
    const found = await ledgersOf(node);
    const wanted = found.filter(({ groupId }) => group === undefined || groupId === group);
    if (wanted.length === 0) throw new FolderFault("missing", `${folder} holds no such ledger`);
    const checked: [LedgerPlace, CheckedLedger][] = [];
    for (const place of wanted) checked.push([place, await checkOne(place, check, line)]);
    const other = checked.find(([, each]) => isOtherGenesis(each));
    if (other) throw new FolderFault("mismatch", genesisStep(other[1]));
    const repaired: Repaired[] = [];
    for (const [place, each] of checked) repaired.push(await repairOne(place, each, options));
    line.end();
    const said = options.json ? `${JSON.stringify({ ledgers: repaired })}\n` : undefined;
    process.stdout.write(said ?? reportText(repaired, options));
  } finally {
    line.end();
    await held.close();
  }
}
