import type { FieldError } from "../../fields/field-error.ts";
import { forbidden, notSupported } from "../../fields/field-errors.ts";
import type { PersistentVolumeClaimSpec } from "../../types/core.ts";

type Modes = NonNullable<PersistentVolumeClaimSpec["accessModes"]>;

const short: Readonly<Record<string, string>> = {
  ReadOnlyMany: "ROX",
  ReadWriteMany: "RWX",
  ReadWriteOnce: "RWO",
  ReadWriteOncePod: "RWOP",
};
const supported = Object.keys(short);

/** Checks access modes. Kubernetes reports every mode under the path of the list. */
export function accessModeErrors(modes: Modes | undefined, path: string): FieldError[] {
  const list: readonly string[] = modes ?? [];
  const isMixed = list.includes("ReadWriteOncePod") && new Set(list).size > 1;
  return [
    ...list.flatMap((mode) =>
      supported.includes(mode) ? [] : [notSupported(path, mode, supported)],
    ),
    ...(isMixed ? [forbidden(path, "may not use ReadWriteOncePod with other access modes")] : []),
  ];
}

/** Returns the short names of access modes, in the order that kubectl shows. */
export function accessModesText(modes: Modes | undefined): string {
  const order = ["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"];
  return order
    .filter((mode) => (modes as readonly string[] | undefined)?.includes(mode))
    .map((mode) => short[mode])
    .join(",");
}
