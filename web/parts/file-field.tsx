/** A choice of files whose words are those of the page, in its language. */
import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { addTexts, text } from "../texts.ts";

addTexts({
  "file.choose": ["Choose a file …", "选择文件…"],
  "file.chooseSome": ["Choose files …", "选择文件…"],
  "file.none": ["no file chosen", "未选择文件"],
});

interface FileFieldProps {
  /** What the files are for; the name of the field. */
  readonly children: ComponentChildren;
  readonly accept?: string;
  readonly isMany?: boolean;
  readonly isRequired?: boolean;
  readonly isBusy?: boolean;
  /** Whether the names of the files are shown; not where they are taken at once. */
  readonly isKept?: boolean;
  readonly onFiles: (files: readonly File[]) => void;
}

/** The field: the browser's own control lies over the button, unseen. */
export function FileField(props: FileFieldProps) {
  const { children, accept, isMany = false, isRequired = false, isBusy = false, onFiles } = props;
  const { isKept = true } = props;
  const [names, setNames] = useState("");
  const title = useId();
  const take = (event: Event) => {
    const input = event.currentTarget as HTMLInputElement;
    const files = [...(input.files ?? [])];
    setNames(files.map(({ name }) => name).join(", "));
    onFiles(files);
    // The same file may be chosen again.
    if (!isKept) input.value = "";
  };
  return (
    <label class="file-field">
      <span id={title}>{children}</span>
      <span class="file-control">
        <input
          type="file"
          aria-labelledby={title}
          accept={accept}
          multiple={isMany}
          required={isRequired}
          disabled={isBusy}
          onChange={take}
        />
        <span class="file-button" aria-hidden="true">
          {text(isMany ? "file.chooseSome" : "file.choose")}
        </span>
        {isKept && <span class="file-names soft">{names === "" ? text("file.none") : names}</span>}
      </span>
    </label>
  );
}
