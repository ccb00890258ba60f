// Where each thing of a check is to be asked, by family.

import type { Pod, Service } from "../api/types/core.ts";
import { type Family, families } from "../net/family.ts";
import { echoPort, externalAddresses, ingressPath, servicePort } from "./check-objects.ts";
import {
  familiesServed,
  nodeAddress,
  type Outside,
  ofFamily,
  podAddress,
  type Stage,
  type Stand,
} from "./check-stage.ts";

export const protocols = ["http", "udp"] as const;
export type Protocol = (typeof protocols)[number];

export interface Target {
  /** An address, or a name. */
  readonly host: string;
  readonly ports: Readonly<Record<Protocol, number>>;
  readonly path?: string;
  /** Pods of which one answers; anybody may when not given. */
  readonly answeredBy?: readonly string[];
  /** The address that the receiver is to see: nobody translates it on the way. */
  readonly seenAs?: string | undefined;
}

/** Nothing where there is nothing of this family. */
export type Reach = (family: Family) => Target | undefined;

export function besideIn({ client }: Stand): Reach {
  return (family) =>
    podAddress(client, family) === undefined
      ? undefined
      : target(loopback[family], { port: echoPort, pods: [client] });
}

export function podOn({ server }: Stand, asker?: Pod): Reach {
  return seenAs(asker, (family) =>
    target(podAddress(server, family), { port: echoPort, pods: [server] }),
  );
}

export function nodeOf({ node, host }: Stand, { hostPort }: Stage): Reach {
  return (family) => target(nodeAddress(node, family), { port: hostPort + 1, pods: [host] });
}

export function clusterIp(stage: Stage, asker?: Pod): Reach {
  const { clusterIPs = [] } = stage.services.web.spec;
  return seenAs(asker, (family) =>
    target(ofFamily(clusterIPs, family), { port: servicePort, pods: serversOf(stage) }),
  );
}

/** Of services that have one family each. Pods know the domain it is in. */
export function nameOf(
  stage: Stage,
  { services, port }: { readonly services: readonly Service[]; readonly port: number },
): Reach {
  return (family) => {
    const service = services.find(({ spec }) => spec.ipFamilies?.[0] === family);
    const host = service && `${service.metadata.name}.${stage.namespace}.svc`;
    return target(host, { port, pods: serversOf(stage) });
  };
}

export function nodePortOf(stage: Stage, { node }: Stand): Reach {
  const { web } = stage.services;
  const portOf = (name: string) =>
    web.spec.ports?.find((each) => each.name === name)?.nodePort ?? 0;
  return (family) => {
    const host = familiesServed(web).includes(family) ? nodeAddress(node, family) : undefined;
    const found = target(host, { port: 0, pods: serversOf(stage) });
    return found && { ...found, ports: { http: portOf("tcp"), udp: portOf("udp") } };
  };
}

export function hostPortOf(stage: Stage, { node, server }: Stand): Reach {
  return (family) =>
    target(podAddress(server, family) && nodeAddress(node, family), {
      port: stage.hostPort,
      pods: [server],
    });
}

export function externalIp(stage: Stage): Reach {
  const { external } = stage.services;
  return (family) =>
    "refusal" in external || !familiesServed(external).includes(family)
      ? undefined
      : target(externalAddresses[family], {
          port: external.spec.ports?.[0]?.port ?? servicePort,
          pods: serversOf(stage),
        });
}

export function loadBalancer(stage: Stage, { status }: Service): Reach {
  const given = (status?.loadBalancer?.ingress ?? []).flatMap(({ ip }) => ip ?? []);
  return (family) => target(ofFamily(given, family), { port: servicePort, pods: serversOf(stage) });
}

export function ingress(stage: Stage, addresses: readonly string[]): Reach {
  const path = ingressPath(stage.namespace);
  return (family) => {
    const found = target(ofFamily(addresses, family), { port: 80, pods: serversOf(stage) });
    return found && { ...found, path };
  };
}

/** A name leads wherever it leads: it is asked once. */
export function outside({ families: checked }: Stage, { host, port }: Outside): Reach {
  const own = families.find((family) => ofFamily([host], family) !== undefined) ?? checked[0];
  return (family) => (family === own ? target(host, { port }) : undefined);
}

function target(
  host: string | undefined,
  { port, pods }: { readonly port: number; readonly pods?: readonly Pod[] },
): Target | undefined {
  if (host === undefined) return undefined;
  const answeredBy = pods?.map(({ metadata }) => metadata.name);
  return { host, ports: { http: port, udp: port }, ...(answeredBy && { answeredBy }) };
}

function seenAs(asker: Pod | undefined, reach: Reach): Reach {
  if (asker === undefined) return reach;
  return (family) => {
    const found = reach(family);
    return found && { ...found, seenAs: podAddress(asker, family) };
  };
}

function serversOf({ stands }: Stage): readonly Pod[] {
  return stands.map(({ server }) => server);
}

const loopback: Readonly<Record<Family, string>> = { IPv4: "127.0.0.1", IPv6: "::1" };
