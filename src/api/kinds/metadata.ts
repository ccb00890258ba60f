// Checks of metadata, the same for all kinds.

import type { FieldError } from "../fields/field-error.ts";
import { forbidden, invalid, required } from "../fields/field-errors.ts";
import { dnsSubdomain, labelValue, type NameRule, qualifiedName } from "../fields/names.ts";
import type { ObjectMeta, OwnerReference } from "../types/meta.ts";
import { each, named, tooLongBy } from "./checks.ts";

const maxAnnotationBytes = 256 * 1024;

export interface MetadataChecks {
  /** The rule for names of the kind's objects; absent: DNS subdomains. */
  readonly name?: NameRule | undefined;
  /** The stored metadata, on an update. */
  readonly old?: ObjectMeta | undefined;
}

export function validateMetadata(
  metadata: ObjectMeta,
  { name = dnsSubdomain, old }: MetadataChecks = {},
): FieldError[] {
  return [
    ...(old === undefined ? nameErrors(metadata, name) : []),
    ...validateLabels(metadata.labels, "metadata.labels"),
    ...validateAnnotations(metadata.annotations, "metadata.annotations"),
    ...ownerErrors(metadata.ownerReferences ?? []),
    ...(old === undefined ? finalizerErrors(metadata.finalizers ?? []) : []),
    ...(old === undefined ? [] : newFinalizerErrors(metadata, old)),
  ];
}

export function validateLabels(
  labels: Readonly<Record<string, string>> | undefined,
  path: string,
): FieldError[] {
  return Object.entries(labels ?? {}).flatMap(([key, value]) => [
    ...named(path, key, qualifiedName),
    ...named(path, value, labelValue),
  ]);
}

export function validateAnnotations(
  annotations: Readonly<Record<string, string>> | undefined,
  path: string,
): FieldError[] {
  const errors: FieldError[] = [];
  let bytes = 0;
  for (const [key, value] of Object.entries(annotations ?? {})) {
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
    const problems = qualifiedName(key.toLowerCase());
    errors.push(...problems.map((problem) => invalid(path, key, problem)));
  }
  return bytes > maxAnnotationBytes ? [...errors, tooLongBy(path, maxAnnotationBytes)] : errors;
}

function nameErrors({ name = "", generateName = "" }: ObjectMeta, rule: NameRule): FieldError[] {
  // A prefix may end in a dash, since the server appends a suffix to it.
  const prefixed = generateName.replace(/(?<=.)-$/, "a");
  const problems = generateName === "" ? [] : rule(prefixed);
  return [
    ...problems.map((problem) => invalid("metadata.generateName", generateName, problem)),
    ...(name === ""
      ? [required("metadata.name", "name or generateName is required")]
      : named("metadata.name", name, rule)),
  ];
}

const ownersPath = "metadata.ownerReferences";

function ownerErrors(owners: readonly OwnerReference[]): FieldError[] {
  const errors = each(owners, ownersPath, (owner) => [
    ...ownerPart(owner.apiVersion, "apiVersion", "version"),
    ...ownerPart(owner.kind, "kind"),
    ...ownerPart(owner.name, "name"),
    ...ownerPart(owner.uid, "uid"),
    ...(owner.apiVersion === "v1" && owner.kind === "Event"
      ? [invalid(ownersPath, owner, "/v1, Kind=Event is disallowed from being an owner")]
      : []),
  ]);
  const [first, ...others] = owners.filter(({ controller }) => controller === true);
  for (const other of others) {
    const both = `${nameOf(first)} and ${nameOf(other)}`;
    const detail = `Only one reference can have Controller set to true. Found "true" in references for ${both}`;
    errors.push(invalid(ownersPath, owners, detail));
  }
  return errors;
}

function ownerPart(value: string | undefined, part: string, what = part): FieldError[] {
  return value ? [] : [invalid(`${ownersPath}.${part}`, "", `${what} must not be empty`)];
}

function nameOf(owner: OwnerReference | undefined): string {
  return `${owner?.kind}/${owner?.name}`;
}

const finalizersPath = "metadata.finalizers";
/** The finalizers of the garbage collector and of namespaces; all others need a domain in their name. */
const standardFinalizers = ["foregroundDeletion", "kubernetes", "orphan"];

/** Checks the name of a finalizer, in metadata and in the spec of a namespace. */
export function validateFinalizer(name: string, path: string): FieldError[] {
  return [...named(path, name, qualifiedName), ...originErrors(name, path)];
}

function originErrors(name: string, path: string): FieldError[] {
  if (name.includes("/") || standardFinalizers.includes(name)) return [];
  const detail = "name is neither a standard finalizer name nor is it fully qualified";
  return [invalid(path, name, detail)];
}

function finalizerErrors(finalizers: readonly string[]): FieldError[] {
  const errors = each(finalizers, finalizersPath, (name, path) => [
    ...named(finalizersPath, name, qualifiedName),
    ...originErrors(name, path),
  ]);
  if (finalizers.includes("orphan") && finalizers.includes("foregroundDeletion")) {
    const detail = "finalizer orphan and foregroundDeletion cannot be both set";
    errors.push(invalid(finalizersPath, finalizers, detail));
  }
  return errors;
}

function newFinalizerErrors(metadata: ObjectMeta, old: ObjectMeta): FieldError[] {
  const before = old.finalizers ?? [];
  const added = (metadata.finalizers ?? []).filter((name) => !before.includes(name));
  if (added.length === 0) return [];
  if (old.deletionTimestamp === undefined) {
    return added.flatMap((name) => validateFinalizer(name, finalizersPath));
  }
  const names = added.toSorted().map((name) => JSON.stringify(name));
  const detail = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${names.join(", ")}}`;
  return [forbidden(finalizersPath, detail)];
}
