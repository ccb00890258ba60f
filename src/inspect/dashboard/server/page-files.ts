// The files of the page, which `make build` makes.

import { join } from "node:path";
import type { Files } from "../../../base/host/files.ts";

export interface PageFile {
  readonly type: string;
  readonly content: string;
}

const served: readonly { readonly path: string; readonly name: string; readonly type: string }[] = [
  { path: "/", name: "index.html", type: "text/html; charset=utf-8" },
  { path: "/page.js", name: "page.js", type: "text/javascript; charset=utf-8" },
  { path: "/page.css", name: "page.css", type: "text/css; charset=utf-8" },
  { path: "/icon.svg", name: "icon.svg", type: "image/svg+xml" },
];

/** Reads all files of the page from a directory, by the paths at which they are served. */
export async function readPageFiles(
  files: Files,
  directory: string,
): Promise<ReadonlyMap<string, PageFile>> {
  const found = await Promise.all(
    served.map(async ({ path, name, type }) => {
      const content = await files.read(join(directory, name));
      if (content === undefined) {
        throw new Error(
          `Cannot serve the dashboard: ${join(directory, name)} is missing; run "make build"`,
        );
      }
      return [path, { type, content }] as const;
    }),
  );
  return new Map(found);
}
