// Deploys the services of a check.

import { isForbidden } from "../../api/client/errors.ts";
import type { Pod, Service, ServiceSpec } from "../../api/types/core.ts";
import { until } from "../../base/host/until.ts";
import { defined } from "../../base/json/defined.ts";
import { families } from "../../base/net/family.ts";
import type { Deployment } from "./deploy.ts";
import { echoIngress, echoService, externalAddresses } from "./objects.ts";
import type { Fronts, Services } from "./stage.ts";

const pauseMs = 250;
const both = { ipFamilyPolicy: "PreferDualStack" as const } as const;

/** Deploys the services in front of one server. */
export async function deployServices(
  deployment: Deployment,
  { server, externalPort }: { readonly server: Pod; readonly externalPort: number },
): Promise<Services> {
  const make = (name: string, spec: ServiceSpec, port?: number) =>
    makeService(deployment, { server, name, spec, port });
  const web = await make("web", { ...both, type: "NodePort" as const });
  const own = families.filter((family) => web.spec.ipFamilies?.includes(family) ?? false);
  const ofEach = (name: string, spec: ServiceSpec) =>
    own.map((family) => {
      const one = { ipFamilies: [family], ipFamilyPolicy: "SingleStack" as const };
      return make(`${name}-${family.toLowerCase()}`, { ...spec, ...one });
    });
  const externalIPs = Object.values(externalAddresses);
  const external = make("external", { ...both, externalIPs }, externalPort).catch(
    (error: unknown) => {
      if (isForbidden(error)) return { refusal: "the server allows no external IPs" };
      throw error;
    },
  );
  return {
    web,
    named: await Promise.all(ofEach("web", {})),
    headless: await Promise.all(ofEach("pods", { clusterIP: "None" })),
    external: await external,
  };
}

export interface Wishes {
  readonly loadBalancer: boolean;
  readonly ingressClass: string | undefined;
}

/** Deploys the load balancer and the Ingress that are asked for, and waits for their addresses. */
export async function deployFronts(
  deployment: Deployment,
  { server, loadBalancer, ingressClass }: Wishes & { readonly server: Pod },
): Promise<Fronts> {
  return {
    ...(loadBalancer ? { loadBalancer: await balance(deployment, server) } : {}),
    ...(ingressClass === undefined
      ? {}
      : { ingress: await enter(deployment, { server, ingressClass }) }),
  };
}

async function balance(deployment: Deployment, server: Pod): Promise<readonly string[]> {
  const spec = { ...both, type: "LoadBalancer" as const };
  const { metadata } = await makeService(deployment, { server, name: "balanced", spec });
  const services = deployment.client.resource("v1", "Service");
  return await addressesOf(deployment, {
    what: "the load balancer",
    get: () => services.get(metadata, { signal: deployment.signal }),
  });
}

async function enter(
  deployment: Deployment,
  { server, ingressClass }: { readonly server: Pod; readonly ingressClass: string },
): Promise<readonly string[]> {
  const { client, namespace, signal } = deployment;
  const ingresses = client.resource("networking.k8s.io/v1", "Ingress");
  const wanted = echoIngress({ namespace, name: nameFor("web", server) }, ingressClass);
  const { metadata } = await ingresses.create(wanted, { signal });
  return await addressesOf(deployment, {
    what: "the ingress",
    get: () => ingresses.get(metadata, { signal }),
  });
}

interface Fronted {
  status?: { loadBalancer?: { ingress?: { ip?: string }[] } };
}

async function addressesOf(
  { clock, signal, timeoutMs: limitMs }: Deployment,
  { what, get }: { readonly what: string; readonly get: () => Promise<Fronted> },
): Promise<readonly string[]> {
  const given = async () => {
    const { status } = await get();
    const addresses = (status?.loadBalancer?.ingress ?? []).flatMap(({ ip }) => ip ?? []);
    return addresses.length > 0 ? addresses : undefined;
  };
  return await until(given, { clock, signal, what: `${what} has an address`, limitMs, pauseMs });
}

async function makeService(
  { client, namespace, signal }: Deployment,
  options: {
    readonly server: Pod;
    readonly name: string;
    readonly spec: ServiceSpec;
    readonly port?: number | undefined;
  },
): Promise<Service> {
  const { server, name, spec, port } = options;
  const metadata = { namespace, name: nameFor(name, server), server: server.metadata.name };
  const draft = echoService({ ...metadata, ...defined({ port }) }, spec);
  return await client.resource("v1", "Service").create(draft, { signal });
}

function nameFor(name: string, server: Pod): string {
  return `${name}-${server.metadata.name}`;
}
