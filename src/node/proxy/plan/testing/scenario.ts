// A small cluster in which every party has a name and an address in each family, so that the fate of a
// packet can be written down once for both families.

import type { Service, ServicePort, ServiceSpec } from "../../../../api/types/core.ts";
import type { Endpoint, EndpointSlice } from "../../../../api/types/discovery.ts";
import { defined } from "../../../../base/json/defined.ts";
import type { Address } from "../../../../base/net/address.ts";
import { type Family, families } from "../../../../base/net/family.ts";
import { Prefix } from "../../../../base/net/prefix.ts";
import { DesiredState } from "../desired-state.ts";
import type { FamilySettings, Frontend, Protocol } from "../frontend.ts";
import { type Outcome, trace } from "./trace.ts";

/** The host part of each party's address, in the network it belongs to. */
const parties = {
  /**
   * The pods: `pod` is a client on this node; `a` and `d` are endpoints on this node, `b` and `c` on
   * other nodes.
   */
  pod: ["pods", 0x105],
  a: ["pods", 0x10a],
  d: ["pods", 0x10d],
  b: ["pods", 0x20b],
  c: ["pods", 0x30c],
  node: ["nodes", 1],
  peer: ["nodes", 2],
  client: ["world", 9],
  stranger: ["world", 0x4009],
  cluster: ["services", 1],
  other: ["services", 2],
  unused: ["services", 3],
  lb: ["public", 7],
  lb2: ["public", 8],
  external: ["public", 9],
  loopback: ["loopback", 1],
} as const;

export type Party = keyof typeof parties;

const networks: Readonly<Record<Family, Readonly<Record<string, string>>>> = {
  IPv4: {
    pods: "10.1.0.0/16",
    nodes: "192.168.0.0/24",
    world: "203.0.0.0/16",
    services: "10.96.0.0/16",
    public: "198.51.100.0/24",
    loopback: "127.0.0.0/8",
  },
  IPv6: {
    pods: "fd00:1::/64",
    nodes: "fd00:192::/64",
    world: "2001:db8::/64",
    services: "fd00:96::/112",
    public: "2001:db8:100::/64",
    loopback: "::/96",
  },
};

export function addressOf(party: Party, family: Family): Address {
  const [network, host] = parties[party];
  return networkOf(network, family).at(BigInt(host));
}

export function networkOf(network: string, family: Family): Prefix {
  return Prefix.parse(networks[family][network] ?? "");
}

export function settingsOf(family: Family, changes: Partial<FamilySettings> = {}): FamilySettings {
  return {
    family,
    podPrefix: networkOf("pods", family),
    nodePortPrefixes: [networkOf("nodes", family)],
    servesLoopback: false,
    masqueradeAll: false,
    ...changes,
  };
}

export interface ScenarioOptions {
  readonly settings?: (family: Family) => Partial<FamilySettings>;
  readonly zone?: string;
  readonly proxyName?: string;
}

export function openState({ settings, zone, proxyName }: ScenarioOptions = {}): DesiredState {
  return new DesiredState({
    node: {
      name: "here",
      zone,
      addresses: families.map((family) => addressOf("node", family)),
    },
    families: families.map((family) => settingsOf(family, settings?.(family))),
    proxyName,
  });
}

type Both = readonly Party[];

interface ServiceShape extends Partial<Omit<ServiceSpec, "externalIPs" | "clusterIPs" | "ports">> {
  readonly name?: string;
  readonly labels?: Record<string, string>;
  readonly since?: string;
  readonly ports?: readonly (Partial<ServicePort> & { port: number })[];
  /** The names of its cluster IPs, external IPs and load balancer addresses, each in every family. */
  readonly cluster?: Both;
  readonly external?: Both;
  readonly lb?: Both;
  /** The families in which it has cluster IPs; both when not given. */
  readonly clusterFamilies?: readonly Family[];
  readonly ipMode?: string;
}

