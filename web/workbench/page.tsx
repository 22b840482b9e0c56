/** The workbench: sources, compilers, contracts and accounts in one place. */
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { useChain } from "../data/chain.ts";
import { addKeys } from "../help.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { attempt, toast } from "../parts/toast.tsx";
import { text } from "../texts.ts";
import { AccountPanel, useOfferedAccounts } from "./accounts/account-panel.tsx";
import { accountManager } from "./accounts/account-manager.ts";
import { CompileBar } from "./compiler/compile-bar.tsx";
import { compileService } from "./compiler/compile-service.ts";
import type { Diagnostic } from "../../runtimes/shared/solidity/standard-json.ts";
import { ContractPanel } from "./contracts/contract-list.tsx";
import { DeployPanel } from "./contracts/deploy-panel.tsx";
import { useContracts, usePlace } from "./contracts/use-place.ts";
import { AddressList } from "./contracts/value-fields.tsx";
import { Editor } from "./editor/editor.tsx";
import { FileListPanel, fileFaultText } from "./files/file-list.tsx";
import { workspace, wouldBeLost } from "./files/workspace.ts";
import { useObserved } from "./observed.ts";
import "./outcome-texts.ts";
import "./texts.ts";

addKeys("workbench", [
  { keys: "Ctrl S", title: "workbench.key.save" },
  { keys: "Ctrl Enter", title: "workbench.compile" },
  { keys: "Ctrl F", title: "workbench.key.find" },
  { keys: "Esc Tab", title: "workbench.key.leave" },
]);

type Side = "deploy" | "contracts" | "accounts";
const SIDES: readonly Side[] = ["deploy", "contracts", "accounts"];
const NO_DIAGNOSTICS: readonly Diagnostic[] = [];

/** Keeps the current file, and says so. */
function save(): void {
  const files = workspace();
  const file = files.current;
  if (file === undefined) return;
  void attempt(() => {
    files.save(file.name);
    toast(text("workbench.file.saved", { name: file.name }));
  }, fileFaultText);
}

/** The browser asks before the page closes over unsaved work. */
function askBeforeLoss(event: BeforeUnloadEvent): void {
  if (workspace().state.value.files.some(wouldBeLost)) event.preventDefault();
}

/** The save key saves wherever the focus is; other tabs that save are heard. */
function useGuards(onCompile: () => void): void {
  const latest = useRef(onCompile);
  latest.current = onCompile;
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || !(event.ctrlKey || event.metaKey)) return;
      if (event.shiftKey || event.altKey) return;
      if (event.key.toLowerCase() === "s") save();
      else if (event.key === "Enter") latest.current();
      else return;
      event.preventDefault();
    };
    workspace().onConflict = (name, beside) =>
      toast(text("workbench.file.conflict", { name, beside }), "warn");
    addEventListener("keydown", onKey);
    // Texts that are not saved outlive the part, so the question does too.
    addEventListener("beforeunload", askBeforeLoss);
    return () => {
      removeEventListener("keydown", onKey);
    };
  }, []);
}

/** What the compiler said about the file that is shown, as long as it is the same text. */
function useDiagnostics(name: string): readonly Diagnostic[] {
  const { result } = useObserved(compileService().state);
  return useMemo(() => {
    if (result?.sources.get(name) !== workspace().find(name)?.text) return NO_DIAGNOSTICS;
    return result?.diagnostics.filter(({ file }) => file === name) ?? NO_DIAGNOSTICS;
  }, [result, name]);
}

type ShowPlace = (from: number, to: number) => void;

function Sources({ supported }: { readonly supported: string }) {
  const files = workspace();
  const { current } = useObserved(files.state);
  const file = files.current;
  const diagnostics = useDiagnostics(current);
  const show = useRef<ShowPlace>(() => undefined);
  const compile = () => {
    const entry = files.state.value.current;
    if (entry !== "") void compileService().compile({ entry, files: files.sources(), supported });
  };
  useGuards(compile);
  const goTo = ({ file: name, from, to }: Diagnostic) => {
    files.open(name);
    // The editor shows the other text first.
    setTimeout(() => show.current(from, to));
  };
  return (
    <section class="sources" aria-label={text("workbench.sources")}>
      <FileListPanel onSave={save} />
      {file ? (
        <Editor
          name={file.name}
          text={file.text}
          replaced={file.replaced ?? 0}
          diagnostics={diagnostics}
          onEdit={(name, content) => files.edit(name, content)}
          onSave={save}
          onCompile={compile}
          onReady={(ready) => {
            show.current = ready;
          }}
        />
      ) : (
        <p class="soft">{text("workbench.file.none")}</p>
      )}
      {file && <p class="soft editor-leave">{text("workbench.editor.leave")}</p>}
      <CompileBar onCompile={compile} onShow={goTo} />
    </section>
  );
}

/** Where a contract's card can be opened and closed. */
const summaryOf = (address: string) => `[data-contract="${address}"] > summary`;

function Actions() {
  const chain = useChain();
  const place = usePlace();
  const [side, setSide] = useState<Side>("deploy");
  const [latest, setLatest] = useState<string>();
  useOfferedAccounts(chain);
  const { accounts, chosen } = useObserved(accountManager().state);
  const contracts = useContracts(place?.chainKey);
  const known = new Map([
    ...accounts.map(({ address, label }) => [address, label] as const),
    ...contracts.map(({ address, label }) => [address, label] as const),
  ]);
  const use = (address: string) => {
    setLatest(address);
    setSide("contracts");
    // The other side is shown first.
    setTimeout(() => document.querySelector<HTMLElement>(summaryOf(address))?.focus());
  };
  const signer = accounts.find(({ address }) => address === chosen);
  const tabs = SIDES.map((name) => ({ name, title: text(`workbench.${name}`) }));
  return (
    <section class="acting" aria-label={text("workbench.acting")}>
      <AddressList known={known} />
      <p class="soft signer">
        {signer
          ? text("workbench.signer", { label: signer.label, address: signer.address.slice(0, 10) })
          : text("workbench.signer.none")}
      </p>
      <Tabs
        label={text("workbench.acting")}
        tabs={tabs}
        chosen={side}
        onChoose={(name) => setSide(name as Side)}
      >
        <div hidden={side !== "deploy"}>
          <DeployPanel place={place} onDeployed={setLatest} onUse={use} />
        </div>
        <div hidden={side !== "contracts"}>
          <ContractPanel
            key={place?.chainKey}
            place={place}
            latest={latest}
            onAttached={setLatest}
          />
        </div>
        {side === "accounts" && <AccountPanel chain={chain} />}
      </Tabs>
    </section>
  );
}

/** The part. */
export function Page() {
  const chain = useChain();
  return (
    <>
      <h1>{text("nav.workbench")}</h1>
      <div class="workbench">
        <Sources supported={chain?.facts.client["Supported Version"] ?? ""} />
        <Actions />
      </div>
    </>
  );
}
