// Keeps the catalogue in step with the stored definitions, reports their state in their status, and deletes
// the objects of definitions that are being deleted.
import type { CustomResourceDefinition } from "../../../api/types/apiextensions.ts";
import { aborted } from "../aborted.ts";
import type { Core } from "../core.ts";
import { StatusError } from "../errors.ts";
import { collectionId } from "../keys.ts";
import type { ServedResource } from "../resources/served.ts";
import { planDeletion } from "../write/end-of-life.ts";
import { isFinished } from "../write/lifecycle.ts";
import { mutate } from "../write/mutate.ts";
import { established, namesAccepted, notEstablished, setCondition } from "./conditions.ts";
import { cleanupFinalizer, definitions } from "./deletion.ts";
import { nameConflict } from "./names.ts";
import { serveDefinition } from "./serve.ts";

/** The interval at which definitions are checked that wait for the deletion of their objects. */
const cleanupInterval = 500;

export class CustomResources {
  readonly #core: Core;
  readonly #builtin: readonly ServedResource[];
  /** The resources served for each definition, by its name and revision. */
  #served = new Map<string, readonly ServedResource[]>();
  #working: Promise<void> | undefined;
  #isStale = false;

  constructor(core: Core) {
    this.#core = core;
    this.#builtin = core.catalogue.resources;
    this.refresh();
  }

  /** Follows the definitions; the catalogue is in step before the writer of a definition gets its answer. */
  async run(signal: AbortSignal): Promise<void> {
    const { subscribers } = this.#core.cache.collection(definitions);
    const subscriber = { changed: () => this.#changed(), lost: () => this.#changed() };
    subscribers.add(subscriber);
    const timer = setInterval(() => this.#tidy(), cleanupInterval);
    this.#changed();
    await aborted(signal);
    clearInterval(timer);
    subscribers.delete(subscriber);
    await this.#working;
  }

  refresh(): void {
    const served = new Map<string, readonly ServedResource[]>();
    const all = this.#definitions();
    for (const definition of all) {
      const { name, resourceVersion } = definition.metadata;
      const conflict = nameConflict(definition, others(all, definition), this.#builtin);
      if (conflict !== undefined) continue;
      const id = `${name} ${resourceVersion}`;
      served.set(id, this.#served.get(id) ?? this.#serve(definition));
    }
    const gone = [...this.#served.keys()].filter((id) => !served.has(id));
    this.#served = served;
    this.#core.catalogue.replace([...this.#builtin, ...[...served.values()].flat()]);
    for (const id of gone) this.#endWatches(id);
  }

  /** Serves a definition; one that cannot be served, whoever stored it, does not affect the others. */
  #serve(definition: CustomResourceDefinition): readonly ServedResource[] {
    try {
      return serveDefinition(definition);
    } catch (error) {
      this.#core.log.error("Cannot serve a custom resource", {
        name: definition.metadata.name,
        error,
      });
      return [];
    }
  }

  #definitions(): CustomResourceDefinition[] {
    const items = this.#core.cache.collection(definitions).list();
    return items.map((item) => item.parse() as CustomResourceDefinition);
  }

  #changed(): void {
    this.refresh();
    this.#isStale = true;
    this.#tidy();
  }

  /** Starts a round unless one is running; a change during a round starts another. */
  #tidy(): void {
    if (this.#working !== undefined) return;
    const isWaiting = this.#definitions().some(({ metadata }) => metadata.deletionTimestamp);
    if (!this.#isStale && !isWaiting) return;
    this.#isStale = false;
    this.#working = this.#round().finally(() => {
      this.#working = undefined;
      if (this.#isStale) this.#tidy();
    });
  }

  async #round(): Promise<void> {
    const all = this.#definitions();
    for (const definition of all) {
      try {
        if (definition.metadata.deletionTimestamp === undefined) {
          await this.#tellStatus(definition, others(all, definition));
        } else {
          await this.#cleanUp(definition);
        }
      } catch (error) {
        if (this.#core.stop.signal.aborted) return;
        if (!(error instanceof StatusError)) throw error;
        this.#core.log.warn("Cannot settle a custom resource definition", {
          name: definition.metadata.name,
          error,
        });
      }
    }
  }

  async #tellStatus(
    definition: CustomResourceDefinition,
    rest: readonly CustomResourceDefinition[],
  ): Promise<void> {
    const conflict = nameConflict(definition, rest, this.#builtin);
    await this.#write(definition, (object) => {
      const now = this.#core.settings.now();
      setCondition(object, namesAccepted(conflict), now);
      setCondition(object, conflict === undefined ? established : notEstablished, now);
      if (conflict === undefined)
        Object.assign(object.status ?? {}, { acceptedNames: object.spec.names });
    });
  }

  async #cleanUp(definition: CustomResourceDefinition): Promise<void> {
    const { group, names } = definition.spec;
    const collection = this.#core.cache.collection(collectionId(group, names.plural));
    const [resource] = this.#serve(definition);
    if (resource !== undefined) {
      for (const { namespace, name } of collection.list()) {
        await this.#delete(resource, { namespace, name });
      }
    }
    if (collection.size > 0) return;
    await this.#write(definition, ({ metadata }) => {
      metadata.finalizers = (metadata.finalizers ?? []).filter((each) => each !== cleanupFinalizer);
    });
  }

  async #delete(
    resource: ServedResource,
    place: { namespace: string; name: string },
  ): Promise<void> {
    const now = this.#core.settings.now();
    await mutate(this.#core, {
      resource,
      ...place,
      dryRun: false,
      plan(item) {
        if (item === undefined) return { type: "keep" };
        return planDeletion(resource, item, { options: { dryRun: false }, now });
      },
    });
  }

  async #write(
    { metadata }: CustomResourceDefinition,
    change: (object: CustomResourceDefinition) => void,
  ): Promise<void> {
    const resource = this.#builtin.find(({ collection }) => collection === definitions);
    if (resource === undefined) return;
    await mutate(this.#core, {
      resource,
      namespace: "",
      name: metadata.name,
      dryRun: false,
      plan(item) {
        const object = item?.parse() as CustomResourceDefinition | undefined;
        if (object === undefined || object.metadata.uid !== metadata.uid) return { type: "keep" };
        change(object);
        return isFinished(resource, object) ? { type: "delete" } : { type: "put", object };
      },
    });
  }

  /** Ends the watches of a resource that is not served any more. */
  #endWatches(id: string): void {
    const name = id.slice(0, id.indexOf(" "));
    const dot = name.indexOf(".");
    const stillServed = [...this.#served.keys()].some((each) => each.startsWith(`${name} `));
    if (stillServed) return;
    this.#core.cache.collection(collectionId(name.slice(dot + 1), name.slice(0, dot))).lose();
  }
}

function others(
  all: readonly CustomResourceDefinition[],
  definition: CustomResourceDefinition,
): CustomResourceDefinition[] {
  return all.filter(({ metadata }) => metadata.name !== definition.metadata.name);
}
