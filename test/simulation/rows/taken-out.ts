/** Set up for every file: the row that the environment names is not in its table. */
import { env } from "node:process";
import { WITHOUT_ROW } from "./rows.ts";

const named = env[WITHOUT_ROW];
if (named !== undefined) {
  const { PROTOCOLS } = await import("./protocols.ts");
  const { withoutRow } = await import("./rows.ts");
  const [name = "", ...row] = named.split(" ");
  const protocol = PROTOCOLS[name];
  if (!protocol) throw new Error(`there is no protocol ${name}`);
  withoutRow(protocol, row.join(" "));
}
