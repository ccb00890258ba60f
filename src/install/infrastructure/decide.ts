import type { FieldError } from "../../api/fields/field-error.ts";
import { fieldErrorText } from "../../api/fields/field-error-text.ts";
import type { Condition } from "../../api/types/meta.ts";
import { defined } from "../../base/json/defined.ts";
import type { Prefix } from "../../base/net/prefix.ts";
import type { NodeAddress, Platform } from "../config/config.ts";
import { withCondition } from "./condition.ts";
import { inForce, overruled } from "./in-force.ts";
import { canonical, keepInStep } from "./keep-in-step.ts";
import {
  type Infrastructure,
  infrastructureName,
  type PlatformSpec,
  type PlatformStatus,
  platformOf,
} from "./object.ts";
import { recordAnnotation, recordOf, recordText, type VipRecord } from "./record.ts";
import { requestErrors } from "./requested-vips.ts";

/** The facts that a decision depends on besides the object. */
export interface Surroundings {
  readonly now: Date;
  readonly nodes: readonly NodeAddress[];
  readonly podNetworks: readonly Prefix[];
  readonly serviceNetworks: readonly Prefix[];
}

export interface Decision {
  /** The object as it should be; the same as before when there is nothing to do. */
  readonly desired: Infrastructure;
  /** The warnings about values that were overruled. */
  readonly warnings: readonly string[];
  /** The reasons why the spec is not applied. The rest of the decision stands. */
  readonly refused: readonly FieldError[];
}

/**
 * Decides what the object should be: syncs the deprecated fields of the status, then applies the spec. An
 * upgrade adds no VIPs: where the spec asks for none, it is filled in from the status. A missing status comes
 * from the spec; one that was overwritten is replaced by what is in force.
 */
export function decide(infrastructure: Infrastructure, around: Surroundings): Decision {
  const recorded = recordOf(infrastructure);
  const platform = platformOf(infrastructure, recorded);
  if (platform === undefined) return { desired: infrastructure, warnings: [], refused: [] };
  const path = `status.platformStatus.${platform.name}`;
  const spec = infrastructure.spec?.platformSpec?.[platform.name] ?? {};
  const kept = keepInStep(infrastructure.status?.platformStatus?.[platform.name] ?? {}, path);
  const witnesses = {
    written: kept.status,
    recorded: recorded?.type === platform.type ? recorded.status : undefined,
    spec,
  };
  const present = keepInStep(inForce(witnesses), path).status;
  const request = { spec, status: present, path: `spec.platformSpec.${platform.name}`, ...around };
  const refused = platform.hasSpec ? requestErrors(request) : [];
  const taken = platform.hasSpec && refused.length === 0 ? takeOver(spec, present) : undefined;
  const status = taken?.status ?? present;
  const wrong = overruled(witnesses, status, path);
  const asked = { platform, spec: { ...spec, ...taken?.spec }, status };
  return {
    desired: withConditions(
      withVips(infrastructure, asked, recorded),
      { refused, wrong },
      around.now,
    ),
    warnings: [...kept.warnings, ...wrong.map(fieldErrorText)],
    refused,
  };
}

interface Asked {
  readonly platform: Platform;
  readonly spec: PlatformSpec;
  readonly status: PlatformStatus;
}

function withVips(
  infrastructure: Infrastructure,
  { platform: { name, type }, spec, status }: Asked,
  recorded: VipRecord | undefined,
): Infrastructure {
  const { metadata, spec: given, status: before } = infrastructure;
  const hasVips = [status.apiServerInternalIPs, status.ingressIPs].some((list) => list?.length);
  const isNew = before?.platformStatus === undefined && hasVips;
  // Router ids derive from the name: a different one would give a VIP two holders for a while.
  const title = recorded?.infrastructureName ?? before?.infrastructureName;
  const named = title ?? (isNew ? infrastructureName : undefined);
  const record = { type, status, ...defined({ infrastructureName: named }) };
  const isAsked = Object.keys(spec).length > 0;
  return {
    ...infrastructure,
    ...(hasVips && {
      metadata: {
        ...metadata,
        annotations: { ...metadata.annotations, [recordAnnotation]: recordText(record) },
      },
    }),
    ...(isAsked && { spec: { ...given, platformSpec: { ...given?.platformSpec, [name]: spec } } }),
    status: {
      ...before,
      ...defined({ infrastructureName: named }),
      ...(isNew && { platform: type }),
      ...((hasVips || before?.platformStatus !== undefined) && {
        platformStatus: { ...before?.platformStatus, type, [name]: status },
      }),
    },
  };
}

function withConditions(
  infrastructure: Infrastructure,
  problems: { readonly refused: readonly FieldError[]; readonly wrong: readonly FieldError[] },
  now: Date,
): Infrastructure {
  const { status, metadata } = infrastructure;
  const { generation } = metadata;
  const observed = generation !== undefined && { observedGeneration: generation };
  const before = status?.conditions ?? [];
  const stated = { ...degraded(problems.refused), ...observed };
  const conditions = withCondition(before, stated, now);
  // The condition stays until a request is made by the spec.
  const told = before.find(({ type }) => type === overruledType);
  if (problems.wrong.length > 0) {
    const message = problems.wrong.map(fieldErrorText).join("; ");
    const condition = { type: overruledType, status: "True", reason: "StatusWritten", message };
    return withStatus(
      infrastructure,
      withCondition(conditions, { ...condition, ...observed }, now),
    );
  }
  if (told?.status !== "True" || told.observedGeneration === generation) {
    return withStatus(infrastructure, conditions);
  }
  const over = { type: overruledType, status: "False", reason: "AsExpected", message: "" };
  return withStatus(infrastructure, withCondition(conditions, { ...over, ...observed }, now));
}

/** The condition of a status that was overwritten with wrong values. */
const overruledType = "StatusOverruled";

function withStatus(infrastructure: Infrastructure, conditions: Condition[]): Infrastructure {
  return { ...infrastructure, status: { ...infrastructure.status, conditions } };
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
