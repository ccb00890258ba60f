// Creates, renumbers and deletes ControllerRevisions for their owner.

import { isAlreadyExists } from "../../../../api/client/errors.ts";
import { keyOf } from "../../../../api/client/objects.ts";
import type { ResourceClient } from "../../../../api/client/resource-client.ts";
import { compileLabelSelector } from "../../../../api/selectors/label-selector.ts";
import type { ControllerRevision } from "../../../../api/types/apps.ts";
import type { LabelSelector } from "../../../../api/types/meta.ts";
import type { ControllerBase } from "../../context.ts";
import { Children } from "../children.ts";
import { carryOutClaim } from "../claiming.ts";
import { byController, claim, isControlledBy, orphansIn, placeOf } from "../ownership.ts";
import { forgettable, planRevisions } from "./plan.ts";
import { isRevisionOf, type RevisionOwner } from "./revision.ts";

export interface Kept {
  readonly present: ControllerRevision;
  readonly all: readonly ControllerRevision[];
}

/** Returns the revisions that all controllers share: `context.shared(sharedRevisions)`. */
export function sharedRevisions({ client, informers, clock }: ControllerBase): Revisions {
  const resource = client.resource("apps/v1", "ControllerRevision");
  const informer = informers.of(resource);
  return new Revisions(resource, new Children({ resource, informer, clock }, [byController]));
}

export class Revisions {
  readonly #resource: ResourceClient<ControllerRevision>;
  readonly #children: Children<ControllerRevision>;

  constructor(
    resource: ResourceClient<ControllerRevision>,
    children: Children<ControllerRevision>,
  ) {
    this.#resource = resource;
    this.#children = children;
  }

  /**
   * Ensures that the present revision exists; returns `undefined` if another has taken its name: see
   * `collide`.
   */
  async sync<O extends RevisionOwner & { spec: { selector: LabelSelector } }>(
    owner: O,
    { owners, signal }: { readonly owners: ResourceClient<O>; readonly signal: AbortSignal },
  ): Promise<Kept | undefined> {
    const children = this.#children;
    const { uid = "", namespace } = owner.metadata;
    await children.settle(byController, uid, signal);
    const selector = compileLabelSelector(owner.spec.selector);
    const ours = claim(
      owner,
      [...children.by(byController, uid), ...children.by(byController, orphansIn(namespace))],
      (revision) => selector.matches(revision),
    );
    await carryOutClaim(owner, ours, { owners, children, signal });
    const all = ours.kept.map((each) => children.get(keyOf(each)) ?? each);
    const { present, create, renumber } = planRevisions(owner, all);
    if (renumber !== undefined) {
      const updated = await children.update(renumber, signal);
      return { present: updated, all: all.map((each) => (each === present ? updated : each)) };
    }
    if (present !== undefined) return { present, all };
    if (create === undefined) return undefined;
    try {
      const made = await children.create(create, signal);
      return { present: made, all: [...all, made] };
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const place = placeOf(create as ControllerRevision);
      const taken = await this.#resource.get(place, { signal });
      // The revision is ours, but not in the cache yet: the next reconciliation will find it.
      if (isControlledBy(taken, owner) && isRevisionOf(taken, owner.spec.template)) throw error;
      return undefined;
    }
  }

  async forget(
    owner: RevisionOwner,
    all: readonly ControllerRevision[],
    {
      isUsed,
      signal,
    }: {
      readonly isUsed: (revision: ControllerRevision) => boolean;
      readonly signal: AbortSignal;
    },
  ): Promise<void> {
    for (const revision of forgettable(owner, all, isUsed)) {
      await this.#children.delete(revision, { signal });
    }
  }
}
