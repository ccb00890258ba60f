// The termination message of a container.

import { constants, open } from "node:fs/promises";
import type { Container } from "../../../api/types/core.ts";
import { systemCode } from "../../../base/program/errors.ts";
import type { ContainerState } from "../../runtime/runtime.ts";

const longestMessage = 4096;
const longestLog = 2048;

/** Reads the termination message file, or the end of the log where terminationMessagePolicy says so. */
export async function lastWords(
  { terminationMessagePolicy }: Pick<Container, "terminationMessagePolicy">,
  file: string,
  { exitCode, logPath }: ContainerState,
): Promise<string> {
  const message = await tailOf(file, longestMessage);
  const wantsLog = terminationMessagePolicy === "FallbackToLogsOnError" && exitCode !== 0;
  if (message !== "" || !wantsLog) return message;
  const lines = (await tailOf(logPath, 2 * longestLog)).split("\n");
  const texts = lines.flatMap(
    (line) => /^\S+ (?:stdout|stderr) [FP]\S* (.*)$/.exec(line)?.[1] ?? [],
  );
  return texts.join("\n").slice(-longestLog);
}

async function tailOf(path: string, bytes: number): Promise<string> {
  try {
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
    const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      const stats = await file.stat();
      const size = stats.isFile() ? stats.size : 0;
      const buffer = Buffer.alloc(Math.min(size, bytes));
      await file.read(buffer, 0, buffer.length, size - buffer.length);
      return buffer.toString();
    } finally {
      await file.close();
    }
  } catch (error) {
    if (systemCode(error) === "ENOENT") return "";
    throw error;
  }
}
