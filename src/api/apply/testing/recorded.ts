import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

/** Reads cases recorded from other implementations: gzipped lines of JSON. */
export function readRecorded<Case>(file: URL): Case[] {
  const lines = gunzipSync(readFileSync(file)).toString().trim().split("\n");
  return lines.map((line) => JSON.parse(line) as Case);
}
