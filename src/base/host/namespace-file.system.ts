import { statfs } from "node:fs/promises";
import { systemCode } from "../program/errors.ts";

/** The type of the namespaces' file system in statfs(2). */
const nsfs = 0x6e736673;

/** Returns whether a namespace is mounted on a file; no file is none. */
export async function isNamespaceFile(path: string): Promise<boolean> {
  try {
    return (await statfs(path)).type === nsfs;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return false;
    throw error;
  }
}
