// Swaps a folder and a link of one directory as fast as it can, until it is killed:
// `node swapper.ts DIRECTORY NAME LINK`. Between two swaps NAME is the folder, nothing, or the link.
import { renameSync } from "node:fs";
import { join } from "node:path";

const [directory = "", name = "", link = ""] = process.argv.slice(2);
const place = join(directory, name);
const folder = join(directory, `${name}.folder`);
const other = join(directory, link);
let aside = 0;

/** Renames a file or folder, and moves aside every folder that somebody made in its new place meanwhile. */
function move(from: string, to: string): void {
  for (;;) {
    try {
      renameSync(from, to);
      return;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "ENOTEMPTY" && code !== "EISDIR" && code !== "EEXIST") throw error;
      renameSync(to, join(directory, `${name}.aside.${aside++}`));
    }
  }
}

process.stdout.write("swapping\n");
for (;;) {
  move(place, folder);
  move(other, place);
  move(place, other);
  move(folder, place);
}
