import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

/** File → the files it imports, as paths from the repository's root. */
export type Imports = Readonly<Record<string, readonly string[]>>;

/**
 * The floors of `src`, lowest first, and the components on each: component → the components of its own
 * floor that it may import. Everything on lower floors may be imported as well; `beside` names the
 * floors that are no lower, but of which this one may use the doors.
 */
export const floors: readonly Floor[] = [
  {
    name: "base",
    components: {
      net: [],
      json: [],
      program: ["net"],
      host: ["json", "net", "program"],
      etcd: ["host", "program"],
      streaming: ["host", "program"],
      "command-line": ["program"],
    },
  },
  {
    name: "api",
    components: {
      types: [],
      fields: [],
      cel: ["fields"],
      "builtin-crds": ["types"],
      selectors: ["fields", "types"],
      schema: ["cel", "fields", "types"],
      pairs: ["fields"],
      patch: ["schema"],
      apply: ["pairs", "schema"],
      protobuf: ["schema"],
      openapi: ["protobuf", "schema"],
      kinds: ["apply", "cel", "fields", "pairs", "patch", "schema", "selectors", "types"],
      client: ["fields", "patch", "schema", "types"],
    },
  },
  {
    name: "control",
    hasOneDoor: true,
    components: { store: [], apiserver: ["store"], controllers: [] },
    doors: { controllers: ["run.ts"] },
  },
  {
    name: "node",
    hasOneDoor: true,
    components: {
      runtime: [],
      status: ["runtime"],
      pods: ["runtime"],
      network: ["pods", "status"],
      stats: ["pods", "runtime"],
      "kubelet-api": ["pods", "runtime", "stats"],
      join: [],
      ipam: [],
      proxy: [],
      policy: [],
    },
    doors: { proxy: ["modes.ts"] },
  },
  {
    name: "edge",
    hasOneDoor: true,
    components: { dns: [], ingress: [], balancer: [], vip: [] },
  },
  {
    name: "install",
    hasOneDoor: true,
    components: {
      ranges: [],
      config: [],
      machine: ["ranges"],
      infrastructure: ["config"],
      service: ["config", "infrastructure"],
      kubeadm: ["ranges"],
    },
    // Where things are on machines is read by every command; plans are loaded by few.
    doors: { machine: ["places.ts"] },
  },
  {
    name: "inspect",
    hasOneDoor: true,
    beside: ["node"],
    components: {
      echo: [],
      check: ["echo"],
      dashboard: ["check", "trace"],
      describe: [],
      trace: [],
      support: [],
    },
  },
  {
    name: "programs",
    hasOneDoor: true,
    beside: ["control", "node", "edge", "install", "inspect"],
    components: {
      connect: ["up"],
      agent: [],
      server: [],
      backup: [],
      dns: ["connect"],
      up: [],
      check: ["connect", "up"],
      dashboard: ["check", "connect", "trace", "up"],
      trace: ["connect", "up"],
      hollow: ["agent", "connect"],
      machine: ["agent", "connect", "up"],
    },
    doors: { up: ["settings.ts"], hollow: ["watches.ts"] },
  },
  {
    name: "cli",
    beside: ["control", "node", "edge", "install", "inspect", "programs"],
    components: {},
  },
];

export interface Floor {
  readonly name: string;
  readonly components: Readonly<Record<string, readonly string[]>>;
  /** The file named after a component is its door. Elsewhere every file in its folder is one. */
  readonly hasOneDoor?: boolean;
  /** Further doors of a component. */
  readonly doors?: Readonly<Record<string, readonly string[]>>;
  /** Floors that are no foundation of all, whose doors may be used nevertheless. */
  readonly beside?: readonly string[];
}

/** The floors that everything stands on. */
const foundations = ["base", "api"];

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
  return [...wrongImports(imports), ...circles(imports)];
}

function wrongImports(imports: Imports): string[] {
  const found: string[] = [];
  for (const [file, targets] of Object.entries(imports)) {
    if (!file.startsWith("src/")) continue;
    const from = roomOf(file);
    if (from === undefined) {
      found.push(`${file}: its folder is no component of test/repository/imports.ts`);
      continue;
    }
    const isTest = isTestSupport(file);
    for (const target of targets) {
      if (!target.startsWith("src/")) {
        if (!isTest) found.push(`${file}: src must not import ${target.split("/")[0]} (${target})`);
        continue;
      }
      const to = roomOf(target);
      if (to === undefined || to.name === from.name) continue;
      const isAllowed = mayImport(from, to) || (isTest && from.floor === to.floor);
      if (!isAllowed) found.push(`${file}: ${from.name} must not import ${to.name}`);
      else if (isTestSupport(target)) {
        if (!isTest) found.push(`${file}: ${target} is for tests`);
      } else if (!isDoor(to, target) && !isTest) {
        found.push(`${file}: ${target} is not a door of ${to.name}`);
      }
    }
  }
  return found;
}

/** A component as a place: which floor it is on, and its name there. */
interface Room {
  readonly floor: Floor;
  readonly component: string;
  readonly name: string;
}

export function roomOf(file: string): Room | undefined {
  const [, floorName = "", component = ""] = file.split("/");
  const floor = floors.find(({ name }) => name === floorName);
  if (floor === undefined) return undefined;
  if (floor.name === "cli") return { floor, component: "cli", name: "cli" };
  if (!(component in floor.components)) return undefined;
  return { floor, component, name: `${floorName}/${component}` };
}

function mayImport(from: Room, to: Room): boolean {
  if (from.floor === to.floor) {
    return from.floor.components[from.component]?.includes(to.component) ?? false;
  }
  if (foundations.includes(to.floor.name))
    return floors.indexOf(to.floor) < floors.indexOf(from.floor);
  return from.floor.beside?.includes(to.floor.name) ?? false;
}

/** A file that others may import: one in the folder of the component, not in a folder below it. */
export function isDoor({ floor, component }: Room, file: string): boolean {
  const [, , , name = "", ...deeper] = file.split("/");
  if (deeper.length > 0) return false;
  if (floor.hasOneDoor !== true) return true;
  return name === `${component}.ts` || (floor.doors?.[component]?.includes(name) ?? false);
}

/** Tests, the fakes beside ports, and everything else that tests share, which is in `testing` folders. */
export function isTestSupport(file: string): boolean {
  return /\.(test|fake)\.ts$|\/(testing|testdata)\//.test(file);
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
