// Follows the metadata of objects of every kind, as far as it concerns owners and dependents.

import { Informer, type InformerSettings, type KeySource } from "../../../api/client/informer.ts";
import type { ApiObject } from "../../../api/client/objects.ts";
import type { NamedMeta } from "../../../api/types/meta.ts";
import { pause } from "../../../base/host/clock.ts";
import type { ControllerContext } from "../context.ts";
import {
  createServedResources,
  type ServedResource,
  type ServedResources,
} from "../served-resources.ts";
import { type GraphItem, itemOf, OwnerGraph } from "./owner-graph.ts";

const needed = ["list", "watch", "delete"];
/** Events have no owners, expire by themselves, and are many. */
const ignored = new Set(["events"]);
const lookAgainMs = 30_000;
const tryAgainMs = 1_000;

export class Monitors implements KeySource {
  readonly name = "monitors of all kinds";
  readonly graph = new OwnerGraph();
  readonly #context: ControllerContext;
  readonly #settings: InformerSettings;
  readonly #subscribers = new Set<(uid: string) => void>();
  readonly #running = new Map<string, Monitor>();
  readonly #synced = Promise.withResolvers<void>();
  #resources: readonly ServedResource[] = [];

  constructor(context: ControllerContext) {
    this.#context = context;
    const { clock, random, log } = context;
    this.#settings = { clock, random, log };
  }

  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  /** Subscribes to the uids of objects that may need work. */
  subscribe(add: (uid: string) => void): () => void {
    this.#subscribers.add(add);
    return () => this.#subscribers.delete(add);
  }

  /** Returns the resource of a kind; `undefined` if none is served. */
  resourceOf(group: string, kind: string): ServedResource | undefined {
    return this.#resources.find((each) => each.group === group && each.kind === kind);
  }

  async run(signal: AbortSignal): Promise<void> {
    const served = this.#context.shared(createServedResources);
    let wake: () => void = () => undefined;
    const leave = served.changes.subscribe(() => wake());
    try {
      while (!signal.aborted) {
        const changed = new AbortController();
        wake = () => changed.abort();
        const waitMs = (await this.#tryRefresh(served, signal)) ? lookAgainMs : tryAgainMs;
        const wait = AbortSignal.any([signal, changed.signal]);
        await pause(this.#context.clock, waitMs, wait);
      }
    } finally {
      leave();
      await Promise.all([...this.#running.values()].map(({ end }) => end()));
    }
  }

  async #tryRefresh(served: ServedResources, signal: AbortSignal): Promise<boolean> {
    try {
      await this.#refresh(await served.all(signal), signal);
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      this.#context.log.warn("Cannot find out what is served; trying again", { error });
      return false;
    }
  }

  async #refresh(resources: readonly ServedResource[], signal: AbortSignal): Promise<void> {
    this.#resources = resources;
    const wanted = new Map(resources.filter(isFollowed).map((each) => [idOf(each), each]));
    for (const [id, monitor] of this.#running) {
      if (wanted.has(id)) continue;
      this.#running.delete(id);
      await monitor.end();
    }
    for (const [id, resource] of wanted) {
      if (!this.#running.has(id)) this.#running.set(id, this.#follow(resource, signal));
    }
    void Promise.all([...this.#running.values()].map(({ synced }) => synced)).then(() =>
      this.#synced.resolve(),
    );
  }

  #follow(resource: ServedResource, signal: AbortSignal): Monitor {
    const client = this.#context.client.metadata(resource);
    const informer = new Informer(client, { transform: essence }, this.#settings);
    const uids = new Map<string, string>();
    informer.subscribe((key) => {
      const object = informer.get(key);
      const before = uids.get(key);
      if (before !== undefined && before !== object?.metadata.uid) this.#remove(before);
      if (object === undefined) uids.delete(key);
      else {
        uids.set(key, object.metadata.uid ?? "");
        this.#put(itemOf(resource, object.metadata));
      }
    });
    const stop = new AbortController();
    const until = AbortSignal.any([signal, stop.signal]);
    const running = informer.run(until);
    return {
      synced: informer.synced,
      end: async () => {
        stop.abort();
        await running;
        for (const uid of uids.values()) this.#remove(uid);
      },
    };
  }

  #put(item: GraphItem): void {
    const before = this.graph.get(item.uid);
    this.graph.put(item);
    this.#tell([item.uid]);
    this.#tellOwners(before);
  }

  #remove(uid: string): void {
    const before = this.graph.get(uid);
    const dependents = this.graph.dependentsOf(uid);
    this.graph.remove(uid);
    this.#tell(dependents.map((each) => each.uid));
    this.#tellOwners(before);
  }

  /** Reports the owners that wait for their dependents. */
  #tellOwners(item: GraphItem | undefined): void {
    const owners = (item?.owners ?? []).map(({ uid }) => uid);
    this.#tell(owners.filter((uid) => this.graph.get(uid)?.isDeleting === true));
  }

  #tell(uids: readonly string[]): void {
    for (const uid of uids) for (const add of this.#subscribers) add(uid);
  }
}

interface Monitor {
  readonly synced: Promise<void>;
  readonly end: () => Promise<void>;
}

function isFollowed({ plural, verbs }: ServedResource): boolean {
  return !ignored.has(plural) && needed.every((verb) => verbs.includes(verb));
}

function idOf({ group, version, plural }: ServedResource): string {
  return `${group}/${version}/${plural}`;
}

/** Returns the only part of an object that is kept in memory. */
function essence<T extends ApiObject>(object: T): T {
  const { name, namespace, uid, resourceVersion, ownerReferences, finalizers, deletionTimestamp } =
    object.metadata;
  const metadata: NamedMeta = { name };
  const kept = { namespace, uid, resourceVersion, ownerReferences, finalizers, deletionTimestamp };
  for (const [field, value] of Object.entries(kept)) {
    if (value !== undefined) Object.assign(metadata, { [field]: value });
  }
  object.metadata = metadata;
  return object;
}
