/**
 * SIGUSR1 opens the engine's inspector, and with it the whole process to everybody who reaches the
 * port. It is not to do so in a node that holds keys: imported first by programs that run long.
 */
import { close, url } from "node:inspector";

const ASKED = /(?:^|\s)--inspect(?:-brk|-wait)?(?:=|\s|$)/;

/** The signal is taken and nothing is done; who wants the inspector says `--inspect`. */
process.on("SIGUSR1", () => undefined);
const flags = [...process.execArgv, process.env["NODE_OPTIONS"] ?? ""].join(" ");
// A signal may have come before this line.
if (url() !== undefined && !ASKED.test(flags)) close();
