// What the server asks of its threads for heavy work.
import { type StatusError, tooManyRequests } from "../errors.ts";
import type { RenderJob, WriteJob, Written } from "./job.ts";

export interface HeavyWork {
  /** Throws when the user has too many jobs waiting. */
  checkRoom(user: string): void;
  /** Plans a write. Throws the refusal of the write; `warnings` are filled even then. */
  write(job: WriteJob, warnings: string[]): Promise<Written>;
  render(user: string, job: RenderJob): Promise<Buffer>;
  close(): Promise<void>;
}

/** The longest time a job waits; after that the client should retry. */
export const longestWaitMs = 10_000;

export function tooManyLarge(): StatusError {
  return tooManyRequests("Too many large requests, please try again later.", 1);
}
