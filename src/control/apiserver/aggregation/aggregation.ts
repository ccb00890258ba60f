// Aggregation: groups of the API that other servers answer, as APIService objects say. Requests pass through
// this server, which authenticates and authorizes them, and tells the other one who asks.
import type { APIService } from "../../../api/types/apiregistration.ts";
import { systemClock } from "../../../base/host/clock.system.ts";
import { pause } from "../../../base/host/clock.ts";
import type { Core } from "../core.ts";
import { collectionId } from "../keys.ts";
import type { FrontProxy } from "../security/front-proxy.ts";
import { writeAuthenticationConfig } from "./authentication-config.ts";
import { type Availability, checkAvailability, writeAvailability } from "./availability.ts";
import { LocalServices } from "./local-services.ts";
import { openRemoteApi, type RemoteApi } from "./remote-api.ts";
import type { RemoteDiscovery } from "./remote-discovery.ts";

export interface AggregationSettings {
  readonly frontProxy: FrontProxy;
  /** The authority (PEM) of client certificates. */
  readonly clientAuthority: string;
}

export const apiServices = collectionId("apiregistration.k8s.io", "apiservices");

/** The groups that are never another server's: who took them over could lock everybody out. */
const reserved = new Set(["", "apiregistration.k8s.io"]);

const roundMs = 1000;
/** The seconds between checks of a server that is available, or not. */
const checkSeconds = { available: 15, unavailable: 2 } as const;

interface Known {
  readonly api: RemoteApi;
  readonly id: string;
  availability: Availability | undefined;
  nextCheck: number;
}

export class Aggregation {
  readonly #core: Core;
  readonly #settings: AggregationSettings;
  #known = new Map<string, Known>();
  #version = -1;
  #revision = 0;

  constructor(core: Core, settings: AggregationSettings) {
    this.#core = core;
    this.#settings = settings;
  }

  /** A number that grows with every change of what other servers serve. */
  get revision(): number {
    this.#refresh();
    return this.#revision;
  }

  /** The documents of available servers. */
  get discovered(): readonly RemoteDiscovery[] {
    this.#refresh();
    return [...this.#known.values()].flatMap(({ availability }) => availability?.discovery ?? []);
  }

  /** Returns the server that answers a path; `undefined` when it is this one. */
  find(path: string): { readonly api: RemoteApi; readonly isAvailable: boolean } | undefined {
    if (!path.startsWith("/apis/") && !path.startsWith("/openapi/v3/apis/")) return undefined;
    this.#refresh();
    if (this.#known.size === 0) return undefined;
    const [, group = "", version = ""] = path.slice(path.indexOf("apis/")).split("/");
    const known = this.#known.get(`${version}.${group}`);
    return known && { api: known.api, isAvailable: known.availability?.isAvailable === true };
  }

  /** Keeps the conditions of APIServices, and the objects that other servers read. */
  async run(signal: AbortSignal): Promise<void> {
    const { log } = this.#core;
    const local = new LocalServices(this.#core);
    await writeAuthenticationConfig(this.#core, this.#settings);
    while (!signal.aborted) {
      try {
        await local.keep();
        await this.#check();
      } catch (error) {
        if (!signal.aborted) log.warn("Cannot keep the APIServices; trying again", { error });
      }
      await pause(systemClock, roundMs, signal);
    }
    for (const { api } of this.#known.values()) api.agent.destroy();
  }

  async #check(): Promise<void> {
    this.#refresh();
    const now = systemClock.now();
    const due = [...this.#known.values()].filter(({ nextCheck }) => nextCheck <= now);
    await Promise.all(due.map((known) => this.#checkOne(known)));
  }

  async #checkOne(known: Known): Promise<void> {
    const availability = await checkAvailability(this.#core, known.api);
    const { isAvailable, discovery } = availability;
    const wait = isAvailable ? checkSeconds.available : checkSeconds.unavailable;
    known.nextCheck = systemClock.now() + wait * 1000;
    const before = JSON.stringify(known.availability?.discovery);
    known.availability = availability;
    if (before !== JSON.stringify(discovery)) this.#revision++;
    await writeAvailability(this.#core, known.api.service.metadata.name, availability);
  }

  #refresh(): void {
    const collection = this.#core.cache.collection(apiServices);
    if (this.#version === collection.version) return;
    this.#version = collection.version;
    const reach = this.#core.streaming?.reach;
    const next = new Map<string, Known>();
    for (const item of collection.list()) {
      const service = item.parse() as APIService;
      const { group = "" } = service.spec;
      if (service.spec.service === undefined || reach === undefined || reserved.has(group))
        continue;
      const id = JSON.stringify([service.metadata.uid, service.spec]);
      const before = this.#known.get(item.name);
      if (before?.id === id) {
        next.set(item.name, before);
        continue;
      }
      const api = openRemoteApi(service, { reach, frontProxy: this.#settings.frontProxy });
      // A changed server counts as available until the next check, if it was.
      const availability = before?.availability;
      next.set(item.name, { api, id, availability, nextCheck: 0 });
    }
    for (const [name, { api }] of this.#known) {
      if (next.get(name)?.api !== api) api.agent.destroy();
    }
    this.#known = next;
    this.#revision++;
  }
}
