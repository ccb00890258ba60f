import { copyFile, mkdir, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Commands } from "../../../base/host/command.ts";
import { buildOnce } from "./build-once.system.ts";

/** Builds a root with everything the echo program needs besides itself: its libraries and files of /etc. */
export async function buildEchoRoot(
  program: string,
  { directory, commands }: { readonly directory: string; readonly commands: Commands },
): Promise<string> {
  const { stdout } = await commands.run(["ldd", program]);
  const libraries = [...stdout.matchAll(/(?:=>\s+|^\s*)(\/\S+)\s+\(0x/gm)].map(
    ([, path = ""]) => path,
  );
  const versions = await Promise.all(
    libraries.map(async (path) => [path, (await stat(path)).mtimeMs]),
  );
  return await buildOnce({ directory, kind: "echo", made: [versions, files] }, async (root) => {
    for (const library of libraries) {
      await mkdir(join(root, dirname(library)), { recursive: true });
      await copyFile(library, join(root, library));
    }
    await mkdir(join(root, "etc"));
    for (const [name, text] of Object.entries(files))
      await writeFile(join(root, "etc", name), text);
  });
}

const files = {
  passwd: "root:x:0:0:root:/:\nnobody:x:65534:65534:nobody:/:\n",
  group: "root:x:0:\nnogroup:x:65534:\n",
  hosts: "127.0.0.1 localhost\n::1 localhost\n",
};
