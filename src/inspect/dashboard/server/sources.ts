// Where each kind of the views is read, and what is kept of its objects.

import type { Client } from "../../../api/client/client.ts";
import type { ResourceDefinition } from "../../../api/client/definition.ts";
import { withFields } from "../../../api/client/field-selectors.ts";
import type { ApiObject } from "../../../api/client/objects.ts";
import type { Selection } from "../../../api/client/options.ts";
import type { ResourceClient } from "../../../api/client/resource-client.ts";
import type { Event } from "../../../api/types/core.ts";
import { defined } from "../../../base/json/defined.ts";
import type { AddressPool, ObjectKinds } from "../model/cluster.ts";
import { slim } from "./slim.ts";
import type { WrittenIpPool, WrittenNodeSlicePool } from "./slim-ipam.ts";

export interface Source {
  readonly kind: string;
  readonly resource: ResourceClient<ApiObject>;
  readonly selection: Selection;
  /** Keeps what views need; nothing else leaves the server. */
  readonly transform: (object: ApiObject) => ApiObject;
}

/** Returns a source for each kind; with a namespace, only the objects in it are read. */
export function sourcesOf(client: Client, namespace: string | undefined): readonly Source[] {
  const networking = "networking.k8s.io/v1";
  const within = defined({ namespace });
  return [
    source("nodes", client.resource("v1", "Node"), {}),
    source("pods", client.resource("v1", "Pod"), within),
    source("services", client.resource("v1", "Service"), within),
    source("slices", client.resource("discovery.k8s.io/v1", "EndpointSlice"), within),
    source("ingresses", client.resource(networking, "Ingress"), within),
    source("serviceCidrs", client.resource(networking, "ServiceCIDR"), {}),
    source("policies", client.resource(networking, "NetworkPolicy"), within),
    source("pools", client.custom<AddressPool>(addressPools), {}),
    source("ipPools", client.custom<WrittenIpPool>(ipamKind("IPPool")), within),
    source(
      "nodeSlicePools",
      client.custom<WrittenNodeSlicePool>(ipamKind("NodeSlicePool")),
      within,
    ),
  ];
}

const addressPools: ResourceDefinition = {
  group: "tandem.internal",
  version: "v1",
  plural: "addresspools",
  kind: "AddressPool",
  namespaced: false,
};

/** The kinds of whereabouts, in which networks of pods keep who has which address. */
function ipamKind(kind: "IPPool" | "NodeSlicePool"): ResourceDefinition {
  return {
    group: "whereabouts.cni.cncf.io",
    version: "v1alpha1",
    plural: `${kind.toLowerCase()}s`,
    kind,
    namespaced: true,
  };
}

export interface EventTarget {
  readonly kind: string;
  readonly namespace: string | undefined;
  readonly name: string;
}

/** Returns the source of the events about one object. */
export function eventsOf(client: Client, { kind, namespace, name }: EventTarget): Source {
  return source("events", client.resource("v1", "Event"), {
    ...defined({ namespace }),
    ...withFields({ "involvedObject.kind": kind, "involvedObject.name": name }),
  });
}

/** The objects as they are in the API. */
type SourceKinds = Omit<ObjectKinds, "ipPools" | "nodeSlicePools"> & {
  ipPools: WrittenIpPool;
  nodeSlicePools: WrittenNodeSlicePool;
  events: Event;
};

function source<Kind extends keyof SourceKinds>(
  kind: Kind,
  resource: ResourceClient<SourceKinds[Kind]>,
  selection: Selection,
): Source {
  const whole = { kind, resource, selection, transform: slim[kind] };
  // Each kind has its own type here; a feed treats all of them alike.
  return whole as unknown as Source;
}
