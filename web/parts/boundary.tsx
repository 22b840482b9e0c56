/** Keeps a failure of a part from taking the rest of the page with it. */
import { Component, type ComponentChildren } from "preact";
import { addTexts, text } from "../texts.ts";

addTexts({
  "boundary.failed": ["This part of the page failed: {why}.", "此部分出错：{why}。"],
  "boundary.again": ["Show it again", "重新显示"],
});

interface State {
  readonly failure: string | undefined;
}

/** Shows the failure in words; give it a key, so that another place begins anew. */
export class Boundary extends Component<{ readonly children: ComponentChildren }, State> {
  override state: State = { failure: undefined };

  static override getDerivedStateFromError(cause: unknown): State {
    return { failure: cause instanceof Error ? cause.message : String(cause) };
  }

  override render() {
    const { failure } = this.state;
    if (failure === undefined) return this.props.children;
    return (
      <div class="problem" role="alert">
        <p>{text("boundary.failed", { why: failure })}</p>
        <button type="button" onClick={() => this.setState({ failure: undefined })}>
          {text("boundary.again")}
        </button>
      </div>
    );
  }
}
