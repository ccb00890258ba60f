import { type ComponentChildren, h } from "preact";
import { useEffect, useState } from "preact/hooks";

const said = { no: "Copy", yes: "Copied", refused: "Cannot copy: select it" } as const;

/** The command that prints the same as the view beside it, and a button that copies it. */
export function Command({ text }: { readonly text: string }): ComponentChildren {
  const [isCopied, setCopied] = useState<keyof typeof said>("no");
  useEffect(() => setCopied("no"), [text]);
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => setCopied("yes"),
      // Browsers may be told to keep pages from the clipboard.
      () => setCopied("refused"),
    );
  };
  return h(
    "p",
    { class: "command" },
    h("code", null, text),
    h("button", { type: "button", onClick: copy, title: `copy: ${text}` }, said[isCopied]),
  );
}
