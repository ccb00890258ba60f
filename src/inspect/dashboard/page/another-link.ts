import { type ComponentChildren, h } from "preact";
import { useState } from "preact/hooks";
import { ask } from "./connection.ts";

/** A button that gets a link for another tab or browser, since each link works once. */
export function AnotherLink(): ComponentChildren {
  const [link, setLink] = useState("");
  const get = async (): Promise<void> => {
    const { code } = (await (await ask("/api/link", { method: "POST" })).json()) as Answer;
    setLink(`${location.origin}/#code=${code}`);
  };
  if (link === "") {
    return h("button", { type: "button", onClick: () => void get() }, "Link for another tab");
  }
  return h("input", {
    "aria-label": "link for another tab; works once, for ten minutes",
    readOnly: true,
    value: link,
    onFocus: ({ currentTarget }) => currentTarget.select(),
  });
}

interface Answer {
  readonly code: string;
}
