import { readdir, readFile } from "node:fs/promises";

/** Returns the command lines that contain the text, of all processes but this one. */
export async function processesOf(text: string): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const pid of await readdir("/proc")) {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) continue;
    const line = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    if (line.includes(text)) lines.push(line.replaceAll("\0", " "));
  }
  return lines;
}
