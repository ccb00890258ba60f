import { readdir, readFile } from "node:fs/promises";

/** Command lines of all processes but our own that speak of something. */
export async function processesOf(text: string): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const pid of await readdir("/proc")) {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) continue;
    const line = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    if (line.includes(text)) lines.push(line.replaceAll("\0", " "));
  }
  return lines;
}
