// The objects of the API that concern ingress, kept current by informers.

import type { Client } from "../../../api/client/client.ts";
import type { Informer, Informers, KeySource } from "../../../api/client/informer.ts";
import { serviceKeysOf } from "../../../api/kinds/discovery.ts";
import type { Endpoints, Secret, Service } from "../../../api/types/core.ts";
import type { EndpointSlice } from "../../../api/types/discovery.ts";
import type { Ingress, IngressClass } from "../../../api/types/networking.ts";
import type { Family } from "../../../base/net/family.ts";
import type { ReferredObjects } from "../plan/objects.ts";
import { type ClassSettings, ourIngresses } from "../plan/ours.ts";

export interface ClusterViewOptions extends ClassSettings {
  readonly client: Client;
  readonly informers: Informers;
}

export class ClusterView {
  readonly ingresses: Informer<Ingress>;
  readonly services: Informer<Service>;
  readonly #classes: Informer<IngressClass>;
  readonly #endpoints: Informer<Endpoints>;
  readonly #slices: Informer<EndpointSlice>;
  readonly #secrets: Informer<Secret>;
  readonly #options: ClusterViewOptions;

  constructor(options: ClusterViewOptions) {
    const { client, informers } = options;
    const networking = "networking.k8s.io/v1";
    this.#options = options;
    this.ingresses = informers.of(client.resource(networking, "Ingress"));
    this.services = informers.of(client.resource("v1", "Service"));
    this.#classes = informers.of(client.resource(networking, "IngressClass"));
    this.#endpoints = informers.of(client.resource("v1", "Endpoints"));
    this.#slices = informers.of(client.resource("discovery.k8s.io/v1", "EndpointSlice"), {
      indexes: [serviceKeysOf],
    });
    // Only TLS secrets are watched; others are not needed.
    this.#secrets = informers.of(client.resource("v1", "Secret"), {
      fieldSelector: "type=kubernetes.io/tls",
    });
  }

  /** The changes of all objects that affect what is served, under one key. */
  sources(key: string): KeySource[] {
    const one = () => [key];
    return [
      this.ingresses.mapped(one),
      this.services.mapped(one),
      this.#classes.mapped(one),
      this.#endpoints.mapped(one),
      this.#slices.mapped(one),
      this.#secrets.mapped(one),
    ];
  }

  ours(): Ingress[] {
    return ourIngresses(this.ingresses.list(), this.#classes.list(), this.#options);
  }

  referred(reachable: readonly Family[]): ReferredObjects {
    return {
      service: (key) => this.services.get(key),
      endpoints: (key) => this.#endpoints.get(key),
      slices: (key) => this.#slices.by(serviceKeysOf, key),
      secret: (key) => this.#secrets.get(key),
      reachable,
    };
  }
}
