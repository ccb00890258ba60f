// The log of a container, as it is written.

import { type ComponentChildren, h } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { logsCommand } from "../../model/commands.ts";
import { shortened } from "../../model/log-lines.ts";
import type { ObjectPlace } from "../../model/what-is.ts";
import { Command } from "../command.ts";
import { ask } from "../connection.ts";

export interface LogsProps {
  readonly place: ObjectPlace;
  readonly containers: readonly string[];
}

export function Logs({ place, containers }: LogsProps): ComponentChildren {
  const [chosen, setChosen] = useState("");
  const container = containers.includes(chosen) ? chosen : (containers[0] ?? "");
  const { text, error } = useLog(place, container);
  const view = useRef<HTMLPreElement>(null);
  useEffect(() => {
    const element = view.current;
    if (element !== null) element.scrollTop = element.scrollHeight;
  }, [text]);
  return [
    h("h2", { key: "title" }, "Log"),
    containers.length > 1 &&
      h(
        "select",
        {
          key: "container",
          "aria-label": "container",
          value: container,
          onChange: ({ currentTarget }: { readonly currentTarget: HTMLSelectElement }) =>
            setChosen(currentTarget.value),
        },
        containers.map((name) => h("option", { key: name, value: name }, name)),
      ),
    error !== "" && h("p", { key: "error", role: "status" }, error),
    h(
      "pre",
      {
        key: "log",
        class: "log",
        ref: view,
        tabIndex: 0,
        role: "log",
        "aria-label": `log of ${container}`,
      },
      text === "" ? "Nothing was written yet." : text,
    ),
    h(Command, { key: "command", text: logsCommand(place, container) }),
  ];
}

function useLog(
  { namespace = "", name }: ObjectPlace,
  container: string,
): { readonly text: string; readonly error: string } {
  const [state, setState] = useState({ text: "", error: "" });
  useEffect(() => {
    const stop = new AbortController();
    setState({ text: "", error: "" });
    const query = new URLSearchParams({ namespace, name, container }).toString();
    const read = async (): Promise<void> => {
      const response = await ask(`/api/logs?${query}`, { signal: stop.signal });
      const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const { value = "", done = true } = (await reader?.read()) ?? {};
        if (done) return;
        setState(({ text }) => ({ text: shortened(text + value), error: "" }));
      }
    };
    read().catch((error: unknown) => {
      if (!stop.signal.aborted) setState(({ text }) => ({ text, error: String(error) }));
    });
    return () => stop.abort();
  }, [namespace, name, container]);
  return state;
}
