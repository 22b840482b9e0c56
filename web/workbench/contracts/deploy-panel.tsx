/** Deploys what was compiled. */
import { useEffect, useState } from "preact/hooks";
import { UsageFault } from "../../../core/client/client-fault.ts";
import { type AbiList, constructorOf } from "../../../core/client/abi-list.ts";
import { contractRegistry } from "../../data/contracts.ts";
import { useAnswer } from "../../data/use-answer.ts";
import { numberText } from "../../format.ts";
import { ChoiceField } from "../../parts/fields.tsx";
import { Problem } from "../../parts/problem.tsx";
import { toast } from "../../parts/toast.tsx";
import { text } from "../../texts.ts";
import {
  choiceOf,
  type CompileState,
  compileService,
  deployable,
  isStale,
} from "../compiler/compile-service.ts";
import {
  type CompiledContract,
  librariesOf,
  linkedCode,
} from "../../../runtimes/shared/solidity/standard-json.ts";
import { workspace } from "../files/workspace.ts";
import { useObserved } from "../observed.ts";
import { type ActingPlace, deployContract, type Outcome } from "./chain-client.ts";
import { FunctionForm } from "./function-form.tsx";
import { OutcomeBox } from "./outcome.tsx";
import { signerFor, useContracts, useObstacle, useTask } from "./use-place.ts";

const ADDRESS = /^0x[0-9a-f]{40}$/i;

interface LibrariesProps {
  readonly libraries: readonly string[];
  readonly addresses: ReadonlyMap<string, string>;
  readonly onAddress: (library: string, address: string) => void;
}

/** Where the libraries are that the code calls. */
function Libraries({ libraries, addresses, onAddress }: LibrariesProps) {
  if (libraries.length === 0) return null;
  return (
    <fieldset>
      <legend>{text("workbench.libraries")}</legend>
      {libraries.map((library) => (
        <label key={library} class="field">
          <span>{library}</span>
          <input
            list="workbench-addresses"
            value={addresses.get(library) ?? ""}
            onInput={({ currentTarget }) => onAddress(library, currentTarget.value.trim())}
          />
          <span class="soft">{text("workbench.libraries.hint")}</span>
        </label>
      ))}
    </fieldset>
  );
}

async function deploy(
  place: ActingPlace,
  order: {
    readonly contract: CompiledContract;
    readonly code: string;
    readonly values: readonly unknown[];
  },
): Promise<Outcome> {
  const account = await signerFor(place.chain);
  const { name, abi } = order.contract;
  const { code, values } = order;
  const outcome = await deployContract({ ...place, account }, { name, abi, code, values });
  if (outcome.kind !== "deployed") return outcome;
  try {
    contractRegistry().keep(outcome.contract);
  } catch {
    toast(text("workbench.full", { address: outcome.contract.address }), "bad");
  }
  return outcome;
}

interface OneProps {
  readonly place: ActingPlace | undefined;
  readonly contract: CompiledContract;
  readonly onDeployed: (address: string) => void;
  readonly onUse: (address: string) => void;
}

/** What is compiled now of the same contract. @throws UsageFault when it cannot be deployed so */
async function compiledAnew(
  before: CompiledContract,
  supported: string,
): Promise<CompiledContract> {
  const { file, name, abi } = before;
  const manager = compileService();
  const entry = manager.state.value.result?.entry ?? file;
  const result = await manager.compile({ entry, files: workspace().sources(), supported });
  const found = result?.contracts.find((it) => it.file === file && it.name === name);
  if (found === undefined || found.code === "") {
    throw new UsageFault(text("workbench.deploy.uncompiled"));
  }
  const inputsOf = (list: AbiList) => JSON.stringify(constructorOf(list).inputs);
  const isSame =
    inputsOf(found.abi) === inputsOf(abi) &&
    String(librariesOf(found)) === String(librariesOf(before));
  if (!isSame) throw new UsageFault(text("workbench.deploy.other"));
  return found;
}

function supportedBy(place: ActingPlace | undefined): string {
  return place?.chain.facts.client["Supported Version"] ?? "";
}

/** Whether the result is of the texts and the chain that are there now. */
function useStale(place: ActingPlace | undefined): boolean {
  const state = useObserved(compileService().state);
  useObserved(workspace().state);
  // Without a chain the compiler took the newest code.
  if (place === undefined) return false;
  return isStale(state, { files: workspace().sources(), supported: supportedBy(place) });
}

