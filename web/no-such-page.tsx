/** What an address shows that leads nowhere. */
import { addressOf } from "./address.ts";
import { addTexts, text } from "./texts.ts";

addTexts({
  "shell.noPage": ["There is no such page", "页面不存在"],
  "shell.noPage.words": [
    "This address leads nowhere: a part of it may be lost or misspelt.",
    "此地址没有对应的页面，可能不完整或有误。",
  ],
  "shell.noPage.overview": ["Overview of the chain", "链概览"],
  "shell.noPage.search": ["Search", "搜索"],
});

/** Names the address, and leads on. */
export function NoSuchPage({ address }: { readonly address: string }) {
  return (
    <>
      <h1>{text("shell.noPage")}</h1>
      <p>{text("shell.noPage.words")}</p>
      <p data-no-page>
        <code class="hash whole">{address}</code>
      </p>
      <div class="buttons">
        <a class="button primary" href={addressOf("explorer")}>
          {text("shell.noPage.overview")}
        </a>
        <a class="button" href={addressOf("explorer", [], "search")}>
          {text("shell.noPage.search")}
        </a>
      </div>
    </>
  );
}
