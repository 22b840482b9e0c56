/** The contracts that are known on the chain, and those that every chain has. */
import { useEffect, useState } from "preact/hooks";
import { contractRegistry, type KnownContract } from "../../data/contracts.ts";
import { PRECOMPILED } from "../../data/precompiled.ts";
import { Button } from "../../parts/button.tsx";
import { Ask } from "../../parts/ask.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { TextField } from "../../parts/fields.tsx";
import { HashText } from "../../parts/hash-text.tsx";
import { attempt } from "../../parts/toast.tsx";
import { addressOf } from "../../address.ts";
import { text } from "../../texts.ts";
import { AttachForm } from "./attach-form.tsx";
import type { ActingPlace, Outcome } from "./chain-client.ts";
import { ContractBody } from "./contract-card.tsx";
import { registerName } from "./name-service.ts";
import { OutcomeBox } from "./outcome.tsx";
import { signerFor, useContracts, useObstacle, useTask } from "./use-place.ts";

interface CardProps {
  readonly place: ActingPlace;
  readonly contract: KnownContract;
}

function RegisterDialog({ place, contract, onClose }: CardProps & { onClose: () => void }) {
  const [name, setName] = useState(contract.name.split(":")[0] ?? "");
  const [version, setVersion] = useState("1.0");
  const task = useTask<Outcome>();
  const obstacle = useObstacle(place.chain);
  const register = () =>
    task.run(async () => {
      const account = await signerFor(place.chain);
      return await registerName({ ...place, account }, contract, { name, version });
    });
  const isReady = name.trim() !== "" && version.trim() !== "" && obstacle === undefined;
  return (
    <Dialog
      title={text("workbench.register")}
      onClose={onClose}
      actions={
        <Button
          says={task.isBusy ? "workbench.working" : "workbench.register"}
          tone="primary"
          isOff={!isReady || task.isBusy}
          onClick={register}
        />
      }
    >
      <p class="soft">{text("workbench.register.hint")}</p>
      <TextField title="workbench.register.name" class="field" value={name} onValue={setName} />
      <TextField
        title="workbench.register.version"
        class="field"
        value={version}
        onValue={setVersion}
      />
      {obstacle && <p class="soft">{text(obstacle)}</p>}
      {task.trouble && <p class="problem">{task.trouble}</p>}
      {task.result && (
        <OutcomeBox outcome={task.result} failedTitle={text("workbench.outcome.sendFailed")} />
      )}
    </Dialog>
  );
}

function CardHead({ place, contract }: CardProps) {
  const [isRegistering, setRegistering] = useState(false);
  const [isForgetting, setForgetting] = useState(false);
  const { address, label, chain } = contract;
  const href = addressOf("explorer", [String(place.chain.groupId), "address", address]);
  return (
    <div class="card-head">
      <input
        class="label"
        aria-label={text("workbench.label")}
        value={label}
        onChange={({ currentTarget: { value } }) =>
          void attempt(() => contractRegistry().keep({ ...contract, label: value }), String)
        }
      />
      <HashText value={address} href={href} what={text("workbench.address")} />
      <span class="actions">
        <Button says="workbench.register" onClick={() => setRegistering(true)} />
        <Button says="workbench.forget" onClick={() => setForgetting(true)} />
      </span>
      {isForgetting && (
        <Ask
          title={text("workbench.forget")}
          says="workbench.forget"
          onDo={() => contractRegistry().forget(chain, address)}
          onClose={() => setForgetting(false)}
        >
          <p>{text("workbench.forget.sure", { label })}</p>
        </Ask>
      )}
      {isRegistering && (
        <RegisterDialog place={place} contract={contract} onClose={() => setRegistering(false)} />
      )}
    </div>
  );
}

interface EntryProps extends CardProps {
  readonly isOpen: boolean;
  readonly isOwn: boolean;
}

function ContractEntry({ place, contract, isOpen, isOwn }: EntryProps) {
  const [open, setOpen] = useState(isOpen);
  useEffect(() => {
    if (isOpen) setOpen(true);
  }, [isOpen]);
  return (
    <details
      class="contract"
      data-contract={contract.address}
      open={open}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>
        <strong>{contract.label}</strong>{" "}
        <code class="soft">{contract.address.replace(/^(0x)0{30,}/, "$1…")}</code>
      </summary>
      {open && isOwn && <CardHead place={place} contract={contract} />}
      {open && <ContractBody place={place} contract={contract} />}
    </details>
  );
}

interface ContractPanelProps {
  readonly place: ActingPlace | undefined;
  /** The contract that is open, since it has just been deployed or attached. */
  readonly latest: string | undefined;
  readonly onAttached: (address: string) => void;
}

/** Contracts to call. */
export function ContractPanel({ place, latest, onAttached }: ContractPanelProps) {
  const known = useContracts(place?.chainKey);
  if (place === undefined) return <p class="soft">{text("workbench.obstacle.chain")}</p>;
  const native = PRECOMPILED.map(({ address, name, abi }) => ({
    chain: place.chainKey,
    address,
    label: name,
    name,
    abi,
    at: 0,
    native: true,
  }));
  return (
    <>
      {known.length === 0 && <p class="soft">{text("workbench.contracts.none")}</p>}
      {known.map((contract) => (
        <ContractEntry
          key={contract.address}
          place={place}
          contract={contract}
          isOpen={contract.address === latest}
          isOwn
        />
      ))}
      <details class="contract">
        <summary>{text("workbench.attach.title")}</summary>
        <AttachForm place={place} onAttached={onAttached} />
      </details>
      <h3>{text("workbench.precompiled")}</h3>
      <p class="soft">{text("workbench.precompiled.hint")}</p>
      {native.map((contract) => (
        <ContractEntry
          key={contract.address}
          place={place}
          contract={contract}
          isOpen={false}
          isOwn={false}
        />
      ))}
    </>
  );
}
