import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pageOf, type Run } from "./report.ts";

export interface PageOptions {
  /** The folder that remembers the runs of each page, so that a later one can join them. */
  readonly cache: string;
  /** The folder of the page itself. */
  readonly folder: string;
  readonly name: string;
  /** Whether the run is of tests that the page has already, rather than a page of its own. */
  readonly isAgain: boolean;
  readonly run: Run;
}

/** Writes the page of a run and returns its path. */
export function addToPage({ cache, folder, name, isAgain, run }: PageOptions): string {
  const memory = join(cache, "pages", `${name}.json`);
  if (isAgain && !existsSync(memory)) {
    throw new Error(`Cannot add to the page ${name}: no run of its tests was made in this folder`);
  }
  const before = isAgain
    ? (JSON.parse(readFileSync(memory, "utf8")) as [Run, ...Run[]])
    : undefined;
  const runs = before === undefined ? ([run] as const) : ([...before, run] as const);
  mkdirSync(join(cache, "pages"), { recursive: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(memory, JSON.stringify(runs));
  const path = join(folder, `${name}.md`);
  writeFileSync(path, pageOf(runs));
  return path;
}
