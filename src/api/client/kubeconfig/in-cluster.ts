// Access of a program that runs in a pod, by its service account.

import { join } from "node:path";
import type { Access } from "../access.ts";
import { KubeconfigError } from "./fields.ts";
import type { Machine } from "./machine.ts";
import { fileLifetimeMs, renewedCredentials } from "./renewed-credentials.ts";

const directory = "/var/run/secrets/kubernetes.io/serviceaccount";

export function isInCluster({ environment }: Machine): boolean {
  return Boolean(environment["KUBERNETES_SERVICE_HOST"] && environment["KUBERNETES_SERVICE_PORT"]);
}

export async function inClusterAccess(machine: Machine): Promise<Access> {
  const { environment, clock } = machine;
  const host = environment["KUBERNETES_SERVICE_HOST"] ?? "";
  const port = environment["KUBERNETES_SERVICE_PORT"] ?? "";
  const obtain = async () => ({
    credential: { authorization: `Bearer ${await read(machine, "token")}` },
    until: clock.now() + fileLifetimeMs,
  });
  const credentials = renewedCredentials(obtain, clock);
  await credentials.current();
  return {
    server: new URL(`https://${host.includes(":") ? `[${host}]` : host}:${port}`),
    authorities: await read(machine, "ca.crt"),
    credentials,
    namespace: (await machine.files.read(join(directory, "namespace")))?.trim() || "default",
  };
}

async function read({ files }: Machine, name: string): Promise<string> {
  const path = join(directory, name);
  const text = (await files.read(path))?.trim();
  if (text) return text;
  throw new KubeconfigError(`Cannot use the service account: ${path} is missing or empty`);
}
