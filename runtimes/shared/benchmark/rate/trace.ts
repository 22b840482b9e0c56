/** Traces of submit times as files hold them. Source: benchmark 6 */
import { BenchmarkFault } from "../benchmark-fault.ts";
import type { Section } from "../section.ts";
import {
  nothingToEnd,
  type OpenRate,
  type RateTerms,
  type ReadRate,
  type RoundShare,
  sleepUntil,
} from "./rate-controller.ts";
import { SHORTEST_SLEEP_MS } from "./linear-rate.ts";

/** Forms of a trace: a line for each time, or a count and times of 32 bits. */
const TRACE_FORMATS = ["TEXT", "BIN_BE", "BIN_LE"] as const;

/** One of {@link TRACE_FORMATS}. */
export type TraceFormat = (typeof TRACE_FORMATS)[number];

const WORD_BYTES = 4;
const MOST_WORD = 0xffff_ffff;

/** A format of the options. */
export function readFormat(opts: Section, key: string): TraceFormat {
  return opts.has(key) ? opts.oneOf(key, TRACE_FORMATS) : "TEXT";
}

/** The path of a round's and worker's trace: `<R>` and `<C>` are their numbers. */
export function tracePath(template: string, { roundIndex, workerIndex }: RoundShare): string {
  return template.replaceAll("<R>", `${roundIndex}`).replaceAll("<C>", `${workerIndex}`);
}

/** The bytes of a trace. @param times milliseconds since the round began */
export function encodeTrace(times: readonly number[], format: TraceFormat): Uint8Array {
  const whole = times.map((ms) => Math.min(MOST_WORD, Math.max(0, Math.round(ms))));
  if (format === "TEXT") return new TextEncoder().encode(whole.map((ms) => `${ms}\n`).join(""));
  const bytes = new Uint8Array(WORD_BYTES * (whole.length + 1));
  const view = new DataView(bytes.buffer);
  const isLittle = format === "BIN_LE";
  for (const [index, word] of [whole.length, ...whole].entries())
    view.setUint32(index * WORD_BYTES, word, isLittle);
  return bytes;
}

/** The times of a trace. @throws BenchmarkFault that names file and place */
export function decodeTrace(bytes: Uint8Array, format: TraceFormat, path: string): number[] {
  if (format === "TEXT") return decodeText(new TextDecoder().decode(bytes), path);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isLittle = format === "BIN_LE";
  const count = bytes.length < WORD_BYTES ? -1 : view.getUint32(0, isLittle);
  if (bytes.length !== WORD_BYTES * (count + 1)) {
    const what = `${bytes.length} bytes are no count and that many times`;
    throw new BenchmarkFault("usage", `${path}: ${what}: is the trace of the format ${format}?`);
  }
  return Array.from({ length: count }, (_, i) => view.getUint32((i + 1) * WORD_BYTES, isLittle));
}

function decodeText(text: string, path: string): number[] {
  return text.split(/\r?\n/).flatMap((line, index) => {
    if (line.trim() === "") return [];
    if (/^\s*\d+(\.\d+)?\s*$/.test(line)) return [Number(line)];
    const shown = JSON.stringify(line.slice(0, 40));
    throw new BenchmarkFault(
      "usage",
      `${path}:${index + 1}: ${shown} is no number of milliseconds`,
    );
  });
}

/** Makes the reader from the one of all controllers. */
export function recordWith(readOther: (rate: Section, terms: RateTerms) => OpenRate): ReadRate {
  return (opts, terms) => {
    const template = opts.text("pathTemplate");
    const format = readFormat(opts, "outputFormat");
    const openOther = readOther(opts.section("rateController"), terms);
    return async (context) => {
      const { clock, progress, share, host } = context;
      const other = await openOther(context);
      const times: number[] = [];
      const note = (due: number | undefined): number | undefined => {
        times.push(clock.now() - progress.startMs);
        return due;
      };
      return {
        applyRateControl() {
          const told = other.applyRateControl();
          return told instanceof Promise ? told.then(note) : note(told);
        },
        async end() {
          await other.end();
          await host.writeTrace(tracePath(template, share), encodeTrace(times, format));
        },
      };
    };
  };
}

const DEFAULT_SLEEP_MS = 100;

/** After the trace it goes on with a fixed sleep. */
export const replayRate: ReadRate = (opts) => {
  const template = opts.text("pathTemplate");
  const format = readFormat(opts, "inputFormat");
  const afterMs = opts.numberOr("defaultSleepTime", DEFAULT_SLEEP_MS);
  return async (context) => {
    const { clock, progress, share, host, sleep } = context;
    const path = tracePath(template, share);
    const times = decodeTrace(await host.readTrace(path), format, path);
    let next = 0;
    return {
      applyRateControl() {
        const time = times[next++];
        if (time === undefined) return sleep(afterMs).then(() => undefined);
        const due = progress.startMs + time;
        return due - clock.now() > SHORTEST_SLEEP_MS ? sleepUntil(due, context) : due;
      },
      end: nothingToEnd,
    };
  };
};
