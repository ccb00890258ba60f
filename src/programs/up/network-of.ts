import { glob } from "node:fs/promises";
import { join } from "node:path";
import type { Files } from "../../base/host/files.ts";
import { UsageError } from "../../base/program/errors.ts";
import { readRecord } from "../../node/pods/pods.ts";
import { namespacePath } from "./build-topology.ts";
import { type FoundCluster, fromOutside, hostsOf } from "./find-cluster.ts";
import { runDirectoryOf } from "./programs.ts";
import type { ClusterHost } from "./topology.ts";

/** Returns the network namespace of a host or of a pod, as a path inside of the enclosure. */
export async function networkOf(
  cluster: FoundCluster,
  files: Files,
  place: string,
): Promise<string> {
  const hosts = hostsOf(cluster.topology);
  const host = hosts.find(({ name }) => name === place);
  if (host !== undefined) return namespacePath(host);
  const [namespace = "", name] = place.includes("/") ? place.split("/") : ["default", place];
  for (const node of cluster.topology.nodes) {
    const sandboxes = await sandboxesOn(node, cluster, files);
    const pod = sandboxes.find((each) => each.namespace === namespace && each.name === name);
    if (pod !== undefined) return pod.namespaces.network ?? namespacePath(node);
  }
  const known = hosts.map((each) => each.name).join(", ");
  throw new UsageError(
    `Cannot enter ${place}: no node runs pod ${namespace}/${name}, and the hosts are ${known}`,
  );
}

async function sandboxesOn(node: ClusterHost, cluster: FoundCluster, files: Files) {
  const cwd = fromOutside(cluster, runDirectoryOf(node));
  const paths = await Array.fromAsync(glob("pods/{,*/}*/sandbox.json", { cwd }));
  const texts = await Promise.all(paths.map((path) => files.read(join(cwd, path))));
  return texts
    .flatMap((text) => (text === undefined ? [] : (readRecord(text) ?? [])))
    .filter(({ isReady }) => isReady);
}