function DeployOne({ place, contract, onDeployed, onUse }: OneProps) {
  const [addresses, setAddresses] = useState<ReadonlyMap<string, string>>(new Map());
  const task = useTask<Outcome>();
  const known = useContracts(place?.chainKey);
  const obstacle = useObstacle(place?.chain);
  const isOld = useStale(place);
  const libraries = librariesOf(contract);
  // A library that was deployed under its name is most likely the one that is meant.
  const given = new Map(
    libraries.map((library) => [
      library,
      addresses.get(library) ?? known.find(({ name }) => name === library)?.address ?? "",
    ]),
  );
  const lacks = libraries.some((library) => !ADDRESS.test(given.get(library) ?? ""));
  const why = obstacle ?? (lacks ? "workbench.obstacle.library" : undefined);
  const { result } = task;
  useEffect(() => {
    if (result?.kind === "deployed") onDeployed(result.contract.address);
  }, [result]);
  const run = async (acting: ActingPlace, values: readonly unknown[]): Promise<Outcome> => {
    const now = isOld ? await compiledAnew(contract, supportedBy(acting)) : contract;
    return await deploy(acting, { contract: now, code: linkedCode(now, given), values });
  };
  return (
    <>
      {isOld && <p class="warn">{text("workbench.deploy.stale")}</p>}
      <FunctionForm
        key={JSON.stringify(constructorOf(contract.abi).inputs)}
        item={constructorOf(contract.abi)}
        action={text(isOld ? "workbench.deploy.again" : "workbench.deploy")}
        isBusy={task.isBusy}
        obstacle={why && text(why)}
        onRun={(values) => place && task.run(() => run(place, values))}
      >
        <Libraries
          libraries={libraries}
          addresses={given}
          onAddress={(library, address) => setAddresses(new Map(addresses).set(library, address))}
        />
      </FunctionForm>
      <Problem>{task.trouble}</Problem>
      {result && place && (
        <OutcomeBox
          outcome={result}
          failedTitle={text("workbench.outcome.deployFailed")}
          onUse={onUse}
        />
      )}
    </>
  );
}

/** `tx_gas_limit` of the group, with its digits in groups. */
function useGasLimit(place: ActingPlace | undefined): string | undefined {
  const { source, groupId } = place?.chain ?? {};
  const params = [groupId, "tx_gas_limit"];
  const limit = useAnswer(
    async () => await source?.request({ method: "getSystemConfigByKey", params }),
    [source, groupId],
  );
  return limit === undefined ? undefined : numberText(String(limit));
}

interface DeployPanelProps {
  readonly place: ActingPlace | undefined;
  readonly onDeployed: (address: string) => void;
  /** A contract that was deployed is to be used. */
  readonly onUse: (address: string) => void;
}

/** Why there is nothing to deploy. */
function whyNothing({ result, failure }: Pick<CompileState, "result" | "failure">): string {
  if (failure) return "workbench.deploy.failed";
  return result ? "workbench.deploy.nothing" : "workbench.deploy.first";
}

/** The contracts that were compiled, one of them with its form. */
export function DeployPanel({ place, onDeployed, onUse }: DeployPanelProps) {
  const { result, failure } = useObserved(compileService().state);
  const [wanted, setWanted] = useState<string>();
  const limit = useGasLimit(place);
  const list = result ? deployable(result) : [];
  if (result === undefined || list.length === 0) {
    return <p class="soft">{text(whyNothing({ result, failure }))}</p>;
  }
  const contract = list.find((it) => choiceOf(it)[0] === wanted) ?? list[0];
  if (contract === undefined) return null;
  const [chosen] = choiceOf(contract);
  return (
    <>
      <ChoiceField
        title="workbench.contract"
        class="field"
        value={chosen}
        onValue={setWanted}
        options={list.map(choiceOf)}
      />
      <p class="soft">{text("workbench.gas.hint", { limit: limit ?? "…" })}</p>
      <DeployOne
        // On another chain: what was done before is not of it.
        key={`${place?.chainKey} ${chosen}`}
        place={place}
        contract={contract}
        onDeployed={onDeployed}
        onUse={onUse}
      />
    </>
  );
}
