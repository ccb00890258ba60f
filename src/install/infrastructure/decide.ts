import type { FieldError } from "../../api/fields/field-error.ts";
import { fieldErrorText } from "../../api/fields/field-error-text.ts";
import { withCondition } from "./condition.ts";
import { canonical, keepInStep } from "./keep-in-step.ts";
import {
  type Infrastructure,
  type PlatformSpec,
  type PlatformStatus,
  platformOf,
} from "./object.ts";
import { requestErrors } from "./requested-vips.ts";

export interface Decision {
  /** As it should be; the same as before when there is nothing to do. */
  readonly desired: Infrastructure;
  /** What was overruled. */
  readonly warnings: readonly string[];
  /** Why the spec is not taken over. The rest of the decision stands. */
  readonly refused: readonly FieldError[];
}

/**
 * Keeps the deprecated fields of the status in step, then takes over what the spec asks for. An
 * upgrade adds no VIPs: where nothing is asked for, the spec is filled in from the status.
 */
export function decide(infrastructure: Infrastructure, now: Date): Decision {
  const platform = platformOf(infrastructure);
  const present = platform && infrastructure.status?.platformStatus?.[platform.name];
  if (platform === undefined || present === undefined) {
    return { desired: infrastructure, warnings: [], refused: [] };
  }
  const kept = keepInStep(present, `status.platformStatus.${platform.name}`);
  const spec = infrastructure.spec?.platformSpec?.[platform.name] ?? {};
  const request = { spec, status: kept.status, path: `spec.platformSpec.${platform.name}` };
  const refused = platform.hasSpec ? requestErrors(request) : [];
  const taken = platform.hasSpec && refused.length === 0 ? takeOver(spec, kept.status) : undefined;

  const { status, spec: given } = infrastructure;
  const desired: Infrastructure = {
    ...infrastructure,
    ...(taken !== undefined && {
      spec: {
        ...given,
        platformSpec: { ...given?.platformSpec, [platform.name]: { ...spec, ...taken.spec } },
      },
    }),
    status: {
      ...status,
      platformStatus: {
        ...status?.platformStatus,
        [platform.name]: taken?.status ?? kept.status,
      },
      conditions: withCondition(status?.conditions ?? [], degraded(refused), now),
    },
  };
  return { desired, warnings: kept.warnings, refused };
}

function takeOver(
  spec: PlatformSpec,
  status: PlatformStatus,
): { spec: PlatformSpec; status: PlatformStatus } {
  const chosen = (field: "apiServerInternalIPs" | "ingressIPs") => {
    const requested = spec[field] ?? [];
    const list = requested.length > 0 ? requested : (status[field] ?? []);
    return list.length > 0 && { [field]: list.map(canonical) };
  };
  const { machineNetworks = [] } = spec;
  const taken: PlatformSpec = {
    ...chosen("apiServerInternalIPs"),
    ...chosen("ingressIPs"),
    ...(machineNetworks.length > 0 && { machineNetworks }),
  };
  return { spec: taken, status: keepInStep({ ...status, ...taken }, "").status };
}

function degraded(refused: readonly FieldError[]) {
  if (refused.length === 0) {
    return { type: "Degraded", status: "False", reason: "AsExpected", message: "" } as const;
  }
  const message = refused.map(fieldErrorText).join("; ");
  return { type: "Degraded", status: "True", reason: "SpecRefused", message } as const;
}
