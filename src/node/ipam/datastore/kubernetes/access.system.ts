import { readFileSync } from "node:fs";
import type { Access } from "../../../../api/client/access.ts";
import { isInCluster, KubeconfigError, loadAccess } from "../../../../api/client/kubeconfig.ts";
import { systemClock } from "../../../../base/host/clock.system.ts";
import type { Commands } from "../../../../base/host/command.ts";
import { systemFiles } from "../../../../base/host/files.system.ts";
import { isObject } from "../../../../base/json/value.ts";
import { systemCode } from "../../../../base/program/errors.ts";
import type { KubernetesSettings } from "../../config/datastore.ts";
import { invalidField, type JsonObject } from "../../config/fields.ts";
import { IpamError, messageOf } from "../../errors.ts";
import { bun } from "../../runtime.ts";

/** The namespace of whereabouts' pools, unless the kubeconfig names another. */
const usualNamespace = "kube-system";

export async function openAccess({ kubeconfig, server }: KubernetesSettings): Promise<Access> {
  const file = kubeconfig === undefined ? undefined : await readKubeconfig(kubeconfig);
  // Files of a user are not searched: who starts a plugin passes KUBECONFIG and HOME on without meaning it.
  const { KUBECONFIG: _, HOME: __, ...withoutUser } = process.env;
  const environment = kubeconfig === undefined ? withoutUser : process.env;
  const machine = {
    clock: systemClock,
    commands: lateCommands,
    environment,
    files: { ...systemFiles, read: (path: string) => readAs(path, kubeconfig, file) },
  };
  try {
    const access = await loadAccess(machine, { file: kubeconfig });
    const namespace = file === undefined ? access.namespace : (namespaceOf(file) ?? usualNamespace);
    return { ...access, namespace, ...(server === undefined ? {} : { server: new URL(server) }) };
  } catch (error) {
    if (!(error instanceof KubeconfigError)) throw error;
    if (kubeconfig === undefined && !isInCluster(machine)) throw withoutKubeconfig();
    throw new IpamError("invalidConfiguration", error.message, error.cause);
  }
}

/** Names the configuration key that would help; a plugin has no files of a user's own. */
function withoutKubeconfig(): IpamError {
  const state = "it is not set, and the plugin does not run in a pod with a service account";
  return invalidField("ipam.kubernetes.kubeconfig", state);
}

/**
 * The module that runs programs is loaded only when a kubeconfig names a credential program, which few
 * do.
 */
const lateCommands: Commands = {
  run: async (...call) => (await loadCommands()).run(...call),
  start: async (...call) => (await loadCommands()).start(...call),
};

async function loadCommands(): Promise<Commands> {
  const { systemCommands } = await import("../../../../base/host/command.system.ts");
  return systemCommands();
}

/** Reads a file; the kubeconfig is returned as JSON, which needs no library to be parsed. */
async function readAs(path: string, kubeconfig?: string, file?: JsonObject) {
  if (file !== undefined && path === kubeconfig) return JSON.stringify(file);
  return systemFiles.read(path);
}

async function readKubeconfig(path: string): Promise<JsonObject> {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    const reason = systemCode(error) === "ENOENT" ? "invalidConfiguration" : "inputOutput";
    throw new IpamError(reason, `Cannot read kubeconfig ${path}: ${messageOf(error)}`, error);
  }
  try {
    const { parse } = bun?.YAML ?? (await import("yaml"));
    const parsed: unknown = parse(text);
    if (isObject(parsed)) return parsed;
  } catch (error) {
    throw new IpamError("decoding", `Cannot decode kubeconfig ${path}: ${messageOf(error)}`, error);
  }
  throw new IpamError("decoding", `Cannot decode kubeconfig ${path}: it has no fields`);
}

function namespaceOf(kubeconfig: JsonObject): string | undefined {
  const contexts = Array.isArray(kubeconfig.contexts) ? (kubeconfig.contexts as unknown[]) : [];
  const current = contexts
    .filter(isObject)
    .find(({ name }) => name === kubeconfig["current-context"]);
  const namespace = isObject(current?.context) ? current.context.namespace : undefined;
  return typeof namespace === "string" && namespace !== "" ? namespace : undefined;
}
