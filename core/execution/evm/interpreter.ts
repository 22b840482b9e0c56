/** Makes interpreters: a driver over an explicit stack of frames. Source: execution 4, 5 */
import { AddressCache } from "./address-cache.ts";
import { createProgramCache, type ProgramCache } from "./analysis.ts";
import { run, WAITING } from "./dispatch.ts";
import { closeFrame, type Frame, type Machine, openFrame, resumeFrame } from "./frame.ts";
import type { Entry, Evm, FrameResult, Message, TransactionContext } from "./message.ts";

/**
 * An interpreter with its pool of frames and its cache of analysed code.
 *
 * @param options `cacheBytes` bounds the cache, by default as analysis.ts says
 */
export function createEvm(
  options: Pick<Machine, "schedule" | "hash"> & { readonly cacheBytes?: number },
): Evm {
  const machine: Machine = { ...options, addresses: new AddressCache() };
  const programs = createProgramCache(options.schedule, options.cacheBytes);
  const frames: Frame[] = [];
  return {
    execute(context, message) {
      const entry = context.host.enter(message);
      if (entry.result !== undefined) return entry.result;
      frames[0] = openEntry(frames[0], context, entry, programs);
      return runFrames(machine, frames, programs);
    },
  };
}

/** Opens the frame that an entry asks for. */
function openEntry(
  pooled: Frame | undefined,
  context: TransactionContext,
  entry: Entry,
  programs: ProgramCache,
): Frame {
  const { message, codeHash } = entry;
  const program =
    codeHash === undefined
      ? programs.analyse(message.input)
      : programs.get(codeHash, () => context.host.code(message.codeAddress));
  return openFrame(pooled, context, message, program);
}

/** Runs the frame at place 0 and all that it calls; the JavaScript stack stays flat. */
function runFrames(machine: Machine, frames: Frame[], programs: ProgramCache): FrameResult {
  let depth = 0;
  for (;;) {
    const frame = frames[depth] as Frame;
    const { context } = frame;
    const status = run(machine, frame);
    if (status === WAITING) {
      const entry = context.host.enter(frame.pending as Message);
      if (entry.result !== undefined) resumeFrame(frame, entry.result);
      else {
        depth++;
        frames[depth] = openEntry(frames[depth], context, entry, programs);
      }
      continue;
    }
    const result = context.host.leave(frame.message, closeFrame(frame, status, machine.schedule));
    if (depth === 0) return result;
    depth--;
    resumeFrame(frames[depth] as Frame, result);
  }
}
