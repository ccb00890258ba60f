// The connection of the page to its server: log-in by a link or a token, then streams of news.

import type { Message } from "../model/wire.ts";

const tokenName = "tandem-token";
const codePattern = /^#code=([\w-]+)$/;

export interface About {
  readonly server: string;
  readonly namespace?: string;
  readonly logIn?: "link" | "token";
  /** What pages may start. */
  readonly allows?: readonly string[];
}

export type LogInState =
  | { readonly isIn: true }
  | { readonly isIn: false; readonly by: "link" | "token" };

/** Exchanges the code of the link, if there is one, for a token that this tab keeps. */
export async function logIn(): Promise<LogInState> {
  const [, code] = codePattern.exec(location.hash) ?? [];
  if (code !== undefined) {
    // The code is of no use any more, and has no place in the history of the browser.
    history.replaceState(null, "", "#/overview");
    await exchange(code);
  }
  if (sessionStorage.getItem(tokenName) !== null) return { isIn: true };
  const response = await fetch("/api/door");
  const { logIn: by } = (await response.json()) as { logIn: "link" | "token" };
  return { isIn: false, by };
}

/** Exchanges a code or a bearer token for a token of this tab; returns why that is refused, if it is. */
export async function exchange(secret: string): Promise<string | undefined> {
  const headers = { "x-tandem-dashboard": "1" };
  const response = await fetch("/api/session", { method: "POST", body: secret, headers });
  const answer = (await response.json()) as { token?: string; message?: string };
  if (answer.token === undefined) return answer.message ?? `the server answers ${response.status}`;
  sessionStorage.setItem(tokenName, answer.token);
  return undefined;
}

/** Gives the token back and forgets it. */
export async function logOut(): Promise<void> {
  await ask("/api/logout", { method: "POST" });
  sessionStorage.removeItem(tokenName);
  location.reload();
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
    throw new LoggedOutError("Cannot go on: the server does not know this tab any more");
  }
  if (response.ok) return response;
  const { message } = (await response.json()) as { message?: string };
  throw new Error(message ?? `Cannot read ${path}: the server answers ${response.status}`);
}

/** Asks for something to be done; returns why that is refused, if it is. */
export async function start(path: string): Promise<string | undefined> {
  try {
    await ask(path, { method: "POST" });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
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
