import type { Readable } from "node:stream";
import type { Containers } from "../../runtime/runtime.ts";

interface ExecTarget {
  readonly containers: Containers;
  readonly id: string;
  readonly signal: AbortSignal;
}

/** The number of output bytes shown when the command fails. */
const shownBytes = 1024;

/** Runs a command in the container; rejects unless it exits with 0. */
export async function runInside(command: readonly string[], target: ExecTarget): Promise<void> {
  const { containers, id, signal } = target;
  const session = await containers.exec(id, { command, signal });
  const said = [session.stdout, session.stderr].map((stream) => firstBytes(stream));
  const code = await session.exited;
  if (code === 0) return;
  const output = said
    .map((read) => read())
    .join("")
    .trim();
  throw new Error(`the command ended with ${code}${output === "" ? "" : `: ${output}`}`);
}

function firstBytes(stream: Readable | undefined): () => string {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream?.on("data", (chunk: Buffer) => {
    if (bytes < shownBytes) chunks.push(chunk);
    bytes += chunk.length;
  });
  return () => Buffer.concat(chunks).subarray(0, shownBytes).toString();
}
