/** A round of the report: what was asked, what came of it, what the machine did meanwhile. */
import { monitorTable } from "../../runtimes/shared/benchmark/monitor-table.ts";
import { resultCells, resultTitles } from "../../runtimes/shared/benchmark/result-table.ts";
import type {
  ChainCount,
  LatencySummary,
  RoundResult,
} from "../../runtimes/shared/benchmark/round-result.ts";
import { numberText } from "../format.ts";
import { text } from "../texts.ts";
import { PlainTable } from "./plain-table.tsx";
import { MonitorCharts, RoundCharts } from "./round-charts.tsx";

/** Below this share of the target the rate counts as missed. */
const REACHED_PERCENT = 98;

/** How a round ended, as a badge. */
export function StatusBadge({ status }: Pick<RoundResult, "status">) {
  const tone = { finished: "good", failed: "bad", partial: "warn" }[status];
  return <span class={`badge ${tone}`}>{text(`bench.${status}`)}</span>;
}

/** The target and what became of it; true in `isMissed` when it was not reached. */
function rateFacts({ configuration, rates }: RoundResult) {
  const { targetTps } = configuration;
  if (targetTps === null || targetTps <= 0 || rates.sendTps === null) return undefined;
  const percent = (100 * rates.sendTps) / targetTps;
  const values = {
    target: numberText(targetTps),
    sent: rates.sendTps.toFixed(1),
    percent: percent.toFixed(1),
  };
  return { says: text("bench.target", values), isMissed: percent < REACHED_PERCENT };
}

function chainText({ transactions, firstBlock, lastBlock }: ChainCount): string {
  if (lastBlock < firstBlock) return text("bench.noBlocks");
  const values = { count: numberText(transactions), first: firstBlock, last: lastBlock };
  return text("bench.chain", values);
}

function Statements({ round }: { readonly round: RoundResult }) {
  const { counts, chain, generatorCpuMs: cpu, remarks } = round;
  const rate = rateFacts(round);
  const facts = [
    rate?.says,
    counts.trimmed > 0 && text("bench.trimmed", { count: numberText(counts.trimmed) }),
    chain && chainText(chain),
    cpu !== null &&
      counts.submitted > 0 &&
      text("bench.cpu", { ms: (cpu / counts.submitted).toFixed(2) }),
  ].filter(Boolean);
  const warnings = [
    rate?.isMissed && text("bench.missed"),
    counts.unfinished > 0 && text("bench.unfinished", { count: numberText(counts.unfinished) }),
    ...remarks,
  ].filter(Boolean);
  return (
    <>
      {facts.length > 0 && <p>{facts.join(" ")}</p>}
      {warnings.length > 0 && (
        <ul class="warnings">
          {warnings.map((warning) => (
            <li key={warning}>{warning}</li>
          ))}
        </ul>
      )}
    </>
  );
}

function latencyRow(name: string, summary: LatencySummary): string[] {
  const { minMs, avgMs, p50Ms, p90Ms, p95Ms, p99Ms, maxMs } = summary;
  const figures = [minMs, avgMs, p50Ms, p90Ms, p95Ms, p99Ms, maxMs];
  const cells = figures.map((ms) => (ms === null ? "-" : (ms / 1000).toFixed(3)));
  return [name, String(summary.count), ...cells];
}

function Latencies({ round }: { readonly round: RoundResult }) {
  const { latency, intendedLatency, failedLatency } = round;
  const rows = [
    latencyRow(text("bench.latency.sent"), latency),
    ...(intendedLatency ? [latencyRow(text("bench.latency.intended"), intendedLatency)] : []),
    ...(failedLatency.count > 0 ? [latencyRow(text("bench.latency.failed"), failedLatency)] : []),
  ];
  const titles = ["", text("bench.count"), "min", "avg", "p50", "p90", "p95", "p99", "max"];
  return (
    <>
      <PlainTable caption={text("bench.latencies")} table={{ titles, rows }} />
      {intendedLatency && <p class="soft">{text("bench.omission")}</p>}
    </>
  );
}

function Errors({ errors }: Pick<RoundResult, "errors">) {
  if (errors.length === 0) return null;
  const titles = [text("bench.error"), text("bench.count"), text("bench.example")];
  const rows = errors.map(({ name, count, example }) => [name, String(count), example]);
  return <PlainTable caption={text("bench.errors")} table={{ titles, rows }} />;
}

function Workers({ workers }: Pick<RoundResult, "workers">) {
  const isWorthATable = workers.length > 1 || workers.some(({ lost }) => lost !== null);
  if (!isWorthATable) return null;
  const titles = [
    text("bench.worker"),
    "Id",
    ...["submitted", "succeeded", "failures"].map((name) => text(`bench.${name}`)),
    "CPU (ms)",
    text("bench.offset"),
    text("bench.lost"),
  ];
  const figure = (value: number | null) => (value === null ? "-" : value.toFixed(0));
  const rows = workers.map(({ index, id, counts, cpuMs, clockOffsetMs, lost }) => [
    String(index),
    id,
    ...[counts.submitted, counts.succeeded, counts.failed].map(String),
    figure(cpuMs),
    figure(clockOffsetMs),
    lost ?? "",
  ]);
  return <PlainTable caption={text("bench.workers")} table={{ titles, rows }} />;
}

function Monitors({ round, precision }: RoundProps) {
  if (round.monitors.length === 0) return null;
  return (
    <>
      <h3>{text("bench.resources", { label: round.label })}</h3>
      {round.monitors.map((result, index) => {
        const title = text("bench.monitor", { type: result.type });
        return (
          <section key={index} class="monitor">
            <PlainTable caption={title} table={monitorTable(result, precision)} />
            {result.warnings.length > 0 && (
              <ul class="warnings">
                {result.warnings.map((warning) => (
                  <li key={warning}>{warning}</li>
                ))}
              </ul>
            )}
            <MonitorCharts result={result} />
          </section>
        );
      })}
    </>
  );
}

interface RoundProps {
  readonly round: RoundResult;
  /** Significant digits of monitors' figures. */
  readonly precision: number;
}

/** Results of a round without its heading: also what a page shows of a round of its own. */
export function RoundResults({ round, precision }: RoundProps) {
  const table = { titles: resultTitles(), rows: [resultCells(round)] };
  return (
    <>
      <Statements round={round} />
      <PlainTable caption={text("bench.performance", { label: round.label })} table={table} />
      <RoundCharts round={round} />
      <Latencies round={round} />
      <Errors errors={round.errors} />
      <Workers workers={round.workers} />
      <Monitors round={round} precision={precision} />
    </>
  );
}

/** The id of a round's heading, for links. */
export function roundId({ index }: Pick<RoundResult, "index">): string {
  return `round-${index}`;
}

/** A whole round with heading, description and configuration. */
export function RoundSection({ round, precision }: RoundProps) {
  const { rateControl, workload } = round.configuration;
  return (
    <section class="round" id={roundId(round)} aria-labelledby={`${roundId(round)}-title`}>
      <h2 id={`${roundId(round)}-title`}>
        {text("bench.round", { label: round.label })} <StatusBadge status={round.status} />
      </h2>
      {round.description !== "" && <p>{round.description}</p>}
      <pre>{JSON.stringify({ rateControl, workload }, undefined, 2)}</pre>
      <RoundResults round={round} precision={precision} />
    </section>
  );
}
