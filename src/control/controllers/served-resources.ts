// Discovers every resource the server serves, custom ones included.

import type { Client } from "../../api/client/client.ts";
import type { ResourceDefinition } from "../../api/client/definition.ts";
import { isNotFound } from "../../api/client/errors.ts";
import type { KeySource } from "../../api/client/informer.ts";
import type { APIGroupList, APIResourceList } from "../../api/types/meta.ts";
import type { ControllerBase } from "./context.ts";

export interface ServedResource extends ResourceDefinition {
  readonly verbs: readonly string[];
}

/** Creates the discovery that all controllers of objects of every kind share. */
export function createServedResources({ client, informers }: ControllerBase): ServedResources {
  const definitions = client.resource("apiextensions.k8s.io/v1", "CustomResourceDefinition");
  const services = client.resource("apiregistration.k8s.io/v1", "APIService");
  return new ServedResources(client, {
    definitions: informers.of(definitions),
    services: informers.of(services),
  });
}

export class ServedResources {
  /** Reports changes in what is served, by any key. */
  readonly changes: KeySource;
  readonly #client: Client;
  #known: Promise<readonly ServedResource[]> | undefined;

  constructor(
    client: Client,
    { definitions, services }: Record<"definitions" | "services", KeySource>,
  ) {
    this.#client = client;
    this.changes = definitions;
    for (const source of [definitions, services]) {
      source.subscribe(() => {
        this.#known = undefined;
      });
    }
  }

  /** Returns each resource once, in the version the server prefers. */
  async all(signal: AbortSignal): Promise<readonly ServedResource[]> {
    const reading = (this.#known ??= this.#read(signal));
    try {
      return await reading;
    } catch (error) {
      if (this.#known === reading) this.#known = undefined;
      throw error;
    }
  }

  async #read(signal: AbortSignal): Promise<readonly ServedResource[]> {
    const { groups } = await this.#get<APIGroupList>("/apis", signal);
    const versions = groups.flatMap(({ name, versions: all, preferredVersion }) => {
      const preferred = preferredVersion?.version;
      const ordered = all.toSorted(
        (a, b) => Number(b.version === preferred) - Number(a.version === preferred),
      );
      return ordered.map(({ version }) => ({ group: name, version }));
    });
    const found = new Map<string, ServedResource>();
    for (const each of [{ group: "", version: "v1" }, ...versions]) {
      for (const resource of await this.#resourcesOf(each, signal)) {
        const id = `${resource.group}/${resource.plural}`;
        if (!found.has(id)) found.set(id, resource);
      }
    }
    return [...found.values()];
  }

  async #resourcesOf(
    { group, version }: Pick<ServedResource, "group" | "version">,
    signal: AbortSignal,
  ): Promise<ServedResource[]> {
    const path = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
    try {
      const { resources } = await this.#get<APIResourceList>(path, signal);
      return resources
        .filter(({ name }) => !name.includes("/"))
        .map(({ name: plural, kind, namespaced, verbs }) => {
          return { group, version, plural, kind, namespaced, verbs };
        });
    } catch (error) {
      // The group version has gone since the groups were read.
      if (isNotFound(error)) return [];
      throw error;
    }
  }

  async #get<T>(path: string, signal: AbortSignal): Promise<T> {
    const { body } = await this.#client.transport.send({ method: "GET", path, signal });
    return JSON.parse(body.toString()) as T;
  }
}
