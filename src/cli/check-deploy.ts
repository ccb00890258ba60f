// Brings what a check needs into a cluster, and takes it out again.

import type { Namespace, Node, Pod, Service, ServiceSpec } from "../api/types/core.ts";
import type { Client } from "../client/client.ts";
import { isAlreadyExists, isForbidden, isNotFound } from "../client/errors.ts";
import { TooLongError, until } from "../cluster/until.ts";
import type { Clock } from "../host/clock.ts";
import { type Family, families } from "../net/family.ts";
import { UsageError } from "../program/errors.ts";
import {
  checkNamespace,
  echoIngress,
  echoPod,
  echoService,
  externalAddresses,
  serverLabels,
} from "./check-objects.ts";
import { podAddress, type Services, type Stand } from "./check-stage.ts";
import { whyNotReady } from "./check-unready.ts";

export interface Deployment {
  readonly client: Client;
  readonly clock: Clock;
  readonly namespace: string;
  readonly image: string;
  readonly hostPort: number;
  /** For each thing to be ready. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

const pauseMs = 250;

/** Not to be broken off: who does not know whether it is there cannot remove it. */
export async function makeNamespace({ client, namespace }: Deployment): Promise<void> {
  try {
    await client.resource("v1", "Namespace").create(checkNamespace(namespace));
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    throw new UsageError(`Cannot use namespace=${namespace}: it is there already`, {
      hint: `A check removes its namespace at the end, so it takes none that others may need.`,
      cause: error,
    });
  }
}

/** Resolves when it is gone, whatever the signal says: the next check may want the same ports. */
export async function removeNamespace(deployment: Deployment): Promise<void> {
  const { client, namespace: name, clock, timeoutMs: limitMs } = deployment;
  const namespaces = client.resource("v1", "Namespace");
  const get = (): Promise<Namespace | undefined> =>
    namespaces.get({ name }).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
  if ((await get()) === undefined) return;
  await namespaces.delete({ name });
  const what = `namespace ${name} is gone`;
  const isGone = async () => ((await get()) === undefined ? true : undefined);
  await until(isGone, { clock, what, limitMs, pauseMs });
}

/** Three pods on each node. */
export async function deployPods(
  deployment: Deployment,
  nodes: readonly Node[],
): Promise<readonly Stand[]> {
  const { client, clock, namespace, image, hostPort, timeoutMs: limitMs, signal } = deployment;
  const pods = client.resource("v1", "Pod");
  await untilAccount(deployment);
  const wanted = nodes.flatMap(({ metadata: { name: node } }, index) => {
    const each = { namespace, image, node };
    const suffix = index + 1;
    return [
      echoPod({ ...each, name: `client-${suffix}` }),
      echoPod({ ...each, name: `server-${suffix}`, labels: serverLabels, hostPort }),
      echoPod({ ...each, name: `host-${suffix}`, hostNetwork: true, port: hostPort + 1 }),
    ];
  });
  for (const pod of wanted) await pods.create(pod, { signal });
  let unready: readonly Pod[] = wanted;
  const isReady = async (): Promise<ReadonlyMap<string, Pod> | undefined> => {
    const { items } = await pods.list({ namespace, signal });
    unready = items.filter((pod) => whyNotReady(pod) !== undefined);
    if (unready.length > 0) return undefined;
    return new Map(items.map((pod) => [pod.metadata.name, pod]));
  };
  const what = "the pods are ready";
  const found = await until(isReady, { clock, signal, what, limitMs, pauseMs }).catch(
    (cause: unknown) => {
      if (!(cause instanceof TooLongError)) throw cause;
      const states = unready.map((pod) => `${placeOf(pod)} ${whyNotReady(pod)}`);
      throw new Error(`Cannot start the pods within ${limitMs / 1000} s: ${states.join("; ")}`);
    },
  );
  const named = (name: string): Pod => {
    const pod = found.get(name);
    if (pod === undefined) throw new Error(`Cannot use pod ${name}: somebody removed it`);
    return pod;
  };
  return nodes.map((node, index) => ({
    node,
    client: named(`client-${index + 1}`),
    server: named(`server-${index + 1}`),
    host: named(`host-${index + 1}`),
  }));
}

export interface Wishes {
  readonly loadBalancer: boolean;
  /** Of the services; free at the external addresses. */
  readonly externalPort: number;
}

export async function deployServices(
  { client, namespace, clock, timeoutMs: limitMs, signal }: Deployment,
  { loadBalancer, externalPort }: Wishes,
): Promise<Services> {
  const services = client.resource("v1", "Service");
  const make = (name: string, spec: ServiceSpec): Promise<Service> =>
    services.create(echoService({ namespace, name }, spec), { signal });
  const web = await make("web", { type: "NodePort", ipFamilyPolicy: "PreferDualStack" });
  const own = families.filter((family) => web.spec.ipFamilies?.includes(family) ?? false);
  const ofEach = (name: string, spec: ServiceSpec) =>
    Promise.all(
      own.map((family) =>
        make(`${name}-${family.toLowerCase()}`, {
          ...spec,
          ipFamilies: [family],
          ipFamilyPolicy: "SingleStack",
        }),
      ),
    );
  const external = make("external", externalSpec(externalPort)).catch((error: unknown) => {
    if (isForbidden(error)) return { refusal: "the server allows no external IPs" };
    throw error;
  });
  const [named, headless, reached] = await Promise.all([
    ofEach("web", {}),
    ofEach("pods", { clusterIP: "None" }),
    external,
  ]);
  if (!loadBalancer) return { web, named, headless, external: reached };
  const { metadata } = await make("balanced", {
    type: "LoadBalancer",
    ipFamilyPolicy: "PreferDualStack",
  });
  const given = async () => {
    const service = await services.get(metadata, { signal });
    return (service.status?.loadBalancer?.ingress ?? []).length > 0 ? service : undefined;
  };
  const what = "the load balancer has an address";
  const balanced = await until(given, { clock, signal, what, limitMs, pauseMs });
  return { web, named, headless, external: reached, balanced };
}

/** Its addresses. */
export async function deployIngress(
  { client, namespace, clock, timeoutMs: limitMs, signal }: Deployment,
  className: string,
): Promise<readonly string[]> {
  const ingresses = client.resource("networking.k8s.io/v1", "Ingress");
  const { metadata } = await ingresses.create(echoIngress(namespace, className), { signal });
  const given = async () => {
    const { status } = await ingresses.get(metadata, { signal });
    const addresses = (status?.loadBalancer?.ingress ?? []).flatMap(({ ip }) => ip ?? []);
    return addresses.length > 0 ? addresses : undefined;
  };
  const what = "the ingress has an address";
  return await until(given, { clock, signal, what, limitMs, pauseMs });
}

/** Those of which every pod of these has an address. */
export function familiesOf(stands: readonly Stand[]): readonly Family[] {
  return families.filter((family) =>
    stands.some(({ client }) => podAddress(client, family) !== undefined),
  );
}

function externalSpec(port: number): ServiceSpec {
  const { ports = [] } = echoService({ namespace: "", name: "" }).spec;
  return {
    ipFamilyPolicy: "PreferDualStack",
    externalIPs: Object.values(externalAddresses),
    ports: ports.map((each) => ({ ...each, port })),
  };
}

/** Servers refuse pods of a namespace that has no account yet. */
async function untilAccount(deployment: Deployment): Promise<void> {
  const { client, namespace, clock, timeoutMs: limitMs, signal } = deployment;
  const accounts = client.resource("v1", "ServiceAccount");
  const find = () =>
    accounts.get({ namespace, name: "default" }, { signal }).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
  const what = `namespace ${namespace} has an account`;
  await until(find, { clock, signal, what, limitMs, pauseMs });
}

function placeOf({ metadata, spec }: Pod): string {
  return `${metadata.name} on ${spec.nodeName}`;
}
