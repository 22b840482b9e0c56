/** The form with which this browser joins a network. */
import { useEffect, useState } from "preact/hooks";
import type { JoinFinding, JoinKey, JoinStartRequest } from "../../runtimes/browser/link/api.ts";
import { pageFacts } from "../data/open-source.ts";
import { saveText } from "../data/save-file.ts";
import { useAnswer } from "../data/use-answer.ts";
import { Button } from "../parts/button.tsx";
import { PassphraseField, TextField } from "../parts/fields.tsx";
import { FileField } from "../parts/file-field.tsx";
import { HashText } from "../parts/hash-text.tsx";
import { Problem } from "../parts/problem.tsx";
import { text } from "../texts.ts";
import {
  groupOf,
  type HandedFile,
  EMPTY_BUNDLE,
  type JoinBundle,
  sortFiles,
} from "./join-bundle.ts";
import { joinServingChain, readServedChain } from "./join-serving.ts";
import "./join-texts.ts";
import { SuiteField } from "./start-form.tsx";
import type { NodeWork } from "./work.ts";

interface JoinPanelProps extends Omit<NodeWork, "status"> {
  /** Whether lost data shall not be waited for. */
  readonly isNew: boolean;
  /** Whether a key is kept already. */
  readonly hasKey: boolean;
  /** The algorithms of the key that is kept. */
  readonly sm: boolean;
}

/** What is typed. */
interface Fields {
  readonly peers: string;
  readonly chainId: string;
  readonly version: string;
  readonly hash: string;
  readonly passphrase: string;
  readonly sm: boolean;
}

const NO_FIELDS: Fields = {
  peers: "",
  chainId: "1",
  version: "",
  hash: "",
  passphrase: "",
  sm: false,
};

function requestOf(bundle: JoinBundle, fields: Fields): JoinStartRequest {
  const { certificate, authority, groups } = bundle;
  const { peers, chainId, version, hash, passphrase, sm } = fields;
  const groupId = Number(groupOf(groups[0] ?? ""));
  return {
    kind: "join",
    chainId: Number(chainId),
    sm,
    certificate,
    authority,
    groups,
    peers: peers.split(/\s+/).filter((line) => line !== ""),
    ...(version === "" ? {} : { supportedVersion: version }),
    ...(hash.trim() === "" ? {} : { genesisHashes: { [groupId]: hash.trim() } }),
    ...(passphrase === "" ? {} : { passphrase }),
  };
}

async function readFiles(files: Iterable<File>): Promise<readonly HandedFile[]> {
  const read = async (file: File) => ({ name: file.name, text: await file.text() });
  return await Promise.all([...files].map(read));
}

const COMMAND =
  "chain-node cert issue --ca mychain --agency agency --public-key tab.pub --name tab --out tab";

function KeyStep({ made }: { readonly made: JoinKey }) {
  return (
    <div class="join-step">
      <p>
        {text("join.key.id")}: <HashText value={made.nodeId} what={text("join.key.id")} />
      </p>
      <p>{text("join.key.next")}</p>
      <pre class="join-command">{COMMAND}</pre>
      <Button
        says="join.key.save"
        onClick={() => saveText("tab.pub", made.publicKey, "application/x-pem-file")}
      />
    </div>
  );
}

interface BundleProps {
  readonly bundle: JoinBundle;
  /** Names of files that are none. */
  readonly unknown: readonly string[];
  readonly onFiles: (files: Iterable<File>) => void;
}

function BundleStep({ bundle, unknown, onFiles }: BundleProps) {
  const { certificate, authority, groups } = bundle;
  const found = [
    ...(certificate === "" ? [] : [text("join.paper.certificate")]),
    ...(authority === "" ? [] : [text("join.paper.authority")]),
    ...groups.map((group) => text("join.paper.genesis", { group: groupOf(group) })),
  ];
  const drop = (event: DragEvent) => {
    event.preventDefault();
    onFiles(event.dataTransfer?.files ?? []);
  };
  return (
    <section
      class="join-drop"
      aria-label={text("join.papers")}
      onDragOver={(event) => event.preventDefault()}
      onDrop={drop}
    >
      <FileField isMany isKept={false} onFiles={onFiles}>
        {text("join.papers.drop")}
      </FileField>
      <ul>
        {found.map((what) => (
          <li key={what}>✓ {what}</li>
        ))}
        {unknown.map((name) => (
          <li key={name} class="problem">
            {text("join.paper.unknown", { name })}
          </li>
        ))}
      </ul>
    </section>
  );
}

interface FieldsProps {
  readonly fields: Fields;
  readonly onChange: (changes: Partial<Fields>) => void;
}

function NetworkStep({ fields, onChange }: FieldsProps) {
  const { peers, chainId, version, hash } = fields;
  return (
    <>
      <TextField
        title="join.peers"
        class="join-wide"
        rows={3}
        spellcheck={false}
        value={peers}
        onValue={(value) => onChange({ peers: value })}
      />
      <TextField
        title="join.chainId"
        inputMode="numeric"
        value={chainId}
        onValue={(value) => onChange({ chainId: value })}
      />
      <TextField
        title="join.version"
        placeholder={text("join.version.newest")}
        value={version}
        onValue={(value) => onChange({ version: value })}
      />
      <TextField
        title="join.hash"
        class="join-wide"
        spellcheck={false}
        value={hash}
        onValue={(value) => onChange({ hash: value })}
      />
    </>
  );
}

