import type { Client } from "../../../api/client/client.ts";
import { Collection, type CollectionParts } from "../../../api/client/informer.ts";
import { keyOf } from "../../../api/client/objects.ts";
import { serviceKeyOf } from "../../../api/kinds/discovery.ts";
import type { EndpointSlice } from "../../../api/types/discovery.ts";
import type { Part } from "../../../base/program/run-all.ts";
import type { DesiredState } from "../plan/desired-state.ts";
import type { Revisions } from "../sync/revisions.ts";
import { slimService, slimSlice } from "./slim-objects.ts";

interface Options extends CollectionParts {
  readonly client: Client;
  readonly state: DesiredState;
  /** The name of the node this runs on. */
  readonly node: string;
  /** Called when the state has changed; the revisions are those of its objects now. */
  readonly onChange: (revisions: Revisions) => void;
}

/** The selector that leaves out headless services, which no proxy serves. */
const labelSelector = "!service.kubernetes.io/headless";

/** A part whose `synced` resolves when everything that existed at the start is in the state. */
interface Followed extends Part {
  readonly synced: Promise<void>;
}

/** Watches services and their endpoints, and puts them into the state. */
export function followServices(options: Options): readonly Followed[] {
  const { client, state, node, onChange } = options;
  const services = new Collection(client.resource("v1", "Service"), {
    ...options,
    selection: { labelSelector },
    slim: slimService,
    put: (service) => state.setService(keyOf(service), service),
    remove: (service) => state.setService(keyOf(service), undefined),
    reached: (revision) => onChange({ services: revision }),
  });
  const setSlice = (slice: EndpointSlice, isThere: boolean): void => {
    const owner = serviceKeyOf(slice);
    if (owner === undefined) return;
    state.setSlice(owner, slice.metadata.name, isThere ? slice : undefined);
  };
  const slices = new Collection(client.resource("discovery.k8s.io/v1", "EndpointSlice"), {
    ...options,
    selection: { labelSelector },
    slim: (slice) => slimSlice(slice, node),
    put: (slice, before) => {
      if (before !== undefined && serviceKeyOf(before) !== serviceKeyOf(slice))
        setSlice(before, false);
      setSlice(slice, true);
    },
    remove: (slice) => setSlice(slice, false),
    reached: (revision) => onChange({ endpointslices: revision }),
  });
  return [services, slices];
}
