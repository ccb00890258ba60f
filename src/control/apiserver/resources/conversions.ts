// Kinds that are served in two forms and stored in one.

import type { ApiObject } from "../../../api/kinds/kind.ts";
import type { HorizontalPodAutoscaler as OldAutoscaler } from "../../../api/types/autoscaling.ts";
import type { HorizontalPodAutoscaler as Autoscaler } from "../../../api/types/autoscaling-v2.ts";
import type {
  Endpoint as StoredEndpoint,
  EndpointSlice as StoredSlice,
} from "../../../api/types/discovery.ts";
import type { Endpoint, EndpointSlice } from "../../../api/types/discovery-v1beta1.ts";
import { defined } from "../../../base/json/defined.ts";
import { collectionId } from "../keys.ts";
import { servedAutoscaler, storedAutoscaler } from "./autoscaler-versions.ts";
import type { Conversion } from "./served.ts";

export interface StoredAs {
  /** The group of the stored form. */
  readonly group: string;
  readonly collection: string;
  readonly conversion: Conversion;
}

/** The conversions, by apiVersion and kind of the form that is not stored. */
export const conversions: ReadonlyMap<string, StoredAs> = new Map([
  [
    "events.k8s.io/v1/Event",
    {
      group: "",
      collection: collectionId("", "events"),
      conversion: {
        toStored: (object: ApiObject) => renameEvent(object, "v1", storedEventFields),
        fromStored: (object: ApiObject) =>
          renameEvent(object, "events.k8s.io/v1", servedEventFields),
      },
    },
  ],
  [
    "autoscaling/v1/HorizontalPodAutoscaler",
    {
      group: "autoscaling",
      collection: collectionId("autoscaling", "horizontalpodautoscalers"),
      conversion: {
        toStored: (object: ApiObject) => storedAutoscaler(object as OldAutoscaler),
        fromStored: (object: ApiObject) => servedAutoscaler(object as Autoscaler),
      },
    },
  ],
  [
    "discovery.k8s.io/v1beta1/EndpointSlice",
    {
      group: "discovery.k8s.io",
      collection: collectionId("discovery.k8s.io", "endpointslices"),
      conversion: {
        toStored: (object: ApiObject) => storedSlice(object as EndpointSlice),
        fromStored: (object: ApiObject) => servedSlice(object as StoredSlice),
      },
    },
  ],
]);

/** The names in the core group of fields of events.k8s.io. */
const storedEventFields: Readonly<Record<string, string>> = {
  reportingController: "reportingComponent",
  regarding: "involvedObject",
  note: "message",
  deprecatedSource: "source",
  deprecatedFirstTimestamp: "firstTimestamp",
  deprecatedLastTimestamp: "lastTimestamp",
  deprecatedCount: "count",
};

const servedEventFields = Object.fromEntries(
  Object.entries(storedEventFields).map(([served, stored]) => [stored, served]),
);

function renameEvent(
  object: ApiObject,
  apiVersion: string,
  names: Readonly<Record<string, string>>,
): ApiObject {
  const renamed = Object.entries(object).map(([name, value]) => [
    Object.hasOwn(names, name) ? names[name] : name,
    value as unknown,
  ]);
  return { ...(Object.fromEntries(renamed) as ApiObject), apiVersion };
}

const zoneLabel = "topology.kubernetes.io/zone";
const nodeLabel = "kubernetes.io/hostname";

/** Converts a slice of v1beta1, which keeps node and zone in the topology labels of an endpoint. */
function storedSlice(slice: EndpointSlice): StoredSlice {
  const endpoints = (slice.endpoints ?? []).map(({ topology, ...rest }: Endpoint) => {
    const { [zoneLabel]: zone, [nodeLabel]: host, ...others } = topology ?? {};
    const nodeName = rest.nodeName ?? host;
    return {
      ...rest,
      ...defined({ nodeName, zone }),
      ...(Object.keys(others).length === 0 ? {} : { deprecatedTopology: others }),
    };
  });
  return { ...slice, apiVersion: "discovery.k8s.io/v1", endpoints };
}

function servedSlice(slice: StoredSlice): EndpointSlice {
  const endpoints = (slice.endpoints ?? []).map(
    ({ zone, deprecatedTopology, ...rest }: StoredEndpoint) => {
      const topology = {
        ...deprecatedTopology,
        ...defined({ [zoneLabel]: zone, [nodeLabel]: rest.nodeName }),
      };
      return { ...rest, ...(Object.keys(topology).length === 0 ? {} : { topology }) };
    },
  );
  return { ...slice, apiVersion: "discovery.k8s.io/v1beta1", endpoints };
}
