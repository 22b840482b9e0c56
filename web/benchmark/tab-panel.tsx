/** The panel of the node part that runs a round against the chain in this browser. */
import { useState } from "preact/hooks";
import type { RoundResult } from "../../runtimes/shared/benchmark/round-result.ts";
import { DEFAULT_LOOK } from "../../runtimes/shared/benchmark/report-page.ts";
import { tabSource } from "../data/tab-source.ts";
import { numberText } from "../format.ts";
import { Button } from "../parts/button.tsx";
import { ChoiceField } from "../parts/fields.tsx";
import { attempt } from "../parts/toast.tsx";
import { addTexts, text } from "../texts.ts";
import { RoundResults, StatusBadge } from "./round-section.tsx";
import { runTabRound, type TabKind, type TabProgress } from "./tab-round.ts";
import "./texts.ts";

addTexts({
  "bench.tab": ["Benchmark", "压测"],
  "bench.tab.intro": [
    "Sends to the precompiled contract of balances at 0x5002 and shows what became of it. " +
      "Page and nodes share this machine: figures are of both.",
    "向 0x5002 预编译余额合约发送请求并显示结果。页面与节点共用本机，数据反映两者。",
  ],
  "bench.tab.kind": ["What is sent", "发送内容"],
  "bench.tab.transactions": ["transactions", "交易"],
  "bench.tab.calls": ["calls", "调用"],
  "bench.tab.rate": ["Each second", "每秒"],
  "bench.tab.unlimited": ["as many as go", "不限速"],
  "bench.tab.run": ["Run {count}", "运行 {count} 笔"],
  "bench.tab.progress": [
    "{finished} of {count} are answered, {submitted} were sent",
    "已回应 {finished}/{count}，已发送 {submitted}",
  ],
});

/** Source: benchmark 11 */
const COUNT = 1_000;
const RATES = [50, 100, 200, 500, 0];

/** Chooses, runs, shows. */
export function TabBenchmark() {
  const [kind, setKind] = useState<TabKind>("calls");
  const [tps, setTps] = useState(200);
  const [progress, setProgress] = useState<TabProgress>();
  const [result, setResult] = useState<RoundResult>();
  const run = async () => {
    setResult(undefined);
    setProgress({ submitted: 0, finished: 0 });
    const source = await tabSource();
    try {
      setResult(await runTabRound(source, { kind, count: COUNT, tps }, setProgress));
    } finally {
      await source.close();
    }
  };
  const start = (event: Event) => {
    event.preventDefault();
    void attempt(run).finally(() => setProgress(undefined));
  };
  return (
    <section class="panel benchmark">
      <h2>{text("bench.tab")}</h2>
      <p class="soft">{text("bench.tab.intro")}</p>
      <form class="node-form" onSubmit={start}>
        <ChoiceField
          title="bench.tab.kind"
          value={kind}
          onValue={(value) => setKind(value === "calls" ? "calls" : "transactions")}
          options={[
            ["calls", text("bench.tab.calls")],
            ["transactions", text("bench.tab.transactions")],
          ]}
        />
        <ChoiceField
          title="bench.tab.rate"
          value={String(tps)}
          onValue={(value) => setTps(Number(value))}
          options={RATES.map((rate) => [
            String(rate),
            rate === 0 ? text("bench.tab.unlimited") : rate,
          ])}
        />
        <Button
          says="bench.tab.run"
          values={{ count: numberText(COUNT) }}
          tone="primary"
          isOff={progress !== undefined}
        />
      </form>
      <p role="status">
        {progress && text("bench.tab.progress", { ...progress, count: COUNT })}
        {result && <StatusBadge status={result.status} />}
      </p>
      {result && <RoundResults round={result} precision={DEFAULT_LOOK.precision} />}
    </section>
  );
}
