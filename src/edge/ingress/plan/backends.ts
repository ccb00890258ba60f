import type { Service } from "../../../api/types/core.ts";
import type { IngressBackend, ServiceBackendPort } from "../../../api/types/networking.ts";
import type { ReferredObjects } from "./objects.ts";
import type { Problem } from "./problem.ts";
import { type Target, targetsOf } from "./targets.ts";

export interface Upstream {
  readonly name: string;
  readonly targets: readonly Target[];
}

type Found =
  /** The upstream's name; `undefined` when it has no endpoints at present. */
  | { readonly upstream: string | undefined }
  | { readonly reason: Problem["reason"]; readonly value: string; readonly state: string };

/** The service ports that routes lead to, each once. */
export class Backends {
  readonly #objects: ReferredObjects;
  readonly #upstreams = new Map<string, Upstream>();

  constructor(objects: ReferredObjects) {
    this.#objects = objects;
  }

  /** The upstreams that have targets. */
  get upstreams(): readonly Upstream[] {
    return [...this.#upstreams.values()]
      .filter(({ targets }) => targets.length > 0)
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  find(namespace: string, { service, resource }: IngressBackend): Found {
    if (service === undefined) {
      const value = resource === undefined ? "" : `${resource.kind}/${resource.name}`;
      return { reason: "Refused", value, state: "only services can be backends" };
    }
    const { name, port = {} } = service;
    const value = `${name}:${port.name ?? port.number}`;
    const key = `${namespace}/${name}`;
    const found = this.#objects.service(key);
    if (found === undefined) {
      return { reason: "MissingBackend", value, state: "there is no such service" };
    }
    if (found.spec.type === "ExternalName") {
      const state = "a service of type ExternalName leads out of the cluster";
      return { reason: "Refused", value, state };
    }
    const portName = portNameOf(found, port);
    if (portName === undefined) {
      return { reason: "MissingBackend", value, state: "the service has no such TCP port" };
    }
    // The names become words of nginx's configuration, so they are checked here as well.
    if (![namespace, name, portName].every((word) => /^[a-z\d.-]*$/.test(word))) {
      return { reason: "Refused", value, state: "its name has characters that names cannot have" };
    }
    return { upstream: this.#upstream(found, portName) };
  }

  #upstream(service: Service, portName: string): string | undefined {
    const { namespace, name } = service.metadata;
    // Underscores separate the parts, since none of the three can contain one.
    const id = [namespace, name, portName].join("_");
    const key = `${namespace}/${name}`;
    const upstream = this.#upstreams.get(id) ?? {
      name: id,
      targets: targetsOf(service, portName, {
        endpoints: this.#objects.endpoints(key),
        slices: this.#objects.slices(key),
        reachable: this.#objects.reachable,
      }),
    };
    this.#upstreams.set(id, upstream);
    return upstream.targets.length > 0 ? id : undefined;
  }
}

function portNameOf({ spec }: Service, wanted: ServiceBackendPort): string | undefined {
  const found = (spec.ports ?? []).find(
    ({ name, port, protocol = "TCP" }) =>
      protocol === "TCP" &&
      (wanted.name === undefined ? port === wanted.number : name === wanted.name),
  );
  return found === undefined ? undefined : (found.name ?? "");
}
