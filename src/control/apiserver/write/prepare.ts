// Prepares an object for storing: defaults, ownership, reconciliation of fields, restoring of fields that
// this writer may not change, validation, admission.

import type { FieldError } from "../../../api/fields/field-error.ts";
import type { ApiObject, ClusterSettings, WriteContext } from "../../../api/kinds/kind.ts";
import { validateMetadata } from "../../../api/kinds/metadata.ts";
import { defined } from "../../../base/json/defined.ts";
import { mutateDynamically, validateDynamically } from "../admission/dynamic.ts";
import { attributesOf } from "../attributes.ts";
import { invalid } from "../errors.ts";
import type { AskedResource } from "../http/exchange.ts";
import type { ServedResource } from "../resources/served.ts";
import { beginLife, continueLife } from "./lifecycle.ts";
import { recordOwner } from "./ownership.ts";
import type { PlanningCore } from "./planning.ts";

export interface Creation {
  readonly resource: ServedResource;
  readonly object: ApiObject;
  readonly namespace: string;
  /** The field manager; absent when the object's managedFields are already up to date. */
  readonly manager?: string;
}

export interface Update {
  readonly resource: ServedResource;
  readonly object: ApiObject;
  readonly old: ApiObject;
  readonly patch?: NonNullable<WriteContext["patch"]>;
  readonly patchBody?: unknown;
  /** The field manager; absent when the object's managedFields are already up to date. */
  readonly manager?: string;
  /** Set to false when the server itself writes the status with the rest. */
  readonly keepsStatus?: false;
  /** Set when policies and webhooks have been asked already, about the object of a subresource. */
  readonly isAdmitted?: true;
}

/** Returns the object to be stored; the one given may not be used afterwards. */
export async function prepareCreate(
  core: PlanningCore,
  exchange: AskedResource,
  creation: Creation,
): Promise<ApiObject> {
  const { resource, namespace, manager } = creation;
  const { rules } = resource;
  const { settings } = core;
  beginLife(creation.object, resource, { namespace, now: settings.now() });
  rules.default?.(creation.object);
  const owned =
    manager === undefined
      ? creation.object
      : recordOwner(
          core,
          { old: undefined, object: creation.object },
          { resource, manager, subresource: undefined },
        );
  await complete(core, exchange, owned);
  const operation = "CREATE";
  const object = await mutateDynamically(core, exchange, { operation, resource, object: owned });
  const errors = reconcile(exchange, { resource, object }, { settings });
  if (rules.prepareCreate !== undefined) rules.prepareCreate(object, settings);
  else if (resource.hasStatus) delete (object as WithStatus).status;
  errors.push(...validateMetadata(object.metadata ?? {}, { name: rules.name }));
  errors.push(...(rules.validate?.(object, settings) ?? []));
  if (errors.length === 0) errors.push(...(rules.validateCreate?.(object, settings) ?? []));
  if (errors.length > 0) throw invalid(resource.groupKind, object.metadata?.name ?? "", errors);
  admit(core, exchange, { new: object });
  await validateDynamically(core, exchange, { operation, resource, object });
  exchange.warnings.push(...(rules.warnings?.(object, undefined) ?? []));
  return object;
}

/** Returns the object to be stored; the one given may not be used afterwards, `old` may. */
export async function prepareUpdate(
  core: PlanningCore,
  exchange: AskedResource,
  update: Update,
): Promise<ApiObject> {
  const { resource, old, patch, manager } = update;
  const { rules } = resource;
  const { settings } = core;
  const { subresource } = exchange.target;
  rules.default?.(update.object);
  const owned =
    manager === undefined
      ? update.object
      : recordOwner(core, { old, object: update.object }, { resource, manager, subresource });
  const operation = "UPDATE";
  const asks = update.isAdmitted !== true;
  const object = asks
    ? await mutateDynamically(core, exchange, { operation, resource, object: owned, old })
    : owned;
  const errors = reconcile(
    exchange,
    { resource, object },
    {
      settings,
      old,
      ...(patch === undefined ? {} : { patch, patchBody: update.patchBody }),
      ...defined({ subresource }),
    },
  );
  const isStatus = subresource === "status";
  const change = { resource, object, old };
  if (isStatus) keepAllButStatus(change, settings);
  else if (update.keepsStatus !== false && subresource !== "approval") keepStatus(change, settings);
  continueLife(object, old, resource);
  errors.push(...validateMetadata(object.metadata ?? {}, { old: old.metadata }));
  errors.push(...(rules.validate?.(object, settings) ?? []));
  const more = isStatus
    ? rules.validateStatusUpdate?.(object, old, settings)
    : rules.validateUpdate?.(object, old, settings);
  errors.push(...(more ?? []));
  if (errors.length > 0) throw invalid(resource.groupKind, old.metadata?.name ?? "", errors);
  admit(core, exchange, { old, new: object });
  if (asks) await validateDynamically(core, exchange, { operation, resource, object, old });
  exchange.warnings.push(...(rules.warnings?.(object, old) ?? []));
  return object;
}

async function complete(
  core: PlanningCore,
  exchange: AskedResource,
  object: ApiObject,
): Promise<void> {
  const { completions = [] } = core.access;
  if (completions.length === 0) return;
  const attributes = attributesOf(exchange.info);
  for (const each of completions) await each.complete(attributes, object, exchange.user);
}

export function admit(
  core: PlanningCore,
  exchange: AskedResource,
  change: { old?: ApiObject; new?: ApiObject },
): void {
  const { admission = [] } = core.access;
  if (admission.length === 0) return;
  const attributes = attributesOf(exchange.info);
  for (const each of admission) {
    const { warnings = [], annotations = {} } = each.admit(exchange.user, attributes, change) ?? {};
    exchange.warnings.push(...warnings);
    Object.assign(exchange.annotations ?? {}, annotations);
  }
}

interface Change {
  readonly resource: ServedResource;
  readonly object: ApiObject;
  readonly old: ApiObject;
}

interface WithStatus extends ApiObject {
  status?: unknown;
}

/** Restores the status, which only its subresource writes, unless the kind decides otherwise. */
function keepStatus({ resource, object, old }: Change, settings: ClusterSettings): void {
  const { rules } = resource;
  if (rules.prepareUpdate !== undefined) {
    rules.prepareUpdate(object, old, settings);
  } else if (resource.hasStatus) {
    const { status } = old as WithStatus;
    if (status === undefined) delete (object as WithStatus).status;
    else (object as WithStatus).status = status;
  }
}

function keepAllButStatus({ resource, object, old }: Change, settings: ClusterSettings): void {
  const { rules } = resource;
  if (rules.prepareStatusUpdate !== undefined) {
    rules.prepareStatusUpdate(object, old, settings);
    return;
  }
  const { status, metadata } = object as WithStatus;
  for (const field of Object.keys(object)) delete (object as Record<string, unknown>)[field];
  const managedFields = metadata?.managedFields;
  // A status that is not there is an empty one: protobuf cannot tell the two apart.
  const { status: _, ...kept } = old as WithStatus;
  Object.assign(object, kept, {
    metadata: { ...old.metadata, ...defined({ managedFields }) },
    ...defined({ status }),
  });
}

function reconcile(
  exchange: AskedResource,
  { resource, object }: { resource: ServedResource; object: ApiObject },
  context: WriteContext,
): FieldError[] {
  const result = resource.rules.reconcile?.(object, context);
  if (result === undefined) return [];
  exchange.warnings.push(...result.warnings);
  return [...result.errors];
}
