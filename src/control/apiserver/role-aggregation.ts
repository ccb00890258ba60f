// Fills cluster roles that have an aggregation rule with the rules of the roles it selects. The server does
// so itself: a controller with the permission to grant anything could abuse it.
import { sameMeaning } from "../../api/kinds/equality.ts";
import { aggregatedRules } from "../../api/kinds/rbac.ts";
import type { ClusterRole } from "../../api/types/rbac.ts";
import { aborted } from "./aborted.ts";
import type { Core } from "./core.ts";
import { toStatusError } from "./errors.ts";
import { collectionId } from "./keys.ts";
import { writeOwn } from "./write/own-object.ts";

const group = "rbac.authorization.k8s.io";
const roles = collectionId(group, "clusterroles");
const retryMs = 1_000;

export class RoleAggregation {
  readonly #core: Core;
  #working: Promise<void> | undefined;
  #isStale = false;

  constructor(core: Core) {
    this.#core = core;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { subscribers } = this.#core.cache.collection(roles);
    const subscriber = { changed: () => this.#changed(), lost: () => this.#changed() };
    subscribers.add(subscriber);
    // Failed rounds are retried by a timer, whether or not anything changes.
    const timer = setInterval(() => this.#isStale && this.#start(), retryMs);
    this.#changed();
    await aborted(signal);
    clearInterval(timer);
    subscribers.delete(subscriber);
    await this.#working;
  }

  #changed(): void {
    this.#isStale = true;
    this.#start();
  }

  /** Starts a round unless one is running; a change during a round starts another. */
  #start(): void {
    if (this.#working !== undefined || this.#core.stop.signal.aborted) return;
    this.#isStale = false;
    this.#working = this.#round().then((isDone) => {
      this.#working = undefined;
      if (isDone && this.#isStale) this.#start();
      return undefined;
    });
  }

  /** Updates all aggregated roles. Returns whether that succeeded; a failed round is retried by the timer. */
  async #round(): Promise<boolean> {
    try {
      const all = this.#all();
      for (const role of all) {
        const rules = aggregatedRules(role, all);
        if (rules === undefined || sameMeaning(role.rules ?? [], rules)) continue;
        await this.#write(role.metadata.name);
      }
      return true;
    } catch (error) {
      this.#isStale = true;
      if (this.#core.stop.signal.aborted) return false;
      const { code } = toStatusError(error);
      this.#core.log.warn("Cannot gather the rules of a cluster role", { code, error });
      return false;
    }
  }

  async #write(name: string): Promise<void> {
    const resource = this.#core.catalogue.find(group, "v1", "clusterroles");
    if (resource === undefined) return;
    await writeOwn(this.#core, {
      resource,
      namespace: "",
      name,
      desire: (old) => {
        const rules = old && aggregatedRules(old as ClusterRole, this.#all());
        return rules && Object.assign(old, { rules });
      },
    });
  }

  #all(): ClusterRole[] {
    const items = this.#core.cache.collection(roles).list();
    return items.map((item) => item.parse() as ClusterRole);
  }
}
