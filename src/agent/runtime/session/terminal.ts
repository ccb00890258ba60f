import { spawn } from "node:child_process";
import { once } from "node:events";
import { access } from "node:fs/promises";
import { Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { searchPath } from "../monitor.ts";

export interface Terminal {
  /** The path of the terminal, once socat has made it. */
  readonly link: string;
}

interface Resize {
  readonly size: { readonly columns: number; readonly rows: number };
  readonly exited: Promise<unknown>;
}

/** Nothing happens when the session ends meanwhile. */
export async function resizeTerminal({ link }: Terminal, { size, exited }: Resize): Promise<void> {
  const session = { isOver: false };
  const end = (): void => {
    session.isOver = true;
  };
  exited.then(end, end);
  while (!(await exists(link))) {
    if (session.isOver) return;
    await sleep(pauseMs);
  }
  const words = ["-F", link, "rows", `${size.rows}`, "columns", `${size.columns}`];
  const child = spawn("stty", words, { stdio: "ignore", env: { PATH: searchPath() } });
  await once(child, "exit");
}

const pauseMs = 5;
const endOfInput = "\u0004";

/** A terminal has no end; who has nothing more to type types what stands for it. */
export function typing(terminal: Writable): Writable {
  return new Writable({
    write: (chunk, encoding, done) => void terminal.write(chunk, encoding, done),
    final: (done) => void terminal.write(endOfInput, done),
  });
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}
