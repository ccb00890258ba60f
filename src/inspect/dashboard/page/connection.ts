// The connection of the page to its server: log-in by the link's code, then one stream of news.

import type { Message } from "../model/wire.ts";

const tokenName = "tandem-token";
const codePattern = /^#code=([\w-]+)$/;

export interface About {
  readonly server: string;
  readonly namespace?: string;
}

/** Exchanges the code of the link, if there is one, for a token that this tab keeps; false without either. */
export async function logIn(): Promise<boolean> {
  const [, code] = codePattern.exec(location.hash) ?? [];
  if (code === undefined) return sessionStorage.getItem(tokenName) !== null;
  // The code is of no use any more, and has no place in the history of the browser.
  history.replaceState(null, "", "#/overview");
  const response = await fetch("/api/session", {
    method: "POST",
    body: code,
    headers: { "x-tandem-dashboard": "1" },
  });
  if (!response.ok) return sessionStorage.getItem(tokenName) !== null;
  const { token } = (await response.json()) as { token: string };
  sessionStorage.setItem(tokenName, token);
  return true;
}

/** Asks the server with the token; forgets a token that is not valid any more. */
export async function ask(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = {
    authorization: `Bearer ${sessionStorage.getItem(tokenName) ?? ""}`,
    "x-tandem-dashboard": "1",
  };
  const response = await fetch(path, { ...init, headers });
  if (response.status === 401) {
    sessionStorage.removeItem(tokenName);
    throw new LoggedOutError("Cannot go on: the server was started anew; use its new link");
  }
  if (!response.ok) throw new Error(`Cannot read ${path}: the server answers ${response.status}`);
  return response;
}

export class LoggedOutError extends Error {
  override readonly name = "LoggedOutError";
}

/** Calls `onMessages` with the messages of each piece of a stream, until it ends. */
export async function readStream(
  path: string,
  signal: AbortSignal,
  onMessages: (messages: readonly Message[]) => void,
): Promise<void> {
  const response = await ask(path, { signal });
  if (response.body === null) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let begun = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = (begun + value).split("\n");
    begun = lines.pop() ?? "";
    onMessages(lines.map((line) => JSON.parse(line) as Message));
  }
}
