/** The files: open, add, rename, remove, bring in and take out. */
import { useRef, useState } from "preact/hooks";
import { saveText } from "../../data/save-file.ts";
import { Button } from "../../parts/button.tsx";
import { Ask } from "../../parts/ask.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { attempt } from "../../parts/toast.tsx";
import { text } from "../../texts.ts";
import { useObserved } from "../observed.ts";
import { EXAMPLES, type Example } from "./examples.ts";
import { FileFault, MOST_FILE_CHARS, MOST_FILES } from "./file-store.ts";
import { isChanged, isMarked, type OpenFile, workspace } from "./workspace.ts";

/** Why a file was not taken, in words. */
export function fileFaultText(cause: unknown): string {
  if (!(cause instanceof FileFault)) return String(cause);
  return text(`workbench.file.${cause.trouble}`, { most: MOST_FILES, chars: MOST_FILE_CHARS });
}

interface NameDialogProps {
  readonly title: string;
  readonly first: string;
  /** Takes the name, or refuses it. @throws FileFault */
  readonly onName: (name: string) => void;
  readonly onClose: () => void;
}

function NameDialog({ title, first, onName, onClose }: NameDialogProps) {
  const field = useRef<HTMLInputElement>(null);
  const submit = async (event: Event) => {
    event.preventDefault();
    const wanted = field.current?.value.trim() ?? "";
    const name = /\.sol$/.test(wanted) ? wanted : `${wanted}.sol`;
    if (await attempt(() => onName(name), fileFaultText)) onClose();
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={<Button says="workbench.file.take" tone="primary" onClick={submit} />}
    >
      <form onSubmit={submit}>
        <label class="field">
          <span>{text("workbench.file.name.label")}</span>
          <input ref={field} defaultValue={first} spellcheck={false} />
        </label>
        <p class="soft">{text("workbench.file.name.hint")}</p>
      </form>
    </Dialog>
  );
}

function addExample({ files: parts }: Example): void {
  const files = workspace();
  for (const { name, text: content } of parts) {
    const there = files.find(name);
    // The same example again only opens it; a file that was changed is not replaced.
    if (there?.text === content) files.open(name);
    else void attempt(() => files.addBeside(name, content), fileFaultText);
  }
}

async function importFiles(list: FileList): Promise<void> {
  for (const file of list) {
    const content = await file.text();
    const name = file.name.replace(/[^\w.-]/g, "_");
    const source = /\.sol$/.test(name) ? name : `${name}.sol`;
    await attempt(() => workspace().addBeside(source, content), fileFaultText);
  }
}

function Adding() {
  const picker = useRef<HTMLInputElement>(null);
  return (
    <>
      <select
        aria-label={text("workbench.examples")}
        value=""
        onChange={({ currentTarget }) => {
          const example = EXAMPLES[Number(currentTarget.value)];
          if (example) addExample(example);
          currentTarget.value = "";
        }}
      >
        <option value="">{text("workbench.examples")}</option>
        {EXAMPLES.map(({ title }, index) => (
          <option key={title} value={index}>
            {text(title)}
          </option>
        ))}
      </select>
      <Button says="workbench.file.import" onClick={() => picker.current?.click()} />
      <input
        ref={picker}
        type="file"
        accept=".sol"
        multiple
        hidden
        onChange={({ currentTarget }) => {
          if (currentTarget.files) void importFiles(currentTarget.files);
          currentTarget.value = "";
        }}
      />
    </>
  );
}

type Asking = "new" | "rename" | "remove";

interface AskedProps {
  readonly asking: Asking;
  readonly file: OpenFile | undefined;
  readonly onClose: () => void;
}

/** The dialog that is open. */
function Asked({ asking, file, onClose }: AskedProps) {
  const files = workspace();
  if (asking === "new") {
    return (
      <NameDialog
        title={text("workbench.file.new")}
        first="Contract.sol"
        onName={(name) => files.add(name, "")}
        onClose={onClose}
      />
    );
  }
  if (file === undefined) return null;
  if (asking === "rename") {
    return (
      <NameDialog
        title={text("workbench.file.rename")}
        first={file.name}
        onName={(name) => files.rename(file.name, name)}
        onClose={onClose}
      />
    );
  }
  return (
    <Ask
      title={text("workbench.file.remove")}
      says="workbench.file.remove"
      onDo={() => files.remove(file.name)}
      onClose={onClose}
    >
      <p>{text("workbench.file.remove.sure", { name: file.name })}</p>
    </Ask>
  );
}

/** The list of files and what can be done with them. */
export function FileListPanel({ onSave }: { readonly onSave: () => void }) {
  const files = workspace();
  const { files: list, current } = useObserved(files.state);
  const [asking, setAsking] = useState<Asking | undefined>();
  const file = list.find(({ name }) => name === current);
  const close = () => setAsking(undefined);
  return (
    <nav class="files" aria-label={text("workbench.files")}>
      <ul>
        {list.map((it) => (
          <li key={it.name}>
            <button
              type="button"
              aria-current={it.name === current ? "true" : undefined}
              onClick={() => files.open(it.name)}
            >
              {it.name}
              {isMarked(it) && <span class="changed" title={text("workbench.file.changed")} />}
            </button>
          </li>
        ))}
      </ul>
      <div class="actions">
        <Button says="workbench.file.save" isOff={!file || !isChanged(file)} onClick={onSave} />
        <Button says="workbench.file.new" onClick={() => setAsking("new")} />
        <Button says="workbench.file.rename" isOff={!file} onClick={() => setAsking("rename")} />
        <Button says="workbench.file.remove" isOff={!file} onClick={() => setAsking("remove")} />
        <Button
          says="workbench.file.export"
          isOff={!file}
          onClick={() => file && saveText(file.name.split("/").at(-1) ?? file.name, file.text)}
        />
        <Adding />
      </div>
      {asking && <Asked asking={asking} file={file} onClose={close} />}
    </nav>
  );
}
