// Discovery documents: one per group and version, or an aggregated one.
import type { Resource, Subresource } from "../../../api/schema/resource.ts";
import { describeRemote, type RemoteDiscovery } from "../aggregation/remote-discovery.ts";
import { apiVersionOf, type ServedResource } from "../resources/served.ts";

export interface Group {
  readonly name: string;
  /** The versions, the preferred one first. */
  readonly versions: readonly {
    readonly version: string;
    readonly resources: readonly ServedResource[];
    /** The resources of another server, which lists them itself. */
    readonly remote?: RemoteDiscovery;
  }[];
}

/** Adds what other servers serve; where a version is theirs, their resources count. */
export function withRemote(groups: readonly Group[], remote: readonly RemoteDiscovery[]): Group[] {
  const merged = new Map(groups.map((group) => [group.name, group]));
  for (const each of remote.toSorted((a, b) => b.groupPriority - a.groupPriority)) {
    const { group: name, version } = each;
    const others = merged.get(name)?.versions.filter((one) => one.version !== version) ?? [];
    const versions = [...others, { version, resources: [], remote: each }].toSorted(
      (a, b) => priorityOf(b) - priorityOf(a) || compareVersions(a.version, b.version),
    );
    merged.set(name, { name, versions });
  }
  return [...merged.values()];
}

function priorityOf({ remote }: Group["versions"][number]): number {
  return remote?.versionPriority ?? 0;
}

/** Groups resources in their order; the most mature and newest version of each group comes first. */
export function groupsOf(resources: readonly ServedResource[]): Group[] {
  const groups = new Map<string, Map<string, ServedResource[]>>();
  for (const resource of resources) {
    const versions = getOrAdd(groups, resource.group, () => new Map<string, ServedResource[]>());
    getOrAdd(versions, resource.version, () => []).push(resource);
  }
  return [...groups].map(([name, versions]) => ({
    name,
    versions: [...versions]
      .map(([version, list]) => ({ version, resources: list }))
      .toSorted((a, b) => compareVersions(a.version, b.version)),
  }));
}

/** The document of `/api`. */
export function apiVersions(serverAddress: string): object {
  return {
    kind: "APIVersions",
    versions: ["v1"],
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress }],
  };
}

/** The document of `/apis`. */
export function apiGroupList(groups: readonly Group[]): object {
  return {
    kind: "APIGroupList",
    apiVersion: "v1",
    groups: groups.filter(({ name }) => name !== "").map(describeGroup),
  };
}

/** The document of `/apis/<group>`. */
export function apiGroup(group: Group): object {
  return { kind: "APIGroup", apiVersion: "v1", ...describeGroup(group) };
}

/** The documents of `/api/v1` and `/apis/<group>/<version>`. */
export function apiResourceList(
  groupVersion: string,
  resources: readonly ServedResource[],
): object {
  return {
    kind: "APIResourceList",
    apiVersion: "v1",
    groupVersion,
    resources: resources.flatMap(describeLegacy),
  };
}

/** The aggregated document, for clients that ask for it. */
export function aggregated(groups: readonly Group[], version: "v2" | "v2beta1"): object {
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: groups.map(({ name, versions }) => ({
      metadata: { name, creationTimestamp: null },
      versions: versions.map((each) => ({
        version: each.version,
        resources:
          each.remote === undefined
            ? each.resources.map(describeAggregated)
            : describeRemote(each.remote),
        freshness: "Current",
      })),
    })),
  };
}

/** Orders versions: v2, v1, v2beta1, v1alpha1, and then those with other names. */
function compareVersions(left: string, right: string): number {
  const [a, b] = [rank(left), rank(right)];
  const index = a.findIndex((part, at) => part !== b[at]);
  return index < 0 ? (left < right ? -1 : 1) : (b[index] ?? 0) - (a[index] ?? 0);
}

function rank(version: string): number[] {
  const [, major, stage, minor] = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version) ?? [];
  if (major === undefined) return [-1, 0, 0];
  return [stage === undefined ? 2 : stage === "beta" ? 1 : 0, Number(major), Number(minor ?? 0)];
}

function describeGroup({ name, versions }: Group) {
  const described = versions.map(({ version }) => ({
    groupVersion: apiVersionOf(name, version),
    version,
  }));
  return { name, versions: described, preferredVersion: described[0] };
}

function describeLegacy(resource: ServedResource): object[] {
  const { plural, singular, namespaced, kind, verbs, shortNames, categories } = resource;
  return [
    {
      name: plural,
      singularName: singular,
      namespaced,
      kind,
      verbs,
      ...(shortNames.length === 0 ? {} : { shortNames }),
      ...(categories.length === 0 ? {} : { categories }),
    },
    ...resource.subresources.map((each) => ({
      name: `${plural}/${each.name}`,
      singularName: "",
      namespaced,
      ...foreignKind(resource, each),
      kind: each.kind,
      verbs: each.verbs,
    })),
  ];
}

/** Returns group and version of a subresource where they differ from the resource's. */
function foreignKind(resource: Resource, subresource: Subresource) {
  const { group, version } = subresource;
  return group === resource.group && version === resource.version ? {} : { group, version };
}

function describeAggregated(resource: ServedResource): object {
  const { plural, singular, namespaced, verbs, shortNames, categories, subresources } = resource;
  return {
    resource: plural,
    responseKind: responseKind(resource),
    scope: namespaced ? "Namespaced" : "Cluster",
    singularResource: singular,
    verbs,
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(subresources.length === 0
      ? {}
      : {
          subresources: subresources.map((each) => ({
            subresource: each.name,
            responseKind: responseKind(each),
            verbs: each.verbs,
          })),
        }),
  };
}

function responseKind({ group, version, kind }: { group: string; version: string; kind: string }) {
  return { group, version, kind };
}

function getOrAdd<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
