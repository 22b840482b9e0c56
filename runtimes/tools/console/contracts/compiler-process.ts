/**
 * An entry of the build: one Solidity compiler in a process of its own, so that the console goes on
 * and can end it. Takes the path of soljson.js, and one message with the input; answers with one.
 */
import { createRequire } from "node:module";
import {
  compileCallOf,
  type CompilerModule,
  started,
} from "../../../shared/solidity/compiler-module.ts";

/** What the process answers. */
export type CompilerAnswer =
  | { readonly output: string }
  /** The compiler itself failed. */
  | { readonly reason: string };

async function compile(file: string, input: string): Promise<CompilerAnswer> {
  try {
    const module = createRequire(import.meta.url)(file) as CompilerModule;
    return { output: compileCallOf(await started(module))(input) };
  } catch (cause) {
    return { reason: String(cause) };
  }
}

const [, , file = ""] = process.argv;
process.once("message", async ({ input }: { readonly input: string }) => {
  // Old compilers leave handlers behind that keep the process: it ends when the answer is out.
  process.send?.(await compile(file, input), () => process.exit(0));
});
// The console has gone: no caller waits for the answer.
process.once("disconnect", () => process.exit(1));
