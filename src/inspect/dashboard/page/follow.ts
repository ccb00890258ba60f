// Keeps a mirror of a stream of the server for a component, and draws it again after changes.

import { useEffect, useMemo, useReducer } from "preact/hooks";
import { Mirror } from "../model/mirror.ts";
import { LoggedOutError, readStream } from "./connection.ts";

/** The time between two drawings: news within it are drawn at once. */
const drawMs = 150;
const retryMs = 2000;

export type Link = "connecting" | "open" | "lost" | "logged out";

export interface Followed {
  readonly mirror: Mirror;
  readonly link: Link;
  /** Grows with every change of the mirror. */
  readonly version: number;
}

export function useStream(path: string): Followed {
  const [version, redraw] = useReducer((count: number) => count + 1, 0);
  const state = useMemo(() => ({ mirror: new Mirror(), link: "connecting" as Link }), [path]);
  useEffect(() => {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const soon = (): void => {
      timer ??= setTimeout(() => {
        timer = undefined;
        redraw(undefined);
      }, drawMs);
    };
    const change = (link: Link): void => {
      state.link = link;
      soon();
    };
    void follow(path, { mirror: state.mirror, change, soon, signal: stop.signal });
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [path]);
  return { ...state, version };
}

interface Following {
  readonly mirror: Mirror;
  readonly change: (link: Link) => void;
  readonly soon: () => void;
  readonly signal: AbortSignal;
}

async function follow(path: string, { mirror, change, soon, signal }: Following): Promise<void> {
  while (!signal.aborted) {
    let isFirst = true;
    try {
      await readStream(path, signal, (messages) => {
        // What was known before is shown until the new connection tells it again.
        if (isFirst) mirror.clear();
        isFirst = false;
        for (const message of messages) mirror.apply(message);
        change("open");
        soon();
      });
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof LoggedOutError) return change("logged out");
    }
    change("lost");
    await new Promise((resolve) => setTimeout(resolve, retryMs));
  }
}
