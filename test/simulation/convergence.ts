// What has to be so once all is quiet.

import type { Informer } from "../../src/api/client/informer.ts";
import type { ConfigMap } from "../../src/api/types/core.ts";
import type { Acknowledged } from "./cluster/users.ts";
import { Violation } from "./simulation.ts";
import type { Stored, Truth } from "./truth.ts";

/** Throws unless what users were told is stored. */
export function checkAcknowledged(truth: Truth, { counters, journals }: Acknowledged): void {
  for (const [name, told] of counters) {
    const value = Number(truth.get("core/configmaps", `default/${name}`)?.object.data?.["value"]);
    if (!(value >= told)) throw new Violation(`${name} is ${value} though ${told} was told`);
  }
  for (const [name, exists] of journals) {
    const isThere = truth.get("core/configmaps", `default/${name}`) !== undefined;
    if (isThere === exists) continue;
    throw new Violation(`${name} ${exists ? "is lost" : "is there"} though it was told otherwise`);
  }
}

/** Throws unless a follower of the store has what is stored. */
export function checkFollowed(truth: Truth, followed: ReadonlyMap<string, number>): void {
  const stored = [...truth.list("core/configmaps")].map(
    ([id, { modified }]) => `${id}@${modified}`,
  );
  const seen = [...followed].map(([key, modified]) => `${key.slice(registry.length)}@${modified}`);
  compare("a follower has", seen, stored);
}

const registry = "/registry/core/configmaps/";

/** Throws unless an informer has what is stored. */
export function checkInformer(truth: Truth, informer: Informer<ConfigMap>): void {
  const stored = [...truth.list("core/configmaps")].map(
    ([id, { modified }]) => `${id}@${modified}`,
  );
  const cached = informer
    .list()
    .map(({ metadata }) => `${metadata.namespace}/${metadata.name}@${metadata.resourceVersion}`);
  compare("an informer has", cached, stored);
}

/** Throws unless the endpoints of each service are its ready pods. */
export function checkEndpoints(truth: Truth): void {
  const slices = [...truth.list("discovery.k8s.io/endpointslices").values()];
  const pods = [...truth.list("core/pods").values()].map(({ object }) => object);
  for (const [id, { object }] of truth.list("core/services")) {
    const selector = object.spec?.["selector"] as { app?: string } | undefined;
    if (selector?.app === undefined) continue;
    const wanted = pods.filter(
      (pod) => pod.metadata.labels?.["app"] === selector.app && isReady(pod),
    );
    const addresses = wanted.flatMap(({ status }) =>
      ((status?.["podIPs"] ?? []) as { ip: string }[]).map(({ ip }) => ip),
    );
    const name = object.metadata.name;
    const found = slices
      .filter((slice) => slice.object.metadata.labels?.["kubernetes.io/service-name"] === name)
      .flatMap(({ object: slice }) => (slice["endpoints"] ?? []) as Endpoint[])
      .flatMap((endpoint) => (endpoint.conditions?.ready === true ? endpoint.addresses : []));
    compare(`the endpoints of ${id} are`, found, addresses);
  }
}

interface Endpoint {
  readonly addresses: readonly string[];
  readonly conditions?: { readonly ready?: boolean };
}

function isReady({ metadata, status }: Stored): boolean {
  const conditions = (status?.["conditions"] ?? []) as { type: string; status: string }[];
  const ready = conditions.some((each) => each.type === "Ready" && each.status === "True");
  return ready && metadata.deletionTimestamp === undefined;
}

function compare(what: string, found: readonly string[], wanted: readonly string[]): void {
  const [is, should] = [found, wanted].map((each) => each.toSorted().join(", "));
  if (is !== should) throw new Violation(`${what} ${is}, but should be ${should}`);
}
