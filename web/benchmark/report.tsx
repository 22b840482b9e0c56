/** The report as a page. Source: benchmark 9 */
import { useState } from "preact/hooks";
import type { PageData } from "../../runtimes/shared/benchmark/report-page.ts";
import { resultCells, resultTitles } from "../../runtimes/shared/benchmark/result-table.ts";
import type { BenchmarkReport } from "../../runtimes/shared/benchmark/round-result.ts";
import { text } from "../texts.ts";
import { showTheme, THEMES, type Theme } from "../theme.ts";
import { PlainTable } from "./plain-table.tsx";
import { roundId, RoundSection, StatusBadge } from "./round-section.tsx";
import "./texts.ts";

/** Values of free keys: texts as they are, the rest as JSON. */
function valueText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function FactList({ facts }: { readonly facts: readonly (readonly [string, string])[] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function ThemeChoice() {
  const [chosen, setChosen] = useState<Theme>("auto");
  return (
    <label class="theme-choice">
      {text("bench.theme")}{" "}
      <select
        value={chosen}
        onChange={({ currentTarget }) => {
          const wanted = THEMES.find((one) => one === currentTarget.value) ?? "auto";
          setChosen(wanted);
          showTheme(wanted);
        }}
      >
        {THEMES.map((one) => (
          <option key={one} value={one}>
            {text(`bench.theme.${one}`)}
          </option>
        ))}
      </select>
    </label>
  );
}

function secondsText(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

function SideColumn({ report }: { readonly report: BenchmarkReport }) {
  const basic = [
    [text("bench.dlt"), report.blockchain],
    [text("bench.name"), report.name],
    [text("bench.description"), report.description],
    [text("bench.rounds"), String(report.rounds.length)],
    [text("bench.started"), new Date(report.startedAtMs).toLocaleString()],
    [text("bench.length"), secondsText(report.durationMs)],
  ] as const;
  const info = Object.entries(report.info).map(([key, value]) => [key, valueText(value)] as const);
  return (
    <nav class="side" aria-label={text("bench.title")}>
      <p class="brand">chain-node</p>
      <h2>{text("bench.basic")}</h2>
      <FactList facts={basic} />
      <a href="#environment">{text("bench.details")}</a>
      <h2>{text("bench.results")}</h2>
      <ul>
        <li>
          <a href="#summary">{text("bench.summary")}</a>
        </li>
        {report.rounds.map((round) => (
          <li key={round.index}>
            <a href={`#${roundId(round)}`}>{round.label}</a> <StatusBadge status={round.status} />
          </li>
        ))}
      </ul>
      <h2>{text("bench.sut")}</h2>
      <FactList facts={info} />
      <a href="#sut">{text("bench.details")}</a>
      <ThemeChoice />
    </nav>
  );
}

function Assertions({ assertions }: Pick<BenchmarkReport, "assertions">) {
  if (assertions.length === 0) return null;
  const titles = ["assertion", "verdict", "figure", "reason"].map((key) => text(`bench.${key}`));
  const rows = assertions.map(({ text: claim, holds, actual, reason }) => [
    claim,
    text(holds ? "bench.holds" : "bench.fails"),
    actual === null ? "-" : String(Number(actual.toPrecision(6))),
    reason,
  ]);
  return <PlainTable caption={text("bench.assertions")} table={{ titles, rows }} />;
}

function Summary({ report }: { readonly report: BenchmarkReport }) {
  const { rounds, remarks, assertions } = report;
  return (
    <section id="summary">
      <h2>{text("bench.summaryTable")}</h2>
      {rounds.length === 0 ? (
        <p>{text("bench.noRounds")}</p>
      ) : (
        <PlainTable
          caption={text("bench.allRounds")}
          table={{ titles: resultTitles(), rows: rounds.map(resultCells) }}
        />
      )}
      {remarks.length > 0 && (
        <ul class="warnings" aria-label={text("bench.remarks")}>
          {remarks.map((remark) => (
            <li key={remark}>{remark}</li>
          ))}
        </ul>
      )}
      <Assertions assertions={assertions} />
    </section>
  );
}

/** Keys of the machine with what is known of them. */
function machineFacts({ environment, workers }: BenchmarkReport): (readonly [string, string])[] {
  const { node, chain, memoryBytes, ...rest } = environment;
  const memory = memoryBytes === null ? "-" : `${(memoryBytes / 2 ** 30).toFixed(1)} GB`;
  return [
    ["workers", `${workers.number} (${workers.type})`],
    ...Object.entries(rest).map(([key, value]) => [key, String(value ?? "-")] as const),
    ["memory", memory],
    ...Object.entries(node).map(([key, value]) => [`node: ${key}`, value] as const),
    ...Object.entries(chain).map(([key, value]) => [`chain: ${key}`, value] as const),
  ];
}

function Environment({ report }: { readonly report: BenchmarkReport }) {
  return (
    <section id="environment">
      <h2>{text("bench.environment")}</h2>
      <h3>{text("bench.configuration")}</h3>
      <pre>{JSON.stringify(report.configuration.benchmark, undefined, 2)}</pre>
      <h3>{text("bench.machine")}</h3>
      <FactList facts={machineFacts(report)} />
      <h3 id="sut">{text("bench.sut")}</h3>
      <pre>{JSON.stringify(report.info, undefined, 2)}</pre>
      <h3>{text("bench.network")}</h3>
      <pre>{JSON.stringify(report.configuration.network, undefined, 2)}</pre>
    </section>
  );
}

/** The whole page. */
export function Report({ report, look }: PageData) {
  return (
    <div class="report">
      <SideColumn report={report} />
      <main>
        <h1>
          {text("bench.title")}: {report.name}
        </h1>
        {report.description !== "" && <p>{report.description}</p>}
        <Summary report={report} />
        {report.rounds.map((round) => (
          <RoundSection key={round.index} round={round} precision={look.precision} />
        ))}
        <Environment report={report} />
      </main>
    </div>
  );
}
