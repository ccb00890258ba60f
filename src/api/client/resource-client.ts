// The client of the objects of one kind.

import type { Scale } from "../types/autoscaling.ts";
import type { ListMeta } from "../types/meta.ts";
import { apiVersionOf, pathOf, type ResourceDefinition, type Target } from "./definition.ts";
import type { ApiObject, Draft, MergePatch, Part, Place } from "./objects.ts";
import type {
  ApplyOptions,
  CallOptions,
  DeleteOptions,
  GetOptions,
  ListOptions,
  Selection,
  WatchOptions,
  WriteOptions,
} from "./options.ts";
import { type Patch, wireOf } from "./patch.ts";
import { type RequestSettings, Requests } from "./requests.ts";
import type { Transport } from "./transport/message.ts";
import type { WatchEvent } from "./watch.ts";

export interface ObjectList<T> {
  readonly items: readonly T[];
  readonly resourceVersion: string;
  /** The token of the next page, if there is one: pass it to the next `list`. */
  readonly continue: string | undefined;
}

const pageSize = 500;

export class ResourceClient<T extends ApiObject> {
  readonly definition: ResourceDefinition;
  /** The identity of the client, for caches: different for clients whose results differ. */
  readonly id: string;
  readonly #requests: Requests;

  constructor(transport: Transport, settings: RequestSettings) {
    this.definition = settings.definition;
    this.id = pathOf(settings.definition, {}) + (settings.metadataOnly ? " (metadata)" : "");
    this.#requests = new Requests(transport, settings);
  }

  get(place: Place<T>, options: GetOptions = {}): Promise<T> {
    const { resourceVersion, ...call } = options;
    return this.#requests.ask<T>("GET", place, { ...call, query: { resourceVersion } });
  }

