import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";

/** The limit of a line, so that a program that never ends its line cannot exhaust the memory. */
const longestLine = 64 * 1024;

/** Calls back with every line, without its terminator, which the last one may lack. */
export function eachLine(stream: Readable, onLine: (line: string) => void): void {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  stream.on("data", (chunk: Buffer) => {
    const lines = (rest + decoder.write(chunk)).split(/\r?\n/);
    rest = lines.pop() ?? "";
    for (const line of lines) onLine(line);
    while (rest.length > longestLine) {
      onLine(rest.slice(0, longestLine));
      rest = rest.slice(longestLine);
    }
  });
  stream.once("close", () => {
    rest += decoder.end();
    if (rest !== "") onLine(rest);
  });
}
