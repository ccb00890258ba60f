// Keeps the status of validating policies: which generation was checked, and what its types' check found.
import type { ValidatingAdmissionPolicy } from "../../../../api/types/admissionregistration.ts";
import { aborted } from "../../aborted.ts";
import type { Core } from "../../core.ts";
import { StatusError } from "../../errors.ts";
import { collectionId } from "../../keys.ts";
import { mutate } from "../../write/mutate.ts";
import { typeWarnings } from "./type-warnings.ts";

const group = "admissionregistration.k8s.io";
const plural = "validatingadmissionpolicies";
const policies = collectionId(group, plural);

export class PolicyTypeChecks {
  readonly #core: Core;
  #working: Promise<void> | undefined;
  #isStale = false;

  constructor(core: Core) {
    this.#core = core;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { subscribers } = this.#core.cache.collection(policies);
    const subscriber = { changed: () => this.#changed(), lost: () => this.#changed() };
    subscribers.add(subscriber);
    this.#changed();
    await aborted(signal);
    subscribers.delete(subscriber);
    await this.#working;
  }

  /** Starts a round unless one is running; a change during a round starts another. */
  #changed(): void {
    this.#isStale = true;
    if (this.#working !== undefined) return;
    this.#isStale = false;
    this.#working = this.#round().finally(() => {
      this.#working = undefined;
      if (this.#isStale) this.#changed();
    });
  }

  async #round(): Promise<void> {
    // The subscriber is called while the change is being told: the round begins after that.
    await Promise.resolve();
    for (const item of this.#core.cache.collection(policies).list()) {
      const policy = item.parse() as ValidatingAdmissionPolicy;
      if (isChecked(policy)) continue;
      try {
        await this.#check(policy);
      } catch (error) {
        if (this.#core.stop.signal.aborted) return;
        if (!(error instanceof StatusError)) throw error;
        this.#core.log.warn("Cannot check the types of a policy", { name: item.name, error });
      }
    }
  }

  async #check({ metadata }: ValidatingAdmissionPolicy): Promise<void> {
    const { catalogue } = this.#core;
    const resource = catalogue.find(group, "v1", plural);
    if (resource === undefined) return;
    await mutate(this.#core, {
      resource,
      namespace: "",
      name: metadata.name,
      dryRun: false,
      plan(item) {
        const object = item?.parse() as ValidatingAdmissionPolicy | undefined;
        if (object === undefined || isChecked(object)) return { type: "keep" };
        const found = typeWarnings(object, catalogue);
        object.status = {
          ...object.status,
          observedGeneration: object.metadata.generation ?? 0,
          typeChecking: found.length === 0 ? {} : { expressionWarnings: found },
        };
        return { type: "put", object };
      },
    });
  }
}

function isChecked({ metadata, status }: ValidatingAdmissionPolicy): boolean {
  return (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
}