function DevStep({ node, isBusy, onWork }: JoinPanelProps) {
  if (!useAnswer(pageFacts, [])?.dev) return null;
  return (
    <div class="join-step">
      <p>{text("join.dev.words")}</p>
      <Button
        says="join.dev"
        tone="primary"
        isOff={isBusy}
        onClick={() => onWork(() => joinServingChain(node, ""))}
      />
    </div>
  );
}

interface NewKeyProps extends FieldsProps {
  readonly onMake: () => void;
  /** A key of before is brought along. */
  readonly onFiles: (files: Iterable<File>) => void;
}

/** Suite and passphrase of a key that is still to be made. */
function NewKey({ fields, onChange, onMake, onFiles }: NewKeyProps) {
  return (
    <div class="node-form">
      <SuiteField sm={fields.sm} onSm={(sm) => onChange({ sm })} />
      <PassphraseField
        title="join.passphrase"
        value={fields.passphrase}
        isNew
        isOptional
        placeholder={text("node.passphrase.none")}
        onValue={(passphrase) => onChange({ passphrase })}
      />
      <Button says="join.key.make" onClick={onMake} />
      <FileField accept=".pem,.key,.txt" isKept={false} onFiles={onFiles}>
        {text("join.key.import")}
      </FileField>
    </div>
  );
}

/** State of the form, and what its buttons do. */
function useJoinForm({ node, isNew, hasKey, sm, onWork }: JoinPanelProps) {
  const [bundle, setBundle] = useState(EMPTY_BUNDLE);
  const [fields, setFields] = useState<Fields>({ ...NO_FIELDS, sm });
  const [unknown, setUnknown] = useState<readonly string[]>([]);
  const [made, setMade] = useState<JoinKey>();
  const [finding, setFinding] = useState<JoinFinding>();
  const change = (changes: Partial<Fields>) => setFields((known) => ({ ...known, ...changes }));
  const makeKey = (privateKey?: string) =>
    onWork(async () => {
      const { sm: national, passphrase } = fields;
      const secret = passphrase === "" ? {} : { passphrase };
      const given = privateKey === undefined ? {} : { privateKey };
      setMade(await node.worker.joinKey({ sm: national, isNew, ...secret, ...given }));
    });
  const takeFiles = async (files: Iterable<File>) => {
    const { bundle: known, unknown: others } = sortFiles(bundle, await readFiles(files));
    setUnknown(others);
    setBundle({ ...known, privateKey: undefined });
    if (known.privateKey !== undefined) makeKey(known.privateKey);
  };
  const takeServed = () =>
    onWork(async () => {
      const {
        groups,
        chainId,
        supportedVersion = "",
        sm: national = false,
      } = await readServedChain(node, 1);
      setBundle((known) => ({ ...known, groups }));
      const suite = made ? {} : { sm: national };
      change({ chainId: String(chainId), version: supportedVersion, ...suite });
    });
  const join = (event: Event) => {
    event.preventDefault();
    onWork(async () => {
      const request = { ...requestOf(bundle, fields), isNew };
      const found = await node.worker.checkJoin(request);
      setFinding(found);
      if (!found) await node.start(request);
    });
  };
  useEffect(() => {
    if (hasKey) makeKey();
  }, [hasKey]);
  return { bundle, unknown, fields, made, finding, change, makeKey, takeFiles, takeServed, join };
}

/** The form: a key, join bundle, addresses. */
export function JoinPanel(props: JoinPanelProps) {
  const form = useJoinForm(props);
  const { bundle, fields, made, finding, change } = form;
  const isServed = useAnswer(pageFacts, [])?.node === true;
  return (
    <section class="panel" aria-labelledby="join-title">
      <h2 id="join-title">{text("join.title")}</h2>
      <p class="soft">{text("join.intro")}</p>
      <DevStep {...props} />
      <form class="join-form" onSubmit={form.join}>
        <h3>{text("join.key")}</h3>
        {made ? (
          <KeyStep made={made} />
        ) : (
          <NewKey
            fields={fields}
            onChange={change}
            onMake={() => form.makeKey()}
            onFiles={(files) => void form.takeFiles(files)}
          />
        )}
        <h3>{text("join.papers")}</h3>
        <BundleStep
          bundle={bundle}
          unknown={form.unknown}
          onFiles={(files) => void form.takeFiles(files)}
        />
        {isServed && (
          <Button says="join.genesis.take" isOff={props.isBusy} onClick={form.takeServed} />
        )}
        <h3>{text("join.network")}</h3>
        <NetworkStep fields={fields} onChange={change} />
        <Problem>
          {finding && text(`join.problem.${finding.problem}`, { detail: finding.detail })}
        </Problem>
        <div class="actions">
          <Button says="join.go" tone="primary" isOff={props.isBusy || !made} />
        </div>
      </form>
    </section>
  );
}
