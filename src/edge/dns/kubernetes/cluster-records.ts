// Keeps the zone in sync with the cluster's objects.

import type { Client } from "../../../api/client/client.ts";
import type { Informer, Informers } from "../../../api/client/informer.ts";
import { serviceKeysOf } from "../../../api/kinds/discovery.ts";
import type { Endpoints, Namespace, Pod, Service } from "../../../api/types/core.ts";
import type { EndpointSlice } from "../../../api/types/discovery.ts";
import { under } from "../wire/name.ts";
import type { DnsRecord } from "../wire/record.ts";
import type { Zone } from "../zone/zone.ts";
import { podRecords } from "./pod-records.ts";
import { serviceRecords } from "./service-records.ts";
import { slimEndpoints, slimNamespace, slimPod, slimService, slimSlice } from "./slim-objects.ts";

export interface ClusterRecordsOptions {
  readonly client: Client;
  readonly informers: Informers;
  readonly zone: Zone;
  /** The service of this DNS server, as `namespace/name`. */
  readonly ownService: string;
  /** Called once, when all objects that existed at the start have been read. */
  readonly onRead?: () => void;
}

/** The version of the Kubernetes DNS schema, in the record of `dns-version`. */
const schemaVersion = "1.1.0";
const schemaTtl = 28_800;

export class ClusterRecords {
  readonly #zone: Zone;
  readonly #ownService: string;
  readonly #onRead: () => void;
  readonly #services: Informer<Service>;
  readonly #slices: Informer<EndpointSlice>;
  readonly #endpoints: Informer<Endpoints>;
  readonly #namespaces: Informer<Namespace>;
  readonly #pods: Informer<Pod>;
  /** The owners whose objects have changed since their records were last made. */
  readonly #stale = new Set<string>();
  #isReady = false;

  constructor(options: ClusterRecordsOptions) {
    const { client, informers, zone, ownService, onRead = () => undefined } = options;
    this.#zone = zone;
    this.#onRead = onRead;
    this.#ownService = ownService;
    // Initial lists are streamed, so that memory holds at most one full object at a time.
    const initial = "stream";
    this.#services = informers.of(client.resource("v1", "Service"), {
      transform: slimService,
      initial,
    });
    this.#slices = informers.of(client.resource("discovery.k8s.io/v1", "EndpointSlice"), {
      transform: slimSlice,
      indexes: [serviceKeysOf],
      initial,
    });
    this.#endpoints = informers.of(client.resource("v1", "Endpoints"), {
      transform: slimEndpoints,
      initial,
    });
    this.#namespaces = informers.of(client.resource("v1", "Namespace"), {
      transform: slimNamespace,
      initial,
    });
    this.#pods = informers.of(client.resource("v1", "Pod"), { transform: slimPod, initial });
  }

  /** Whether all objects that existed at the start are served. */
  get isReady(): boolean {
    return this.#isReady;
  }

  async run(signal: AbortSignal): Promise<void> {
    const mark = (kind: string) => (key: string) => this.#mark(`${kind} ${key}`);
    const leave = [
      this.#services.subscribe(mark("service")),
      this.#slices.subscribe(mark("service"), serviceKeysOf),
      this.#endpoints.subscribe(mark("service")),
      this.#namespaces.subscribe(mark("namespace")),
      this.#pods.subscribe(mark("pod")),
    ];
    const stopped = Promise.withResolvers<void>();
    signal.addEventListener("abort", () => stopped.resolve(), { once: true });
    if (signal.aborted) stopped.resolve();
    await Promise.race([stopped.promise, this.#begin()]);
    await stopped.promise;
    for (const each of leave) each();
  }

  async #begin(): Promise<void> {
    await Promise.all([
      this.#services.synced,
      this.#slices.synced,
      this.#endpoints.synced,
      this.#namespaces.synced,
      this.#pods.synced,
    ]);
    const { domain } = this.#zone;
    const version: DnsRecord = {
      name: under("dns-version", domain),
      ttl: schemaTtl,
      data: { kind: "text", text: schemaVersion },
    };
    this.#zone.replace("version", [version]);
    for (const kind of ["svc", "pod"]) this.#zone.keep(under(kind, domain));
    this.#isReady = true;
    this.#refresh();
    this.#onRead();
  }

  /** Marks an owner; changes that arrive together are handled together. */
  #mark(owner: string): void {
    if (this.#stale.size === 0) setImmediate(() => this.#refresh());
    this.#stale.add(owner);
  }

  /** Updates the zone, but not before all is read: with half a cluster, names would seem not to exist. */
  #refresh(): void {
    if (!this.#isReady) return;
    for (const owner of this.#stale) {
      const [kind = "", key = ""] = owner.split(" ");
      if (kind === "service") this.#refreshService(key, owner);
      else if (kind === "pod") this.#refreshPod(key, owner);
      else this.#refreshNamespace(key);
    }
    this.#stale.clear();
  }

  #refreshService(key: string, owner: string): void {
    const service = this.#services.get(key);
    const records =
      service === undefined
        ? []
        : serviceRecords(
            service,
            { slices: this.#slices.by(serviceKeysOf, key), endpoints: this.#endpoints.get(key) },
            this.#zone,
          );
    this.#zone.replace(owner, records);
    if (key === this.#ownService) this.#zone.replace("name server", this.#nameServer(records));
  }

  /** The records of `ns.dns`: the addresses of this DNS server's service. */
  #nameServer(records: readonly DnsRecord[]): DnsRecord[] {
    const name = under("ns", under("dns", this.#zone.domain));
    return records
      .filter(({ data, name: each }) => data.kind === "address" && each === records[0]?.name)
      .map((record) => ({ ...record, name }));
  }

  #refreshPod(key: string, owner: string): void {
    const pod = this.#pods.get(key);
    this.#zone.replace(owner, pod === undefined ? [] : podRecords(pod, this.#zone));
  }

  /** Makes the names of a namespace exist, even while there are no records below them. */
  #refreshNamespace(key: string): void {
    const isThere = this.#namespaces.get(key) !== undefined;
    for (const kind of ["svc", "pod"]) {
      const name = under(key, under(kind, this.#zone.domain));
      if (isThere) this.#zone.keep(name);
      else this.#zone.release(name);
    }
  }
}
