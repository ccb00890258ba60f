// The API client of every component.

import type { Resource } from "../schema/resource.ts";
import { resourceOf } from "../schema/resources.ts";
import type { ResourceDefinition } from "./definition.ts";
import type { ApiObject, CustomObject, KnownObject } from "./objects.ts";
import type { RequestSettings } from "./requests.ts";
import { ResourceClient } from "./resource-client.ts";
import type { Transport } from "./transport/message.ts";

type ClientSettings = Pick<RequestSettings, "fieldManager" | "read">;

type Of<ApiVersion> = Extract<KnownObject, { apiVersion: ApiVersion }>;

export class Client {
  /** The transport, for requests that are not about objects: discovery, logs, exec. */
  readonly transport: Transport;
  readonly #settings: ClientSettings;

  constructor(transport: Transport, settings: ClientSettings) {
    this.transport = transport;
    this.#settings = settings;
  }

  /** The client of a known kind: `client.resource("apps/v1", "Deployment")`. */
  resource<V extends KnownObject["apiVersion"], K extends Of<V>["kind"]>(
    apiVersion: V,
    kind: K,
  ): ResourceClient<Extract<Of<V>, { kind: K }>> {
    const [version = "", group = ""] = apiVersion.split("/").toReversed();
    const definition: Resource | undefined = resourceOf({ group, version, kind });
    if (definition === undefined)
      throw new Error(`Cannot reach ${apiVersion} ${kind}: it is not served`);
    return this.custom(definition);
  }

  /** The client of a kind that this project has no types for, or with the caller's own types. */
  custom<T extends ApiObject = CustomObject>(definition: ResourceDefinition): ResourceClient<T> {
    return new ResourceClient(this.transport, { ...this.#settings, definition });
  }

  /** The client of objects without their content, for callers that only need to know that they exist. */
  metadata<T extends ApiObject = CustomObject>(
    definition: ResourceDefinition,
  ): ResourceClient<Pick<T, keyof ApiObject>> {
    return new ResourceClient(this.transport, {
      ...this.#settings,
      definition,
      metadataOnly: true,
    });
  }
}
