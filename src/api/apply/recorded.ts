import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

/** Cases recorded from other implementations: compressed lines of JSON. */
export function readRecorded<Case>(file: URL): Case[] {
  const lines = gunzipSync(readFileSync(file)).toString().trim().split("\n");
  return lines.map((line) => JSON.parse(line) as Case);
}
