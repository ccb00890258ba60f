// Finds the server and the credentials the way kubectl does.

import { join } from "node:path";
import type { Access } from "../access.ts";
import { clusterOf } from "./cluster.ts";
import { combine, type Kubeconfig, parseKubeconfig } from "./document.ts";
import { KubeconfigError } from "./fields.ts";
import { inClusterAccess, isInCluster } from "./in-cluster.ts";
import type { Machine } from "./machine.ts";
import { userOf } from "./user.ts";

export interface LoadOptions {
  /** The only file to read. Otherwise those of KUBECONFIG, else ~/.kube/config, else the service account. */
  readonly file?: string | undefined;
  /** The context; the file's current one if not given. */
  readonly context?: string | undefined;
}

export async function loadAccess(machine: Machine, options: LoadOptions = {}): Promise<Access> {
  const paths = pathsOf(machine, options);
  const configs: Kubeconfig[] = [];
  for (const path of paths) {
    const text = await machine.files.read(path);
    if (text !== undefined) configs.push(await parseKubeconfig(path, text));
  }
  if (configs.length > 0) return contextAccess(machine, combine(configs), { ...options, paths });
  if (options.file === undefined && isInCluster(machine)) return await inClusterAccess(machine);
  const missing = `${paths.join(", ")} ${paths.length === 1 ? "does" : "do"} not exist`;
  const state = paths.length === 0 ? "neither KUBECONFIG nor HOME is set" : missing;
  throw new KubeconfigError(`Cannot find a cluster: ${state}`);
}

async function contextAccess(
  machine: Machine,
  config: Kubeconfig,
  { context, paths }: LoadOptions & { readonly paths: readonly string[] },
): Promise<Access> {
  const file = paths.join(", ");
  const name = context ?? config.currentContext;
  if (name === undefined) {
    throw new KubeconfigError(`Cannot use ${file}: current-context is missing`);
  }
  const chosen = config.contexts.get(name);
  if (chosen === undefined) {
    const known = [...config.contexts.keys()].join(", ") || "none";
    throw new KubeconfigError(
      `Cannot use ${file}: there is no context "${name}"; there is ${known}`,
    );
  }
  const clusterName = chosen.required("cluster");
  const cluster = config.clusters.get(clusterName);
  if (cluster === undefined)
    return chosen.fail("cluster", `names "${clusterName}", which is nowhere`);
  const userName = chosen.text("user");
  const user = userName === undefined ? undefined : config.users.get(userName);
  if (userName !== undefined && user === undefined) {
    return chosen.fail("user", `names "${userName}", which is nowhere`);
  }
  return {
    ...(await clusterOf(machine, cluster)),
    ...(await userOf(machine, user, cluster)),
    namespace: chosen.text("namespace") ?? "default",
  };
}

function pathsOf({ environment }: Machine, { file }: LoadOptions): readonly string[] {
  if (file !== undefined) return [file];
  const listed = (environment["KUBECONFIG"] ?? "").split(":").filter((path) => path !== "");
  if (listed.length > 0) return [...new Set(listed)];
  const home = environment["HOME"] ?? "";
  return home === "" ? [] : [join(home, ".kube", "config")];
}
