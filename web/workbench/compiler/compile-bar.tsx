/** The compiler's controls, how far it is, and what it said. */
import { useEffect, useState } from "preact/hooks";
import { Button } from "../../parts/button.tsx";
import { text } from "../../texts.ts";
import { useObserved } from "../observed.ts";
import {
  AUTOMATIC,
  compileService,
  type CompileFailure,
  type CompileRun,
  type CompileState,
  type Compiled,
} from "./compile-service.ts";
import type { Diagnostic } from "../../../runtimes/shared/solidity/standard-json.ts";

const MEBIBYTE = 1_048_576;
const TICK_MS = 500;

function useSeconds(began: number): number {
  const [now, setNow] = useState(performance.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return Math.max(0, Math.round((now - began) / 1_000));
}

function Running({ run, onCancel }: { readonly run: CompileRun; readonly onCancel: () => void }) {
  const seconds = useSeconds(run.began);
  const { progress, version } = run;
  const isFetching = progress.phase === "fetching";
  const received = isFetching ? (progress.received / MEBIBYTE).toFixed(1) : "";
  const total = isFetching ? (progress.total / MEBIBYTE).toFixed(1) : "";
  return (
    <div class="running">
      <progress
        aria-label={text("workbench.compile.progress")}
        {...(isFetching ? { value: progress.received, max: progress.total } : {})}
      />
      <span role="status">
        {text(`workbench.compile.${progress.phase}`, { version, received, total })}
      </span>
      <span class="soft numeric">{text("workbench.seconds", { seconds })}</span>
      <Button says="workbench.cancel" onClick={onCancel} />
    </div>
  );
}

interface FailureProps {
  readonly failure: CompileFailure;
  /** Those that there are. */
  readonly compilers: CompileState["compilers"];
}

/** Why nothing was compiled, and what to do about it. */
function Failure({ failure, compilers }: FailureProps) {
  if (failure.kind === "cancelled") {
    return <p class="soft">{text("workbench.compile.cancelled")}</p>;
  }
  const values = {
    versions: (compilers ?? []).map(({ version }) => version).join(", "),
    ...("compiler" in failure ? { version: failure.compiler.version } : {}),
    ...("ranges" in failure ? { ranges: failure.ranges.join(", ") } : {}),
    ...("reason" in failure ? { version: failure.version, reason: failure.reason } : {}),
  };
  return (
    <div class="problem" role="alert">
      <p>{text(`workbench.compile.${failure.kind}`, values)}</p>
      {failure.kind === "notInstalled" && <pre>{failure.compiler.install}</pre>}
    </div>
  );
}

interface ProblemsProps {
  readonly result: Compiled;
  readonly onShow: (diagnostic: Diagnostic) => void;
}

function Problems({ result, onShow }: ProblemsProps) {
  const { diagnostics } = result;
  return (
    <ul class="said" aria-label={text("workbench.problems")}>
      {diagnostics.map((diagnostic, index) => {
        const { severity, message, file, line, column } = diagnostic;
        const [first = "", ...rest] = message.split("\n");
        return (
          <li key={index} class={severity}>
            <button type="button" disabled={line === 0} onClick={() => onShow(diagnostic)}>
              <span class={`badge ${severity === "error" ? "bad" : "warn"}`}>
                {text(`workbench.${severity}`)}
              </span>
              {line > 0 && (
                <code>
                  {file}:{line}:{column}
                </code>
              )}
              <span>{first}</span>
            </button>
            {rest.length > 0 && <pre>{rest.join("\n")}</pre>}
          </li>
        );
      })}
    </ul>
  );
}

function summaryOf({ contracts, diagnostics, ...result }: Compiled): string {
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  const { version, evmVersion } = result;
  const seconds = result.seconds.toFixed(1);
  if (errors > 0) return text("workbench.compile.errors", { count: errors, version });
  const count = contracts.length;
  return text("workbench.compile.done", { count, version, evmVersion, seconds });
}

interface CompileBarProps {
  readonly onCompile: () => void;
  readonly onShow: (diagnostic: Diagnostic) => void;
}

function Controls({ onCompile }: Pick<CompileBarProps, "onCompile">) {
  const service = compileService();
  const { compilers, wanted, optimize, run } = useObserved(service.state);
  return (
    <div class="bar">
      <label>
        <span class="soft">{text("workbench.compiler")}</span>
        <select
          value={wanted}
          onChange={({ currentTarget }) => service.state.change({ wanted: currentTarget.value })}
        >
          <option value={AUTOMATIC}>{text("workbench.compiler.auto")}</option>
          {(compilers ?? []).map(({ version, installed }) => (
            <option key={version} value={version}>
              {installed ? version : text("workbench.compiler.absent", { version })}
            </option>
          ))}
        </select>
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={optimize}
          onChange={({ currentTarget }) =>
            service.state.change({ optimize: currentTarget.checked })
          }
        />
        {text("workbench.optimize")}
      </label>
      <Button
        says="workbench.compile"
        tone="primary"
        isOff={run !== undefined}
        onClick={onCompile}
      />
    </div>
  );
}

/** The bar below the editor. */
export function CompileBar({ onCompile, onShow }: CompileBarProps) {
  const service = compileService();
  const { compilers, run, result, failure } = useObserved(service.state);
  useEffect(() => {
    void service.load();
  }, [service]);
  const shown = run || failure ? undefined : result;
  const hasErrors = result?.diagnostics.some(({ severity }) => severity === "error") === true;
  return (
    <section class="compile" aria-label={text("workbench.compiler")}>
      <Controls onCompile={onCompile} />
      <div class="outcome" aria-live="polite">
        {run && <Running run={run} onCancel={() => service.cancel()} />}
        {!run && failure && <Failure failure={failure} compilers={compilers} />}
        {!run && !failure && compilers?.length === 0 && (
          <Failure failure={{ kind: "noCompilers" }} compilers={compilers} />
        )}
        {shown && <p class={hasErrors ? "bad" : "good"}>{summaryOf(shown)}</p>}
        {shown?.isUnoptimized && (
          <p class="soft">{text("workbench.compile.unoptimized", { version: shown.version })}</p>
        )}
      </div>
      {shown && shown.diagnostics.length > 0 && <Problems result={shown} onShow={onShow} />}
    </section>
  );
}
