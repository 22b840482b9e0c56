/**
 * What an operator of a node's host may ask of it while it runs: signal files, and the control
 * socket.
 */
import { dirname, resolve } from "node:path";
import { LedgerViews, sweepViews } from "../store/ledger-views.ts";
import { ledgerFolder } from "../store/node-folder.ts";
import { type SignalTargets, signalsOf } from "./node-signals.ts";
import { openControlSocket } from "./control-server.ts";
import { watchSignals } from "./signal-files.ts";

/** Obeys signal files and serves the control socket of a node. @returns what ends both */
export async function openOperatorEnds(targets: SignalTargets): Promise<() => Promise<void>> {
  const { path, config, node, log } = targets;
  const home = dirname(path);
  const data = resolve(home, config.groups.dataPath);
  await sweepViews(data);
  const views = new LedgerViews((groupId) => ledgerFolder(data, groupId));
  const work = {
    confirm: (groups?: readonly number[]) => node.confirmOnlyCopy(groups),
    lend: (group: number) => views.lend(group),
  };
  const closeControlSocket = await openControlSocket(home, work, log);
  const endSignals = watchSignals(home, signalsOf(targets), log);
  return async () => {
    await closeControlSocket();
    await endSignals();
  };
}
