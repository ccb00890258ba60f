import type { FieldError } from "../../fields/field-error.ts";
import { invalid } from "../../fields/field-errors.ts";
import { dnsLabel } from "../../fields/names.ts";
import type { Namespace } from "../../types/core.ts";
import type { Kind } from "../kind.ts";
import { validateFinalizer } from "../metadata.ts";
import { specAndStatus } from "../spec-and-status.ts";
import { ageColumn, nameColumn, table, text } from "../table.ts";

/** The label that lets selectors match a namespace by name; the server sets it on every write. */
const nameLabel = "kubernetes.io/metadata.name";
/** The finalizer that stays until the content of the namespace is gone. */
const contentFinalizer = "kubernetes";

export const namespace: Kind<Namespace> = specAndStatus<Namespace>({
  name: dnsLabel,
  hasGeneration: false,
  default(object) {
    const { metadata } = object;
    if (metadata.name) metadata.labels = { ...metadata.labels, [nameLabel]: metadata.name };
    object.status ??= {};
    object.status.phase ||= "Active";
  },
  initialStatus: () => ({ phase: "Active" }),
  prepareCreate(object) {
    const finalizers = object.spec?.finalizers ?? [];
    if (!finalizers.includes(contentFinalizer)) finalizers.push(contentFinalizer);
    object.spec = { finalizers };
  },
  reconcile(object, { old, subresource }) {
    if (old !== undefined && subresource !== "finalize") object.spec = old.spec;
    return { errors: [], warnings: [] };
  },
  validate: ({ spec }) =>
    (spec.finalizers ?? []).flatMap((name) => validateFinalizer(name, "spec.finalizers")),
  validateStatusUpdate: phaseErrors,
  selectableFields: ["status.phase"],
  selectableField: ({ status }) => status?.phase ?? "",
  table: table<Namespace>([nameColumn, text("Status", ({ status }) => status?.phase), ageColumn]),
});

function phaseErrors({ metadata, status }: Namespace): FieldError[] {
  const isEnding = metadata.deletionTimestamp !== undefined;
  const expected = isEnding ? "Terminating" : "Active";
  if (status?.phase === expected) return [];
  const detail = `may only be '${expected}' if \`deletionTimestamp\` is ${isEnding ? "not " : ""}empty`;
  return [invalid("status.Phase", status?.phase, detail)];
}
