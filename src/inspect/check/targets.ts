// Where each thing of a check is to be asked, by family.

import type { Pod, Service } from "../../api/types/core.ts";
import { type Family, families } from "../../base/net/family.ts";
import { echoPort, externalAddresses, servicePort } from "./objects.ts";
import {
  familiesServed,
  nodeAddress,
  type Outside,
  ofFamily,
  podAddress,
  type Stage,
  type Stand,
} from "./stage.ts";

export const protocols = ["http", "udp"] as const;
export type Protocol = (typeof protocols)[number];

export interface Target {
  /** An address, or a name. */
  readonly host: string;
  readonly ports: Readonly<Record<Protocol, number>>;
  readonly path?: string;
  /** The pod that is to answer; anybody may when not given. */
  readonly answeredBy?: string;
  /** The address that the receiver is to see: nobody translates it on the way. */
  readonly seenAs?: string | undefined;
  /** Somebody asks in our place, by the family he likes. */
  readonly isRelayed?: boolean;
}

/** Nothing where there is nothing of this family. */
export type Reach = (family: Family) => Target | undefined;

export function besideIn({ client }: Stand): Reach {
  return (family) =>
    podAddress(client, family) === undefined
      ? undefined
      : target(loopback[family], { port: echoPort, pod: client });
}

export function podOn({ server }: Stand, asker?: Pod): Reach {
  return seenAs(asker, (family) =>
    target(podAddress(server, family), { port: echoPort, pod: server }),
  );
}

export function nodeOf({ node, host }: Stand, { hostPort }: Stage): Reach {
  return (family) => target(nodeAddress(node, family), { port: hostPort + 1, pod: host });
}

export function clusterIpOf({ services, server }: Stand, asker?: Pod): Reach {
  const { clusterIPs = [] } = services.web.spec;
  return seenAs(asker, (family) =>
    target(ofFamily(clusterIPs, family), { port: servicePort, pod: server }),
  );
}

export function nameOf({ services, server }: Stand): Reach {
  return byName(services.named, { port: servicePort, pod: server });
}

export function podNameOf({ services, server }: Stand): Reach {
  return byName(services.headless, { port: echoPort, pod: server });
}

export function externalIpOf({ services: { external }, server }: Stand): Reach {
  return (family) =>
    "refusal" in external || !familiesServed(external).includes(family)
      ? undefined
      : target(externalAddresses[family], {
          port: external.spec.ports?.[0]?.port ?? servicePort,
          pod: server,
        });
}

export function nodePortOf({ node, server, services: { web } }: Stand): Reach {
  const portOf = (name: string) =>
    web.spec.ports?.find((each) => each.name === name)?.nodePort ?? 0;
  return (family) => {
    const host = familiesServed(web).includes(family) ? nodeAddress(node, family) : undefined;
    const found = target(host, { port: 0, pod: server });
    return found && { ...found, ports: { http: portOf("tcp"), udp: portOf("udp") } };
  };
}

export function hostPortOf({ node, server }: Stand, { hostPort: port }: Stage): Reach {
  return (family) =>
    target(podAddress(server, family) && nodeAddress(node, family), { port, pod: server });
}

export function frontOf(
  { server }: Stand,
  { addresses, path }: { readonly addresses: readonly string[]; readonly path?: string },
): Reach {
  return (family) => {
    const found = target(ofFamily(addresses, family), { port: servicePort, pod: server });
    return found && { ...found, ...(path === undefined ? {} : { path, isRelayed: true }) };
  };
}

/** A name leads wherever it leads: it is asked once. */
export function outside({ families: checked }: Stage, { host, port }: Outside): Reach {
  const own = families.find((family) => ofFamily([host], family) !== undefined) ?? checked[0];
  return (family) => (family === own ? target(host, { port }) : undefined);
}

/** Pods know the domain that names are in. */
function byName(
  services: readonly Service[],
  place: { readonly port: number; readonly pod: Pod },
): Reach {
  return (family) => {
    const { metadata } = services.find(({ spec }) => spec.ipFamilies?.[0] === family) ?? {};
    return target(metadata && `${metadata.name}.${metadata.namespace}.svc`, place);
  };
}

function target(
  host: string | undefined,
  { port, pod }: { readonly port: number; readonly pod?: Pod },
): Target | undefined {
  if (host === undefined) return undefined;
  const answeredBy = pod && { answeredBy: pod.metadata.name };
  return { host, ports: { http: port, udp: port }, ...answeredBy };
}

function seenAs(asker: Pod | undefined, reach: Reach): Reach {
  if (asker === undefined) return reach;
  return (family) => {
    const found = reach(family);
    return found && { ...found, seenAs: podAddress(asker, family) };
  };
}

const loopback: Readonly<Record<Family, string>> = { IPv4: "127.0.0.1", IPv6: "::1" };
