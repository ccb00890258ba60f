// Plans which revision is the present one, and which old ones are deleted.

import type { ControllerRevision } from "../../../../api/types/apps.ts";
import { isRevisionOf, newRevision, type RevisionDraft, type RevisionOwner } from "./revision.ts";

export interface RevisionPlan {
  /** The revision of the present template, if it exists. */
  readonly present: ControllerRevision | undefined;
  /** The revision to create, if it does not exist. */
  readonly create: RevisionDraft | undefined;
  /** A former revision that is current again, with its new number. */
  readonly renumber: ControllerRevision | undefined;
}

export function planRevisions(
  owner: RevisionOwner,
  revisions: readonly ControllerRevision[],
): RevisionPlan {
  const last = Math.max(0, ...revisions.map(({ revision }) => revision));
  const alike = revisions.filter((each) => isRevisionOf(each, owner.spec.template));
  const present = alike.toSorted(byNumber).at(-1);
  if (present === undefined) {
    return { present, create: newRevision(owner, last + 1), renumber: undefined };
  }
  const renumber = present.revision < last ? { ...present, revision: last + 1 } : undefined;
  return { present, create: undefined, renumber };
}

/** Returns the unused revisions beyond the history limit. */
export function forgettable(
  { spec }: RevisionOwner,
  revisions: readonly ControllerRevision[],
  isUsed: (revision: ControllerRevision) => boolean,
): ControllerRevision[] {
  const unused = revisions.filter((each) => !isUsed(each)).toSorted(byNumber);
  const { revisionHistoryLimit = 10 } = spec;
  return unused.slice(0, Math.max(0, unused.length - revisionHistoryLimit));
}

function byNumber(left: ControllerRevision, right: ControllerRevision): number {
  return left.revision - right.revision || (left.metadata.name < right.metadata.name ? -1 : 1);
}
