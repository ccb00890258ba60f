// The packaged form against the clone: the same cluster by the program of an unpacked tarball, and how large packages are.

import { globSync, statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemCommands } from "../src/base/host/command.system.ts";
import { buildDist } from "../tools/dist/build-dist.ts";
import { measureStart } from "./cluster-start.ts";
import { type Benchmark, type Figures, lower } from "./harness.ts";

const root = join(import.meta.dirname, "..");
const commands = systemCommands();

export default {
  title: "packages against the clone",
  groups: () => [
    {
      name: "three nodes, from nothing to pods, and back",
      baseline: "the clone",
      cases: {
        "the clone": async () => () => measureStart(),
        "the tarball": async (stack) => {
          const folder = await build(stack, "none");
          const archive = file(folder, "tandem-*-linux-*.tar");
          await commands.run(["tar", "--extract", "--file", archive, "--directory", folder]);
          const program = join(archive.replace(/\.tar$/, ""), "bin/tandem");
          return () => measureStart(program);
        },
      },
    },
    {
      name: "sizes",
      cases: {
        packages: async (stack) => {
          const folder = await build(stack, "gzip");
          return () => Promise.resolve(sizes(folder));
        },
      },
    },
  ],
} satisfies Benchmark;

async function build(stack: AsyncDisposableStack, compression: "gzip" | "none"): Promise<string> {
  const out = await mkdtemp(join(tmpdir(), "tandem-bench-dist-"));
  stack.defer(() => rm(out, { recursive: true }));
  const kinds = compression === "none" ? { kinds: ["tarball"] as const } : {};
  await buildDist({ root, out, epoch: 1_700_000_000, compression, commands, ...kinds });
  return out;
}

function sizes(folder: string): Figures {
  const size = (pattern: string) => lower(statSync(file(folder, pattern)).size, "bytes");
  return {
    "tarball, gzip": size("tandem-*-linux-*.tar.gz"),
    "Debian package, gzip": size("tandem_*.deb"),
    "image, gzip": size("tandem-*-image-*.tar"),
  };
}

function file(folder: string, pattern: string): string {
  const [found] = globSync(pattern, { cwd: folder });
  if (found === undefined) throw new Error(`Cannot find ${pattern} in ${folder}`);
  return join(folder, found);
}
