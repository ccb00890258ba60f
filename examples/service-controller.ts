// A service controller of somebody else's, beside the built-in ones.
//
// Pods have addresses that carry the property `service.kubernetes.io/service-controller-name`: those
// with our name are ours, and the built-in controllers leave them alone. One watch finds them. For every
// service that selects such a pod, slices with our own `managed-by` label hold its claimed addresses, for
// a proxy of our own to read.
//
//   node examples/service-controller.ts fast-path.example.com ./kubeconfig

import { Controller } from "../src/api/client/controller.ts";
import { isNotFound } from "../src/api/client/errors.ts";
import { podsOfServiceController } from "../src/api/client/field-selectors.ts";
import { Informers } from "../src/api/client/informer/informers.ts";
import { keyOf } from "../src/api/client/objects.ts";
import { claimantOf } from "../src/api/kinds/pod/properties.ts";
import { compileLabelSelector } from "../src/api/selectors/label-selector.ts";
import type { Pod, Service } from "../src/api/types/core.ts";
import type { Endpoint, EndpointSlice } from "../src/api/types/discovery.ts";
import { Address } from "../src/base/net/address.ts";
import { type Family, families } from "../src/base/net/family.ts";
import { runAll } from "../src/base/program/run-all.ts";
import { stopOnSignals } from "../src/base/program/signals.ts";
import { connectByKubeconfig, type Surroundings } from "./connect.ts";

const sliceSize = 100;

/** `name` is the value of the property by which addresses are claimed. */
export async function runServiceController(
  name: string,
  { client, ...parts }: Surroundings,
  signal: AbortSignal,
): Promise<void> {
  const informers = new Informers(parts);
  const services = informers.of(client.resource("v1", "Service"));
  const pods = informers.of(client.resource("v1", "Pod"), podsOfServiceController(name));
  const resource = client.resource("discovery.k8s.io/v1", "EndpointSlice");
  const labelSelector = `${managedBy}=${name}`;
  const slices = informers.of(resource, { labelSelector });

  const reconcile = async (key: string, until: AbortSignal): Promise<void> => {
    const service = services.get(key);
    const desired = service === undefined ? [] : slicesOf(service, pods.list(), name);
    for (const slice of desired) await resource.apply(slice, { force: true, signal: until });
    const wanted = new Set(desired.map(keyOf));
    for (const slice of slices.list()) {
      if (!serviceOf(slice).includes(key) || wanted.has(keyOf(slice))) continue;
      await ifThere(resource.delete(slice.metadata, { signal: until }));
    }
  };

  const controller = new Controller({
    ...parts,
    name,
    // A pod concerns every service of its namespace that selects it.
    sources: [
      services,
      pods.mapped((pod) => selecting(services.list(), pod)),
      slices.mapped(serviceOf),
    ],
    reconcile,
  });
  const caches = { name: "caches", run: (until: AbortSignal) => informers.run(until) };
  await runAll([caches, controller], signal);
}

const managedBy = "endpointslice.kubernetes.io/managed-by";
const serviceName = "kubernetes.io/service-name";

function serviceOf({ metadata }: EndpointSlice): string[] {
  return [`${metadata.namespace}/${metadata.labels?.[serviceName]}`];
}

function selecting(services: readonly Service[], pod: Pod): string[] {
  return services.filter((service) => selects(service, pod)).map(keyOf);
}

function selects({ metadata, spec }: Service, pod: Pod): boolean {
  const { selector = {} } = spec;
  if (metadata.namespace !== pod.metadata.namespace || Object.keys(selector).length === 0)
    return false;
  return compileLabelSelector({ matchLabels: selector }).matches(pod);
}

/** Full slices of each family that has claimed addresses. */
function slicesOf(service: Service, pods: readonly Pod[], manager: string): EndpointSlice[] {
  const backends = pods.filter((pod) => selects(service, pod));
  return families.flatMap((family) => {
    const endpoints = backends.flatMap((pod) => endpointOf(pod, family, manager) ?? []);
    const pieces = Math.ceil(endpoints.length / sliceSize);
    return Array.from({ length: pieces }, (_, piece) =>
      sliceOf(
        service,
        { family, piece, manager },
        endpoints.slice(piece * sliceSize, (piece + 1) * sliceSize),
      ),
    );
  });
}

function endpointOf(pod: Pod, family: Family, manager: string): Endpoint | undefined {
  const addresses = (pod.status?.podIPs ?? [])
    .filter((address) => claimantOf(address) === manager)
    .map(({ ip }) => Address.parse(ip))
    .filter((address) => address.family === family)
    .map(String);
  if (addresses.length === 0) return undefined;
  const { namespace, name, uid = "" } = pod.metadata;
  const ready = (pod.status?.conditions ?? []).some(
    ({ type, status }) => type === "Ready" && status === "True",
  );
  return {
    addresses,
    conditions: { ready },
    targetRef: { kind: "Pod", namespace, name, uid },
    ...(pod.spec.nodeName ? { nodeName: pod.spec.nodeName } : {}),
  };
}

function sliceOf(
  { metadata: { namespace, name, uid = "" }, spec }: Service,
  { family, piece, manager }: { family: Family; piece: number; manager: string },
  endpoints: Endpoint[],
): EndpointSlice {
  const owner = { apiVersion: "v1", kind: "Service", name, uid };
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      namespace,
      name: `${name}-${manager}-${family.toLowerCase()}-${piece}`,
      labels: { [serviceName]: name, [managedBy]: manager },
      ownerReferences: [owner],
    },
    addressType: family,
    endpoints,
    ports: (spec.ports ?? []).map(
      ({ name: port = "", protocol = "TCP", port: number, targetPort }) => ({
        name: port,
        protocol,
        port: typeof targetPort === "number" ? targetPort : number,
      }),
    ),
  };
}

/** The cache may be behind our own deletions. */
async function ifThere(deletion: Promise<void>): Promise<void> {
  try {
    await deletion;
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

if (import.meta.main) {
  const [name = "fast-path.example.com", kubeconfig] = process.argv.slice(2);
  using stopping = stopOnSignals();
  await runServiceController(name, await connectByKubeconfig(name, kubeconfig), stopping.signal);
}
