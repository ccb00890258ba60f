// The log of a container, as it is written.

import { type ComponentChildren, h } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { logsCommand } from "../../model/commands.ts";
import { shortened, tailLines } from "../../model/log-lines.ts";
import type { ObjectPlace } from "../../model/what-is.ts";
import { Command } from "../command.ts";
import { ask } from "../connection.ts";
import { go } from "../navigation.ts";

export interface LogsProps {
  readonly place: ObjectPlace;
  readonly chosen: string;
  readonly containers: readonly string[];
}

export function Logs({ place, chosen, containers }: LogsProps): ComponentChildren {
  const container = containers.includes(chosen) ? chosen : (containers[0] ?? "");
  const { text, note } = useLog(place, container);
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
            go({ view: "object", parameters: { ...place, container: currentTarget.value } }),
        },
        containers.map((name) => h("option", { key: name, value: name }, name)),
      ),
    h("p", { key: "note", role: "status" }, note),
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

const following = `The last ${tailLines} lines, and what is written from now on.`;

function useLog(
  { namespace = "", name }: ObjectPlace,
  container: string,
): { readonly text: string; readonly note: string } {
  const [state, setState] = useState({ text: "", note: following });
  useEffect(() => {
    const stop = new AbortController();
    setState({ text: "", note: following });
    const say = (note: string): void => setState(({ text }) => ({ text, note }));
    const query = new URLSearchParams({ namespace, name, container }).toString();
    const read = async (): Promise<void> => {
      const response = await ask(`/api/logs?${query}`, { signal: stop.signal });
      const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const { value = "", done = true } = (await reader?.read()) ?? {};
        if (done) return say(`The last ${tailLines} lines; the log has ended.`);
        setState(({ text }) => {
          const { kept, isCut } = shortened(text + value);
          return {
            text: kept,
            note: isCut ? `${following} The beginning is left out.` : following,
          };
        });
      }
    };
    read().catch((error: unknown) => {
      if (!stop.signal.aborted) say(String(error));
    });
    return () => stop.abort();
  }, [namespace, name, container]);
  return state;
}
