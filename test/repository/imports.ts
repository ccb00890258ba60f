import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

/** File → the files it imports, as paths from the repository's root. */
export type Imports = Readonly<Record<string, readonly string[]>>;

const foundations = ["net", "api", "program", "host", "etcd", "client", "streaming"];
const components = [
  "apiserver",
  "controllers",
  "ipam",
  "cni",
  "agent",
  "proxy",
  "dns",
  "ingress",
  "balancer",
  "vip",
  "install",
];

/** Folder of `src` → the folders it may import, besides itself. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  net: [],
  api: ["net"],
  program: ["net"],
  host: ["net", "program"],
  etcd: ["net", "program", "host"],
  client: ["net", "api", "program", "host"],
  streaming: ["program", "host"],
  store: ["program", "host", "etcd"],
  ...Object.fromEntries(components.map((component) => [component, foundations])),
  apiserver: [...foundations, "store"],
  cluster: [...foundations, ...components],
  cli: [...foundations, ...components, "store", "cluster"],
};

export function readImports(): Imports {
  const files = globSync(["src/**/*.ts", "test/**/*.ts", "bench/**/*.ts", "tools/**/*.ts"]);
  return Object.fromEntries(
    files.map((file) => [file, importsOf(file, readFileSync(file, "utf8"))]),
  );
}

export function importsOf(file: string, text: string): string[] {
  const specifiers = /^(?!\s*(?:\/\/|\*)).*?\b(?:from|import)\s*\(?\s*"(\.[^"]+)"/gm;
  return [...text.matchAll(specifiers)].map((match) =>
    normalize(join(dirname(file), match[1] ?? "")),
  );
}

export function violations(imports: Imports): string[] {
  return [...wrongDirections(imports), ...circles(imports)];
}

function wrongDirections(imports: Imports): string[] {
  const found: string[] = [];
  for (const [file, targets] of Object.entries(imports)) {
    if (!file.startsWith("src/")) continue;
    const folder = folderOf(file);
    const mayImport = allowed[folder];
    if (mayImport === undefined) {
      found.push(`src/${folder} is not in the list of docs/architecture.md`);
      continue;
    }
    const isTest = file.endsWith(".test.ts");
    for (const target of targets) {
      if (!target.startsWith("src/")) {
        if (!isTest) found.push(`${file}: src must not import ${target.split("/")[0]} (${target})`);
        continue;
      }
      const other = folderOf(target);
      if (other !== folder && !mayImport.includes(other)) {
        found.push(`${file}: ${folder} must not import ${other} (${target})`);
      }
    }
  }
  return found;
}

function folderOf(file: string): string {
  return file.split("/")[1] ?? "";
}

function circles(imports: Imports): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (file: string): void => {
    const start = path.indexOf(file);
    if (start >= 0) {
      found.push(`circle: ${[...path.slice(start), file].join(" → ")}`);
      return;
    }
    if (done.has(file)) return;
    path.push(file);
    for (const target of imports[file] ?? []) visit(target);
    path.pop();
    done.add(file);
  };
  for (const file of Object.keys(imports)) visit(file);
  return found;
}
