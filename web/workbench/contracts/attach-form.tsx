/** Takes up a contract that exists: by address with an ABI, or by its registered name. */
import { useState } from "preact/hooks";
import { readAddress } from "../../../core/bytes/quantity.ts";
import { type AbiList, readAbi } from "../../../core/client/abi-list.ts";
import { contractRegistry, type KnownContract } from "../../data/contracts.ts";
import { failureText } from "../../failure.ts";
import { Button } from "../../parts/button.tsx";
import { ChoiceField, TextField } from "../../parts/fields.tsx";
import { Problem } from "../../parts/problem.tsx";
import { text } from "../../texts.ts";
import { choiceOf, compileService } from "../compiler/compile-service.ts";
import { useObserved } from "../observed.ts";
import { type ActingPlace, hasCode } from "./chain-client.ts";
import { findByName } from "./name-service.ts";
import { useTask } from "./use-place.ts";

/** What cannot be attached: a key of a text. */
class AttachFault extends Error {
  override readonly name = "AttachFault";
}

interface AttachRequest {
  /** An address, `Name` or `Name:version`. */
  readonly what: string;
  /** Of the user, in front of one that was registered. */
  readonly abi: AbiList | undefined;
  readonly label: string;
}

async function resolve(place: ActingPlace, { what, abi }: AttachRequest) {
  if (what.startsWith("0x")) {
    const address = readAddress(what);
    if (address === undefined) throw new AttachFault("workbench.field.address");
    return { address: address as string, abi, name: undefined };
  }
  // Of several versions the one that was registered last.
  const found = (await findByName(place, what)).at(-1);
  if (found === undefined) throw new AttachFault("workbench.attach.noName");
  const name = `${found.name}:${found.version}`;
  return { address: found.address, abi: abi ?? found.abi, name };
}

async function attach(place: ActingPlace, request: AttachRequest): Promise<KnownContract> {
  const { address, abi, name } = await resolve(place, request);
  if (abi === undefined) throw new AttachFault("workbench.attach.noAbi");
  if (!(await hasCode(place.chain, address))) throw new AttachFault("workbench.attach.noCode");
  const label = request.label.trim() || name || text("workbench.attach.label");
  const known = contractRegistry().find(place.chainKey, address);
  const contract: KnownContract = {
    chain: place.chainKey,
    address: address.toLowerCase(),
    label,
    name: name ?? known?.name ?? label,
    abi,
    at: Date.now(),
    creation: known?.creation,
  };
  contractRegistry().keep(contract);
  return contract;
}

function troubleText(trouble: string): string {
  const known = text(trouble);
  return known === trouble ? failureText(trouble) : known;
}

interface AttachFormProps {
  readonly place: ActingPlace;
  readonly onAttached: (address: string) => void;
}

interface AbiChoiceProps {
  readonly compiled: string;
  readonly pasted: string;
  readonly onCompiled: (compiled: string) => void;
  readonly onPasted: (pasted: string) => void;
}

/** The ABI: that of a compiled contract, or a text. */
function AbiChoice({ compiled, pasted, onCompiled, onPasted }: AbiChoiceProps) {
  const contracts = useObserved(compileService().state).result?.contracts ?? [];
  return (
    <>
      <ChoiceField
        title="workbench.attach.compiled"
        class="field"
        value={compiled}
        onValue={onCompiled}
        options={[["", text("workbench.attach.pasted")], ...contracts.map(choiceOf)]}
      />
      {compiled === "" && (
        <TextField
          title="workbench.abi"
          hint="workbench.attach.abi.hint"
          class="field"
          rows={3}
          spellcheck={false}
          value={pasted}
          onValue={onPasted}
        />
      )}
    </>
  );
}

/** The ABI that was chosen; undefined when that is left to the name. @throws AttachFault */
function chosenAbi(compiled: string, pasted: string): AbiList | undefined {
  const contracts = compileService().state.value.result?.contracts ?? [];
  const chosen = contracts.find((it) => choiceOf(it)[0] === compiled);
  if (chosen) return chosen.abi;
  if (pasted.trim() === "") return undefined;
  const abi = readAbi(pasted);
  if (abi === undefined) throw new AttachFault("workbench.attach.badAbi");
  return abi;
}

/** The form. */
export function AttachForm({ place, onAttached }: AttachFormProps) {
  const [what, setWhat] = useState("");
  const [label, setLabel] = useState("");
  const [pasted, setPasted] = useState("");
  const [compiled, setCompiled] = useState("");
  const task = useTask<KnownContract>();
  const submit = (event: Event) => {
    event.preventDefault();
    task.run(async () => {
      const abi = chosenAbi(compiled, pasted);
      const contract = await attach(place, { what: what.trim(), abi, label });
      onAttached(contract.address);
      return contract;
    });
  };
  return (
    <form class="call" onSubmit={submit} noValidate>
      <TextField
        title="workbench.attach.what"
        hint="workbench.attach.what.hint"
        class="field"
        spellcheck={false}
        value={what}
        onValue={setWhat}
      />
      <AbiChoice
        compiled={compiled}
        pasted={pasted}
        onCompiled={setCompiled}
        onPasted={setPasted}
      />
      <TextField title="workbench.label" class="field" value={label} onValue={setLabel} />
      <div class="actions">
        <Button
          says={task.isBusy ? "workbench.working" : "workbench.attach"}
          tone="primary"
          isOff={task.isBusy || what.trim() === ""}
        />
      </div>
      <Problem>{task.trouble && troubleText(task.trouble)}</Problem>
    </form>
  );
}
