import { stat } from "node:fs/promises";
import { systemCode } from "../program/errors.ts";

/** Whether there is a file, a directory or anything else at a path; links are followed. */
export async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return false;
    throw error;
  }
}
