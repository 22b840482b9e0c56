/** What the page and the place where a compiler runs tell each other. */

/** The first message: the compiler that is to run there. */
interface LoadRequest {
  readonly type: "load";
  /** The text of `soljson.js`. */
  readonly script: Blob;
}

/** Sources to compile. */
export interface CompileRequest {
  readonly type: "compile";
  readonly id: number;
  /** Standard JSON, as text. */
  readonly input: string;
}

/** What the place is told. */
export type CompilerRequest = LoadRequest | CompileRequest;

/** What the place tells. */
export type CompilerReport =
  /** The place can be told what to load. */
  | { readonly type: "open" }
  /** The compiler runs, with its full version text. */
  | { readonly type: "ready"; readonly version: string }
  /** The compiler could not be started; `isDeep` when the stack of the place is too small. */
  | { readonly type: "unloadable"; readonly reason: string; readonly isDeep: boolean }
  /** Standard JSON of the result, as text. */
  | { readonly type: "compiled"; readonly id: number; readonly output: string }
  /** The compiler itself failed; `isDeep` when the stack was too small for it. */
  | {
      readonly type: "crashed";
      readonly id: number;
      readonly reason: string;
      readonly isDeep: boolean;
    };