  /** Lists objects; one page, if there is a limit. */
  async list(options: ListOptions = {}): Promise<ObjectList<T>> {
    const { namespace, signal, timeoutMs, ...query } = options;
    const { metadata, items } = await this.#requests.ask<{ metadata: ListMeta; items: T[] | null }>(
      "GET",
      { namespace },
      { signal, timeoutMs, query },
    );
    // Servers leave apiVersion and kind out of list items.
    for (const item of items ?? []) {
      item.apiVersion ??= apiVersionOf(this.definition);
      item.kind ??= this.definition.kind;
    }
    const { resourceVersion = "", continue: rest } = metadata;
    return { items: items ?? [], resourceVersion, continue: rest || undefined };
  }

  /** Lists page by page, all of one revision. */
  async *pages(options: ListOptions = {}): AsyncGenerator<ObjectList<T>, undefined> {
    let page = await this.list({ limit: pageSize, ...options });
    yield page;
    // The token implies the version, so the options must not repeat it.
    const { resourceVersion: _, resourceVersionMatch: __, ...rest } = options;
    while (page.continue !== undefined) {
      page = await this.list({ limit: pageSize, ...rest, continue: page.continue });
      yield page;
    }
    return undefined;
  }

  async listAll(options: ListOptions = {}): Promise<ObjectList<T>> {
    const items: T[] = [];
    let resourceVersion = "";
    for await (const page of this.pages(options)) {
      for (const item of page.items) items.push(item);
      ({ resourceVersion } = page);
    }
    return { items, resourceVersion, continue: undefined };
  }

  /**
   * Starts a watch; resolves when it is established. It ends when the server ends it, and throws when it
   * cannot continue: with isGone if history is lost.
   */
  watch(options: WatchOptions = {}): Promise<AsyncGenerator<WatchEvent<T>, undefined>> {
    const { namespace, signal, timeoutMs, retries, bookmarks, initialEvents, ...rest } = options;
    const query = {
      watch: true,
      ...rest,
      allowWatchBookmarks: bookmarks,
      sendInitialEvents: initialEvents,
      resourceVersionMatch: initialEvents === true ? "NotOlderThan" : undefined,
    };
    return this.#requests.watch<T>({ namespace }, { signal, timeoutMs, retries, query });
  }

  create(object: Draft<T>, options: WriteOptions = {}): Promise<T> {
    const { namespace } = object.metadata;
    const body = { ...this.#type(), ...object };
    return this.#requests.change<T>("POST", { namespace }, { ...options, body });
  }

  /** Updates an object; fails with isConflict if it has changed since it was read. */
  update(object: T, options: WriteOptions = {}): Promise<T> {
    return this.#requests.change<T>("PUT", placeOf(object), { ...options, body: object });
  }

  patch(place: Place<T>, patch: Patch<MergePatch<T>>, options: WriteOptions = {}): Promise<T> {
    return this.#requests.change<T>("PATCH", place, { ...options, ...wireOf(patch) });
  }

  /** Applies server-side: creates or changes the object, and owns the given fields. */
  apply(object: Applied<T>, options: ApplyOptions = {}): Promise<T> {
    return this.#apply(object, options);
  }

  async delete(place: Place<T>, options: DeleteOptions = {}): Promise<void> {
    await this.#delete(place, options);
  }

  async deleteCollection(selection: Selection, options: DeleteOptions = {}): Promise<void> {
    const { namespace, labelSelector, fieldSelector } = selection;
    await this.#delete({ namespace }, { ...options, query: { labelSelector, fieldSelector } });
  }

  updateStatus(object: T, options: WriteOptions = {}): Promise<T> {
    const target = { ...placeOf(object), subresource: "status" };
    return this.#requests.change<T>("PUT", target, { ...options, body: object });
  }

  /** Updates through a subresource that shows the object itself, such as `approval`. */
  updateInside(object: T, subresource: string, options: WriteOptions = {}): Promise<T> {
    const target = { ...placeOf(object), subresource };
    return this.#requests.change<T>("PUT", target, { ...options, body: object });
  }

  patchStatus(
    place: Place<T>,
    patch: Patch<MergePatch<T>>,
    options: WriteOptions = {},
  ): Promise<T> {
    const target = { ...place, subresource: "status" };
    return this.#requests.change<T>("PATCH", target, { ...options, ...wireOf(patch) });
  }

  applyStatus(object: Applied<T>, options: ApplyOptions = {}): Promise<T> {
    return this.#apply(object, { ...options, subresource: "status" });
  }

  getScale(place: Place<T>, options: CallOptions = {}): Promise<Scale> {
    return this.#requests.ask<Scale>("GET", { ...place, subresource: "scale" }, options);
  }

  scale(place: Place<T>, replicas: number, options: WriteOptions = {}): Promise<Scale> {
    const target = { ...place, subresource: "scale" };
    const wire = wireOf({ merge: { spec: { replicas } } });
    return this.#requests.change<Scale>("PATCH", target, { ...options, ...wire });
  }

  /** Creates through a subresource that takes an object of another kind, such as `binding`. */
  createInside<S>(
    target: Place<T> & { readonly subresource: string },
    body: S,
    options: WriteOptions = {},
  ): Promise<S> {
    return this.#requests.change<S>("POST", target, { ...options, body });
  }

  #apply(object: Applied<T>, options: ApplyOptions & { subresource?: string }): Promise<T> {
    const { subresource, ...rest } = options;
    const { namespace, name }: Target = object.metadata;
    const target = { namespace, name, subresource };
    const contentType = "application/apply-patch+yaml";
    const body = { ...this.#type(), ...object };
    return this.#requests.change<T>("PATCH", target, { ...rest, body, contentType });
  }

  async #delete(
    target: Target,
    options: DeleteOptions & { query?: Readonly<Record<string, string | undefined>> },
  ): Promise<void> {
    const { signal, timeoutMs, dryRun = false, query, ...rest } = options;
    // Servers read these options from the body alone when there is one.
    const body = { apiVersion: "v1", kind: "DeleteOptions", ...rest, ...(dryRun && dryRunBody) };
    await this.#requests.ask("DELETE", target, { signal, timeoutMs, query: { ...query }, body });
  }

  #type(): { apiVersion: string; kind: string } {
    return { apiVersion: apiVersionOf(this.definition), kind: this.definition.kind };
  }
}

const dryRunBody = { dryRun: ["All"] };

/** The configuration to apply: the fields to own, and the object's namespace and name. */
export type Applied<T extends ApiObject> = Omit<Part<T>, "metadata"> & {
  metadata: Part<T["metadata"]> & Place<T>;
};

function placeOf({ metadata: { namespace, name } }: ApiObject): Target {
  return { namespace, name };
}
