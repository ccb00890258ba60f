// The program as a tree that runs by itself: sources, production packages, Node, and what is in build/. It
// has the layout of a clone, so that everything finds everything as it does there.

import { chmodSync, cpSync, globSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Commands } from "../../src/base/host/command.ts";
import type { LockedPackage } from "./locked-packages.ts";

export interface TreeOptions {
  /** The root of the clone. */
  readonly root: string;
  /** The directory to make. */
  readonly target: string;
  readonly version: string;
  readonly packages: readonly LockedPackage[];
  readonly commands: Commands;
}

/** What `tools/build` makes: programs, and the page of the dashboard. */
const built = [
  "tandem-ipam",
  "tandem-ipam-full",
  "tandem-echo",
  "tandem-sandbox",
  "dashboard/index.html",
  "dashboard/page.js",
  "dashboard/page.css",
  "dashboard/icon.svg",
];

export async function makeProgramTree(options: TreeOptions): Promise<void> {
  const { root, target, version, packages, commands } = options;
  mkdirSync(target, { recursive: true });
  const copy = (path: string) => copyInto(root, target, path);
  copy("bin/tandem");
  copy("LICENSE");
  for (const path of productionSources(root)) copy(path);
  for (const name of built) copy(`build/${name}`);
  symlinkSync("tandem-ipam", join(target, "build/whereabouts"));
  for (const { path, name } of packages) {
    if (name.startsWith("node-linux-")) await addNode({ root, target, commands, path });
    else copyPackage(root, target, path);
  }
  const manifest = {
    name: "tandem",
    version,
    license: "Apache-2.0",
    private: true,
    type: "module",
  };
  writeFileSync(join(target, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
}

/** The sources without tests, fakes and what only tests share. */
export function productionSources(root: string): readonly string[] {
  return globSync("src/**/*.ts", { cwd: root })
    .filter((path) => !/\.(test|fake)\.ts$|\/(testing|testdata)\//.test(path))
    .toSorted();
}

function copyPackage(root: string, target: string, path: string): void {
  cpSync(join(root, path), join(target, path), {
    recursive: true,
    filter: (source) => !isForDevelopment(source.slice(join(root, path).length)),
  });
}

/** Declarations, source maps, documentation and nested packages, which have entries of their own. */
function isForDevelopment(path: string): boolean {
  return (
    /\.([cm]?tsx?|map|md)$|\/node_modules(\/|$)/i.test(path) ||
    /^\/(docs|tests?|browser|\.github)(\/|$)/.test(path)
  );
}

/** Node without its symbols, headers and documents: a third smaller. */
async function addNode(options: {
  root: string;
  target: string;
  commands: Commands;
  path: string;
}): Promise<void> {
  const { root, target, commands, path } = options;
  for (const file of ["LICENSE", "package.json"]) copyInto(root, target, `${path}/${file}`);
  const program = join(target, path, "bin/node");
  mkdirSync(dirname(program), { recursive: true });
  await commands.run(["strip", "-o", program, join(root, path, "bin/node")]);
  chmodSync(program, 0o755);
  mkdirSync(join(target, "node_modules/.bin"), { recursive: true });
  symlinkSync(
    `../${path.replace("node_modules/", "")}/bin/node`,
    join(target, "node_modules/.bin/node"),
  );
}

function copyInto(root: string, target: string, path: string): void {
  mkdirSync(dirname(join(target, path)), { recursive: true });
  cpSync(join(root, path), join(target, path), { dereference: true });
}
