// The way of an object from the request to what is stored: defaults, what belongs together, what this
// writer may touch, checks, admission.
import type { ApiObject, ClusterSettings, FieldError, WriteContext } from "../../api/kinds/kind.ts";
import { attributesOf } from "../attributes.ts";
import type { Core } from "../core.ts";
import { invalid } from "../errors.ts";
import type { ResourceExchange } from "../http/exchange.ts";
import type { ServedResource } from "../resources/served.ts";
import { beginLife, continueLife } from "./lifecycle.ts";
import { nameErrors } from "./names.ts";

export interface Creation {
  readonly resource: ServedResource;
  readonly object: ApiObject;
  readonly namespace: string;
}

export interface Update {
  readonly resource: ServedResource;
  readonly object: ApiObject;
  readonly old: ApiObject;
  readonly patch?: NonNullable<WriteContext["patch"]>;
  /** The server itself may write the status with the rest. */
  readonly keepsStatus?: false;
}

/** Changes the object given into the one to be stored. */
export function prepareCreate(core: Core, exchange: ResourceExchange, creation: Creation): void {
  const { resource, object, namespace } = creation;
  const { rules } = resource;
  const { settings } = core;
  const metadata = beginLife(object, resource, { namespace, now: settings.now() });
  rules.default?.(object);
  const errors: FieldError[] = reconcile(exchange, creation, { settings });
  if (rules.prepareCreate !== undefined) rules.prepareCreate(object, settings);
  else if (hasStatus(resource)) delete (object as WithStatus).status;
  errors.push(...nameErrors(resource.collection, metadata.name ?? ""));
  errors.push(...(rules.validate?.(object, settings) ?? []));
  if (errors.length > 0) throw invalid(resource.groupKind, metadata.name ?? "", errors);
  admit(core, exchange, { new: object });
  exchange.warnings.push(...(rules.warnings?.(object, undefined) ?? []));
}

export function prepareUpdate(core: Core, exchange: ResourceExchange, update: Update): void {
  const { resource, object, old, patch } = update;
  const { rules } = resource;
  const { settings } = core;
  const { subresource } = exchange.target;
  rules.default?.(object);
  const errors = reconcile(exchange, update, {
    settings,
    old,
    ...(patch === undefined ? {} : { patch }),
    ...(subresource === undefined ? {} : { subresource }),
  });
  const isStatus = subresource === "status";
  if (isStatus) keepAllButStatus(update, settings);
  else if (update.keepsStatus !== false) keepStatus(update, settings);
  continueLife(object, old, resource);
  errors.push(...(rules.validate?.(object, settings) ?? []));
  const more = isStatus
    ? rules.validateStatusUpdate?.(object, old, settings)
    : rules.validateUpdate?.(object, old, settings);
  errors.push(...(more ?? []));
  if (errors.length > 0) throw invalid(resource.groupKind, old.metadata?.name ?? "", errors);
  admit(core, exchange, { old, new: object });
  exchange.warnings.push(...(rules.warnings?.(object, old) ?? []));
}

export function admit(
  core: Core,
  exchange: ResourceExchange,
  change: { old?: ApiObject; new?: ApiObject },
): void {
  if (core.admission.length === 0) return;
  const attributes = attributesOf(exchange.info);
  for (const admission of core.admission) admission.admit(exchange.user, attributes, change);
}

interface WithStatus extends ApiObject {
  status?: unknown;
}

function hasStatus({ subresources }: ServedResource): boolean {
  return subresources.some(({ name }) => name === "status");
}

/** What a kind does not decide otherwise: the status is written through its subresource alone. */
function keepStatus({ resource, object, old }: Update, settings: ClusterSettings): void {
  const { rules } = resource;
  if (rules.prepareUpdate !== undefined) {
    rules.prepareUpdate(object, old, settings);
  } else if (hasStatus(resource)) {
    const { status } = old as WithStatus;
    if (status === undefined) delete (object as WithStatus).status;
    else (object as WithStatus).status = status;
  }
}

function keepAllButStatus({ resource, object, old }: Update, settings: ClusterSettings): void {
  const { rules } = resource;
  if (rules.prepareStatusUpdate !== undefined) {
    rules.prepareStatusUpdate(object, old, settings);
    return;
  }
  const { status, metadata } = object as WithStatus;
  for (const field of Object.keys(object)) delete (object as Record<string, unknown>)[field];
  const managedFields = metadata?.managedFields;
  Object.assign(object, old, {
    metadata: { ...old.metadata, ...(managedFields === undefined ? {} : { managedFields }) },
    ...(status === undefined ? {} : { status }),
  });
}

function reconcile(
  exchange: ResourceExchange,
  { resource, object }: { resource: ServedResource; object: ApiObject },
  context: WriteContext,
): FieldError[] {
  const result = resource.rules.reconcile?.(object, context);
  if (result === undefined) return [];
  exchange.warnings.push(...result.warnings);
  return [...result.errors];
}
