/**
 * May the origin write through the calling contract? The list of the caller's own account table
 * decides.
 * Source: execution 8
 */
import { type PrecompiledCall, PrecompiledFault } from "./contract.ts";

/**
 * Refuses an origin that the calling contract's list leaves out; from 2.3.0 on.
 *
 * @throws PrecompiledFault with a text that receipts show
 */
export function requireContractPermission(call: PrecompiledCall): void {
  const { overlay, accounts } = call.scope;
  if (!overlay.since(2, 3, 0)) return;
  const table = accounts.get(call.sender)?.table;
  if (table === undefined || overlay.permits(table, call.origin)) return;
  const [origin, contract] = [call.origin.slice(2), call.sender.slice(2)];
  throw new PrecompiledFault(
    "contract",
    `Permission denied. ${origin} can't call contract ${contract}`,
  );
}