/** A service on port 80 with cluster IPs of both families. */
export function service(shape: ServiceShape = {}): Service {
  const { name = "web", labels, since, cluster = ["cluster"], external, lb, ipMode } = shape;
  const { clusterFamilies = families, ports = [{ port: 80 }], ...spec } = shape;
  const texts = (names: Both, wanted: readonly Family[] = families): string[] =>
    wanted.flatMap((family) => names.map((party) => addressOf(party, family).toString()));
  for (const own of ["name", "labels", "since", "cluster", "external", "lb", "ipMode"] as const) {
    delete spec[own];
  }
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: {
      name,
      namespace: "shop",
      ...defined({ labels }),
      creationTimestamp: since ?? "2026-01-01T00:00:00Z",
    },
    spec: {
      type: lb === undefined ? "ClusterIP" : "LoadBalancer",
      ...spec,
      clusterIPs: texts(cluster, clusterFamilies),
      ports: ports.map((port) => ({ protocol: "TCP", ...port })),
      ...(external !== undefined && { externalIPs: texts(external) }),
    },
    ...(lb !== undefined && {
      status: {
        loadBalancer: {
          ingress: texts(lb).map((ip) => ({ ip, ...defined({ ipMode }) })),
        },
      },
    }),
  };
}

const nodeNames: Partial<Record<Party, string>> = {
  a: "here",
  d: "here",
  b: "there",
  c: "yonder",
};

interface SliceShape {
  readonly of?: string;
  /** The suffix of the slice's name, which tells several slices apart. */
  readonly suffix?: string;
  readonly ports?: EndpointSlice["ports"];
  readonly families?: readonly Family[];
}

/** Makes one EndpointSlice per family with these backends, each on port 8080 unless told otherwise. */
export function slices(
  backends: Partial<Record<Party, Omit<Endpoint, "addresses">>> | readonly Party[],
  { of = "web", suffix = "", ports = [{ port: 8080, protocol: "TCP" }], ...shape }: SliceShape = {},
): EndpointSlice[] {
  const entries: readonly (readonly [string, Omit<Endpoint, "addresses">])[] = Array.isArray(
    backends,
  )
    ? (backends as readonly Party[]).map((party) => [party, {}] as const)
    : Object.entries(backends);
  return (shape.families ?? families).map((family) => ({
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      name: `${of}-${suffix}${family.toLowerCase()}`,
      namespace: "shop",
      labels: { "kubernetes.io/service-name": of },
    },
    addressType: family,
    ports,
    endpoints: entries.map(([party, rest]) => ({
      addresses: [addressOf(party as Party, family).toString()],
      ...(nodeNames[party as Party] !== undefined && {
        nodeName: nodeNames[party as Party] ?? "",
      }),
      ...rest,
    })),
  }));
}

/** Returns all frontends of one family. */
export function frontendsOf(state: DesiredState, family: Family): readonly Frontend[] {
  return [...state.tables[family].all()].map(([, frontend]) => frontend);
}

export function put(state: DesiredState, objects: readonly (Service | EndpointSlice)[]): void {
  for (const object of objects) {
    const { name, namespace, labels } = object.metadata;
    if (object.kind === "Service") state.setService(`${namespace}/${name}`, object);
    else state.setSlice(`${namespace}/${labels?.["kubernetes.io/service-name"]}`, name, object);
  }
}

/** Sends a packet through the plan. `from` and `to` are names: ("client", "lb:80/udp"). */
export function send(
  state: DesiredState,
  family: Family,
  [from, to]: readonly [Party, string],
): Outcome {
  const [, party = "", port = "", protocol = "tcp"] = /^(\w+):(\d+)(?:\/(\w+))?$/.exec(to) ?? [];
  const settings = state.context.families.find((one) => one.family === family);
  const table = state.tables[family];
  return trace(
    {
      source: addressOf(from, family),
      destination: addressOf(party as Party, family),
      port: Number(port),
      protocol: protocol as Protocol,
    },
    {
      settings: settings ?? settingsOf(family),
      localAddresses: [addressOf("node", family), addressOf("loopback", family)],
      find: (key) => table.get(key),
      isClusterIP: (address) =>
        [...table.all()].some(([, one]) => one.kind === "ClusterIP" && one.address === address),
    },
  );
}

/** Writes an outcome: endpoints by name, with `*` where the client is masqueraded: "a b*". */
export function outcomeText(outcome: Outcome, family: Family): string {
  if (outcome.verdict !== "endpoint") return outcome.verdict;
  const names = new Map(
    (Object.keys(parties) as Party[]).map((party) => [addressOf(party, family).toString(), party]),
  );
  return outcome.pool
    .map((endpoint) => {
      const star = outcome.masqueraded.includes(endpoint) ? "*" : "";
      const port = endpoint.port === 8080 ? "" : `:${endpoint.port}`;
      return `${names.get(endpoint.address) ?? endpoint.address}${port}${star}`;
    })
    .toSorted()
    .join(" ");
}
