import { readFileSync } from "node:fs";
import { IpamError, messageOf } from "../errors.ts";

/** Reads a file that a user named on the command line. */
export function readJsonFile(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new IpamError("decoding", `Cannot read ${path}: ${messageOf(error)}`, error);
  }
}
