// The catalogue of resources that are served at this moment. Custom resources come and go.
import type { ServedResource } from "./served.ts";

export class Catalogue {
  #resources: readonly ServedResource[] = [];
  #byPath = new Map<string, ServedResource>();
  #revision = 0;

  constructor(resources: readonly ServedResource[]) {
    this.replace(resources);
  }

  /** A number that grows with every change, by which derived documents notice that they are stale. */
  get revision(): number {
    return this.#revision;
  }

  get resources(): readonly ServedResource[] {
    return this.#resources;
  }

  find(group: string, version: string, plural: string): ServedResource | undefined {
    return this.#byPath.get(`${group}/${version}/${plural}`);
  }

  replace(resources: readonly ServedResource[]): void {
    this.#resources = resources;
    this.#byPath = new Map(
      resources.map((each) => [`${each.group}/${each.version}/${each.plural}`, each]),
    );
    this.#revision++;
  }
}
