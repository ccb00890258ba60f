// Storage admission: new claims get the default class, claims and volumes are protected while they are used, and
// claims grow only where their class allows it.

import { nanosOf } from "../../../api/fields/quantity.ts";
import type { ApiObject } from "../../../api/kinds/kind.ts";
import {
  claimProtection,
  classNameOf,
  defaultClass,
  volumeProtection,
} from "../../../api/kinds/storage.ts";
import type { PersistentVolumeClaim } from "../../../api/types/core.ts";
import type { StorageClass } from "../../../api/types/storage.ts";
import type { Admission, Completion } from "../access.ts";
import { forbidden } from "../errors.ts";
import type { ObjectReader } from "../security/objects.ts";

const protections: Readonly<Record<string, string>> = {
  persistentvolumeclaims: claimProtection,
  persistentvolumes: volumeProtection,
};

export function storageCompletion(objects: ObjectReader): Completion {
  return {
    complete({ group, resource, subresource }, object) {
      const protection = group === "" && subresource === undefined && protections[resource];
      if (protection) protect(object, protection);
      if (protection === claimProtection) setClass(object as PersistentVolumeClaim, objects);
      return Promise.resolve();
    },
  };
}

/** Refuses claims that ask for more than before, unless their class says that volumes can grow. */
export function expansionAdmission(objects: ObjectReader): Admission {
  return {
    admit(_, { group, resource, subresource }, change) {
      if (group !== "" || resource !== "persistentvolumeclaims" || subresource !== undefined)
        return;
      const [old, claim] = [change.old, change.new] as (PersistentVolumeClaim | undefined)[];
      if (old === undefined || claim === undefined || sizeOf(claim) <= sizeOf(old)) return;
      const name = classNameOf(claim);
      const storageClass = objects.get("storageclasses", "", name) as StorageClass | undefined;
      if (storageClass?.allowVolumeExpansion === true) return;
      const why =
        "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize";
      throw forbidden({ group: "", name: resource }, claim.metadata.name, why);
    },
  };
}

function protect({ metadata }: ApiObject, protection: string): void {
  if (metadata === undefined) return;
  const { finalizers = [] } = metadata;
  if (!finalizers.includes(protection)) metadata.finalizers = [...finalizers, protection];
}

function setClass(claim: PersistentVolumeClaim, objects: ObjectReader): void {
  if (claim.spec.storageClassName !== undefined || classNameOf(claim) !== "") return;
  const found = defaultClass(objects.list("storageclasses") as Iterable<StorageClass>);
  if (found !== undefined) claim.spec.storageClassName = found.metadata.name;
}

function sizeOf({ spec }: PersistentVolumeClaim): bigint {
  return nanosOf(spec.resources?.requests?.["storage"] ?? "0");
}
