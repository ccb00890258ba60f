// The config maps and secrets that pods refer to; a node may read only these, each by its name. Those shown
// in volumes are watched, since the files change with them.

import type { Client } from "../../../api/client/client.ts";
import { isNotFound } from "../../../api/client/errors.ts";
import { named } from "../../../api/client/field-selectors.ts";
import { Informer, type InformerSettings } from "../../../api/client/informer.ts";
import type { ResourceClient } from "../../../api/client/resource-client.ts";
import type { ConfigMap, Secret } from "../../../api/types/core.ts";
import type { NamedObjects } from "../environment/environment.ts";

export type FollowedKind = "ConfigMap" | "Secret";

interface Followed<T extends ConfigMap | Secret> {
  readonly informer: Informer<T>;
  readonly users: Set<() => void>;
  readonly stop: AbortController;
}

export class ApiObjects implements NamedObjects {
  readonly #configMaps: Following<ConfigMap>;
  readonly #secrets: Following<Secret>;

  constructor(client: Client, settings: InformerSettings) {
    this.#configMaps = new Following(client.resource("v1", "ConfigMap"), settings);
    this.#secrets = new Following(client.resource("v1", "Secret"), settings);
  }

  configMap(namespace: string, name: string): Promise<ConfigMap | undefined> {
    return this.#configMaps.get(namespace, name);
  }

  secret(namespace: string, name: string): Promise<Secret | undefined> {
    return this.#secrets.get(namespace, name);
  }

  /** Calls `changed` for every change of the object, until the returned function is called. */
  follow(
    kind: FollowedKind,
    key: { namespace: string; name: string },
    changed: () => void,
  ): () => void {
    const following = kind === "ConfigMap" ? this.#configMaps : this.#secrets;
    return following.follow(key.namespace, key.name, changed);
  }

  close(): void {
    this.#configMaps.close();
    this.#secrets.close();
  }
}

class Following<T extends ConfigMap | Secret> {
  readonly #resource: ResourceClient<T>;
  readonly #settings: InformerSettings;
  readonly #followed = new Map<string, Followed<T>>();

  constructor(resource: ResourceClient<T>, settings: InformerSettings) {
    this.#resource = resource;
    this.#settings = settings;
  }

  /** Returns the object from the watch's cache if it is watched, else from the API. */
  async get(namespace: string, name: string): Promise<T | undefined> {
    const key = `${namespace}/${name}`;
    const followed = this.#followed.get(key);
    if (followed?.informer.isSynced === true) {
      const cached = followed.informer.get(key);
      if (cached !== undefined) return cached;
    }
    try {
      return await this.#resource.get({ namespace, name } as Parameters<
        ResourceClient<T>["get"]
      >[0]);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  follow(namespace: string, name: string, changed: () => void): () => void {
    const key = `${namespace}/${name}`;
    const followed = this.#followed.get(key) ?? this.#begin(namespace, name);
    const user = () => changed();
    followed.users.add(user);
    return () => {
      followed.users.delete(user);
      if (followed.users.size > 0) return;
      followed.stop.abort();
      this.#followed.delete(key);
    };
  }

  close(): void {
    for (const { stop } of this.#followed.values()) stop.abort();
    this.#followed.clear();
  }

  #begin(namespace: string, name: string): Followed<T> {
    const selection = { ...named(name), namespace };
    const informer = new Informer<T>(this.#resource, selection, this.#settings);
    const followed: Followed<T> = { informer, users: new Set(), stop: new AbortController() };
    this.#followed.set(`${namespace}/${name}`, followed);
    informer.subscribe(() => {
      for (const user of followed.users) user();
    });
    void informer.run(followed.stop.signal);
    return followed;
  }
}
