import { compareText } from "../../base/json/value.ts";
import { describeElement, type Element } from "./element.ts";
import { paths } from "./field-set.ts";
import { type OwnerName, ownerId } from "./owners.ts";
import type { Taken } from "./ownership.ts";

/** A field that another manager owns with another value. */
export interface Conflict {
  readonly owner: OwnerName;
  readonly path: readonly Element[];
}

/** An entry of `details.causes` in a Status body. */
export interface ConflictCause {
  readonly reason: "FieldManagerConflict";
  readonly message: string;
  readonly field: string;
}

/** The error of an apply that would take fields from other managers; 409 unless it is forced. */
export class ApplyConflictError extends Error {
  override readonly name = "ApplyConflictError";
  readonly reason = "Conflict";
  readonly conflicts: readonly Conflict[];

  constructor(conflicts: readonly Conflict[]) {
    super(messageOf(conflicts));
    this.conflicts = conflicts;
  }

  get causes(): ConflictCause[] {
    return this.conflicts.map(({ owner, path }) => ({
      reason: "FieldManagerConflict",
      message: `conflict with ${describeOwner(owner)}`,
      field: describePath(path),
    }));
  }
}

export function isApplyConflict(error: unknown): error is ApplyConflictError {
  return error instanceof ApplyConflictError;
}

export function conflictsOf(taken: readonly Taken[]): Conflict[] {
  return taken
    .toSorted((left, right) => compareText(ownerId(left.owner.name), ownerId(right.owner.name)))
    .flatMap(({ owner, fields }) =>
      [...paths(fields)].map((path) => ({ owner: owner.name, path })),
    );
}

function messageOf(conflicts: readonly Conflict[]): string {
  const [first] = conflicts;
  if (first !== undefined && conflicts.length === 1) {
    return `Apply failed with 1 conflict: conflict with ${describeOwner(first.owner)}: ${describePath(first.path)}`;
  }
  const lines = conflicts.flatMap(({ owner, path }, index) => {
    const previous = conflicts[index - 1];
    const isSame = previous !== undefined && ownerId(previous.owner) === ownerId(owner);
    const line = `- ${describePath(path)}`;
    return isSame ? [line] : [`conflicts with ${describeOwner(owner)}:`, line];
  });
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join("\n")}`;
}

function describeOwner({ manager, operation, apiVersion, subresource }: OwnerName): string {
  const part = subresource === "" ? "" : ` with subresource ${JSON.stringify(subresource)}`;
  const version = operation === "Update" ? ` using ${apiVersion}` : "";
  return `${JSON.stringify(manager)}${part}${version}`;
}

function describePath(path: readonly Element[]): string {
  return path.map(describeElement).join("");
}
