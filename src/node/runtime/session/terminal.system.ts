import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { readIfExists } from "../../../base/host/files.system.ts";
import { searchPath } from "../programs.system.ts";

interface Resize {
  readonly size: { readonly columns: number; readonly rows: number };
  readonly exited: Promise<unknown>;
}

/**
 * Resizes the terminal whose path the file will contain once it exists; a no-op when the session ends before
 * that.
 */
export async function resizeTerminal(file: string, { size, exited }: Resize): Promise<void> {
  const path = await terminalIn(file, exited);
  if (path === undefined) return;
  const words = ["-F", path, "rows", `${size.rows}`, "columns", `${size.columns}`];
  const child = spawn("stty", words, { stdio: "ignore", env: { PATH: searchPath() } });
  const [code] = (await once(child, "exit")) as [number | null];
  if (code === 0 || !existsSync(path)) return;
  throw new Error(`Cannot set the size of terminal ${path}: stty ended with code ${code}`);
}

async function terminalIn(file: string, exited: Promise<unknown>): Promise<string | undefined> {
  const session = { isOver: false };
  const end = (): void => {
    session.isOver = true;
  };
  exited.then(end, end);
  for (;;) {
    const text = (await readIfExists(file)) ?? "";
    if (text.endsWith("\n")) return text.trim();
    if (session.isOver) return undefined;
    await sleep(pauseMs);
  }
}

const pauseMs = 5;
const endOfInput = "\u0004";

/** Wraps a terminal's input: at its end it types Ctrl-D, since a terminal cannot be half-closed. */
export function typing(terminal: Writable): Writable {
  return new Writable({
    write: (chunk, encoding, done) => void terminal.write(chunk, encoding, done),
    final: (done) => void terminal.write(endOfInput, done),
  });
}
