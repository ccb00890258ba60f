// Dynamic resource allocation: devices, claims and allocations. No part of Tandem allocates any.

import { invalid } from "../../fields/field-errors.ts";
import type {
  DeviceClass,
  ResourceClaim,
  ResourceClaimTemplate,
  ResourceSlice,
} from "../../types/resource.ts";
import { sameMeaning } from "../equality.ts";
import type { Kind } from "../kind.ts";
import { specAndStatus } from "../spec-and-status.ts";
import { ageColumn, nameColumn, table, text } from "../table.ts";

export const deviceClass: Kind<DeviceClass> = {
  hasGeneration: true,
  table: table<DeviceClass>([nameColumn, ageColumn]),
};

export const resourceClaim: Kind<ResourceClaim> = specAndStatus<ResourceClaim>({
  hasGeneration: false,
  default: ({ spec }) => countRequests(spec),
  initialStatus: () => ({}),
  validateUpdate: ({ spec }, old) =>
    sameMeaning(spec, old.spec) ? [] : [invalid("spec", spec, "field is immutable")],
  table: table<ResourceClaim>([nameColumn, text("State", stateText), ageColumn]),
});

export const resourceClaimTemplate: Kind<ResourceClaimTemplate> = {
  hasGeneration: false,
  default: ({ spec }) => countRequests(spec?.spec),
  validateUpdate: ({ spec }, old) =>
    sameMeaning(spec, old.spec) ? [] : [invalid("spec", spec, "field is immutable")],
  table: table<ResourceClaimTemplate>([nameColumn, ageColumn]),
};

export const resourceSlice: Kind<ResourceSlice> = {
  hasGeneration: true,
  validateUpdate: ({ spec }, old) => [
    ...(spec.driver === old.spec.driver
      ? []
      : [invalid("spec.driver", spec.driver, "field is immutable")]),
    ...(spec.nodeName === old.spec.nodeName
      ? []
      : [invalid("spec.nodeName", spec.nodeName ?? "", "field is immutable")]),
  ],
  selectableFields: ["spec.driver", "spec.nodeName"],
  selectableField: ({ spec }, field) =>
    (field === "spec.driver" ? spec.driver : spec.nodeName) ?? "",
  table: table<ResourceSlice>([
    nameColumn,
    text("Node", ({ spec }) => spec.nodeName),
    text("Driver", ({ spec }) => spec.driver),
    text("Pool", ({ spec }) => spec.pool?.name),
    ageColumn,
  ]),
};

/** Fills in the count of requests: one device unless stated otherwise. */
function countRequests(spec: ResourceClaim["spec"] | undefined): void {
  for (const { exactly, firstAvailable = [] } of spec?.devices?.requests ?? []) {
    for (const request of [...(exactly === undefined ? [] : [exactly]), ...firstAvailable]) {
      request.allocationMode ||= "ExactCount";
      if (request.allocationMode === "ExactCount") request.count ||= 1;
    }
  }
}

function stateText({ metadata, status }: ResourceClaim): string {
  const isDeleted = metadata.deletionTimestamp !== undefined;
  const states = status?.allocation === undefined ? (isDeleted ? [] : ["pending"]) : ["allocated"];
  if (status?.allocation !== undefined && (status.reservedFor ?? []).length > 0) {
    states.push("reserved");
  }
  return [...(isDeleted ? ["deleted"] : []), ...states].join(",");
}
