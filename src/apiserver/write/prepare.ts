// The way of an object from the request to what is stored: defaults, what belongs together, what this
// writer may touch, checks, admission.
import type { ApiObject, FieldError, WriteContext } from "../../api/kinds/kind.ts";
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
}

/** Changes the object given into the one to be stored. */
export function prepareCreate(core: Core, exchange: ResourceExchange, creation: Creation): void {
  const { resource, object, namespace } = creation;
  const { rules } = resource;
  const { settings } = core;
  const metadata = beginLife(object, resource, { namespace, now: settings.now() });
  rules.default?.(object);
  const errors: FieldError[] = reconcile(exchange, creation, { settings });
  rules.prepareCreate?.(object, settings);
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
  if (isStatus) rules.prepareStatusUpdate?.(object, old, settings);
  else rules.prepareUpdate?.(object, old, settings);
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
