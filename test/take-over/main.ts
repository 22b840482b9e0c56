/** `npm run take-over`: shows what a library has that this repository lacks. */
import { LibraryFault, takeOver } from "./take-over.ts";

try {
  for (const line of takeOver(process.argv.slice(2), process.cwd())) console.log(line);
} catch (error) {
  if (!(error instanceof LibraryFault)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
