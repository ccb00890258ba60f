// The traces of pods on the nodes of a cluster: mounts, interfaces, files, processes, cgroups and addresses.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Pod } from "../../src/api/types/core.ts";
import { systemIp } from "../../src/base/host/ip.system.ts";
import { cgroupMounts } from "../../src/node/runtime/runtime.ts";
import { clusterCgroup } from "../../src/programs/up/cgroups.ts";
import { type FoundCluster, findCluster, fromOutside } from "../../src/programs/up/find-cluster.ts";
import { clusterMachine } from "../../src/programs/up/machine.ts";
import { dataPlaces } from "../../src/programs/up/places.ts";
import { processesAround } from "../../src/programs/up/processes.ts";
import type { TestCluster } from "../e2e/cluster.fixture.ts";

export interface Trace {
  readonly node: string;
  /** What it is, and its name: two traces with the same words are the same. */
  readonly words: string;
  /** The pod's uid, or its namespace and name; undefined when the trace does not tell it. */
  readonly pod?: string | undefined;
}

/** Lists what pods have on these nodes, and the addresses that are reserved for them in the cluster. */
export async function tracesOf(
  cluster: TestCluster,
  nodes: readonly string[],
): Promise<readonly Trace[]> {
  const found = await findCluster(await clusterMachine(process.env), cluster.name);
  const own = await Promise.all(nodes.map((node) => tracesOn(node, cluster, found)));
  return [...own.flat(), ...(await mountsIn(cluster, found)), ...(await addressesIn(cluster))];
}

/**
 * Returns what the nodes have but should not: traces of pods that are gone, and those that belong to no known
 * pod and were not there before.
 */
export function leftBehind(
  before: readonly Trace[],
  after: readonly Trace[],
  pods: readonly Pod[],
): readonly Trace[] {
  const known = new Set(before.map(({ words }) => words));
  const living = new Set(
    pods.flatMap(({ metadata: { uid = "", namespace, name } }) => [uid, `${namespace}/${name}`]),
  );
  return after.filter(({ pod, words }) =>
    pod === undefined ? !known.has(words) : !living.has(pod),
  );
}

/** Returns the lines of the agents' logs that mention these traces, and the last ones of each agent. */
export async function logsAbout(cluster: TestCluster, left: readonly Trace[]): Promise<string> {
  const { logs } = dataPlaces(join(cluster.directory, "data"));
  const nodes = [...new Set(left.map(({ node }) => node))].filter((node) => node !== everywhere);
  const words = [...new Set(left.flatMap(({ pod }) => pod?.split("/").at(-1) ?? []))];
  const parts = nodes.map(async (node) => {
    const lines = (await readFile(join(logs, `${node}.log`), "utf8")).trim().split("\n");
    const telling = lines.filter(
      (line, index) => index >= lines.length - 30 || words.some((word) => line.includes(word)),
    );
    return [`The log of ${node} about ${words.join(", ")}, and its end:`, ...telling].join("\n");
  });
  return (await Promise.all(parts)).join("\n");
}

const everywhere = "cluster";

async function tracesOn(
  node: string,
  cluster: TestCluster,
  found: FoundCluster,
): Promise<readonly Trace[]> {
  const data = join(dataPlaces(join(cluster.directory, "data")).nodes, node);
  const run = fromOutside(found, `/run/${node}/pods/pods`);
  const trace = (words: string, pod?: string): Trace => ({ node, words, pod });
  const links = await systemIp(cluster.in(node)).links();
  const logs = (await namesIn(join(data, "logs"))).map((name) =>
    trace(`log ${name}`, name.split("_").at(-1)),
  );
  const containers = join(data, "containers", "containers");
  const owners = new Map<string, string | undefined>();
  for (const id of await namesIn(containers)) {
    owners.set(id, await ownerOf(join(containers, id, "record.json")));
  }
  const processes = (await processesAround(found.init)).flatMap(({ command }) => {
    const id = command.find((word) => word.startsWith("--cid="))?.slice("--cid=".length);
    const isHere = command.some((word) => word.startsWith(`--bundle=${data}/`));
    return id === undefined || !isHere ? [] : [trace(`conmon ${id}`, owners.get(id))];
  });
  return [
    ...links.map(({ name }) => trace(`interface ${name}`)),
    ...(await namesIn(run)).map((uid) => trace(`sandbox ${uid}`, uid)),
    ...(await namesIn(join(data, "pods", "pods"))).map((uid) => trace(`files ${uid}`, uid)),
    ...logs,
    ...[...owners].map(([id, pod]) => trace(`container ${id}`, pod)),
    ...processes,
    ...(await cgroupsOf(cluster, node)).map((path) =>
      trace(`cgroup ${path}`, owners.get(path.split("/").at(-1) ?? "")),
    ),
  ];
}

