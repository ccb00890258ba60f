import { type ComponentChildren, h } from "preact";
import { useState } from "preact/hooks";

/** The command that prints the same as the view beside it, and a button that copies it. */
export function Command({ text }: { readonly text: string }): ComponentChildren {
  const [isCopied, setCopied] = useState(false);
  const copy = (): void => {
    void navigator.clipboard.writeText(text).then(() => setCopied(true));
  };
  return h(
    "p",
    { class: "command" },
    h("code", null, text),
    h("button", { type: "button", onClick: copy }, isCopied ? "Copied" : "Copy"),
  );
}