async function cgroupsOf({ name }: TestCluster, node: string): Promise<readonly string[]> {
  const mounts = cgroupMounts(await readFile("/proc/self/mountinfo", "utf8"));
  const paths = mounts.map(async ({ directory }) => {
    const parent = join(directory, clusterCgroup(name), node);
    const found = await namesIn(parent, "folders");
    return found.map((id) => join(parent, id));
  });
  return (await Promise.all(paths)).flat();
}

/** Lists the mounts of pods in the enclosure; the mounts of a container are in a namespace of its own. */
async function mountsIn({ directory }: TestCluster, { init }: FoundCluster): Promise<Trace[]> {
  const lines = (await readFile(`/proc/${init}/mountinfo`, "utf8")).trim().split("\n");
  return lines.flatMap((line) => {
    const place = line.split(" ")[4] ?? "";
    const [, node, pod] = /^\/run\/([^/]+)\/pods\/pods\/([^/]+)/.exec(place) ?? [];
    if (node !== undefined) return [{ node, words: `mount ${place}`, pod }];
    return place.startsWith(`${directory}/`) ? [{ node: everywhere, words: `mount ${place}` }] : [];
  });
}

/**
 * Lists the addresses that pools hold for pods, without those kept for a while for pods that may return, and
 * the marks that keep other pools from giving them.
 */
async function addressesIn({ kubectl }: TestCluster): Promise<Trace[]> {
  const list = async <T>(kind: string) =>
    (JSON.parse(await kubectl.run("get", kind, "-A", "-o", "json")) as { items: T[] }).items;
  const pools = await list<Pool>("ippools");
  const marks = await list<AddressMark>("overlappingrangeipreservations");
  return [
    ...pools.flatMap(({ metadata: { name }, spec: { allocations = {} } }) =>
      Object.entries(allocations)
        .filter(([, { id }]) => !id.startsWith("kept-until/"))
        .map(([offset, { id, podref: pod }]) => {
          const words = `address ${offset} of ${name} for ${id}`;
          return { node: everywhere, words, pod };
        }),
    ),
    ...marks.map(({ metadata: { name }, spec: { podref: pod } }) => {
      return { node: everywhere, words: `mark of address ${name}`, pod };
    }),
  ];
}

interface Pool {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly allocations?: Readonly<
      Record<string, { readonly id: string; readonly podref: string }>
    >;
  };
}

interface AddressMark {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly podref: string };
}

async function ownerOf(record: string): Promise<string | undefined> {
  try {
    const { labels } = JSON.parse(await readFile(record, "utf8")) as {
      labels: { podUid: string };
    };
    return labels.podUid;
  } catch (error) {
    // A container that is being made or removed has no record, or half of one.
    if (error instanceof SyntaxError || isMissing(error)) return undefined;
    throw error;
  }
}

async function namesIn(directory: string, which: "all" | "folders" = "all"): Promise<string[]> {
  try {
    const entries = await readdir(directory, { withFileTypes: true });
    const wanted = entries.filter((entry) => which === "all" || entry.isDirectory());
    return wanted.map(({ name }) => name);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "");
}
