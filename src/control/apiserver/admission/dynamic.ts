// Dynamic admission: policies and webhooks, which objects of the API define. Mutating ones come before the
// object is validated, validating ones after; of each, policies come before webhooks.
import type { ApiObject, ClusterSettings } from "../../../api/kinds/kind.ts";
import type { Authorizer } from "../access.ts";
import type { AskedResource } from "../http/exchange.ts";
import type { Catalogue } from "../resources/catalogue.ts";
import type { ServedResource } from "../resources/served.ts";
import { facetOf } from "../subresources/facet.ts";
import { fit } from "../write/decode.ts";
import { parseDryRun } from "../write/options.ts";
import type { AdmissionOperation, AdmissionRequest } from "./matching/request.ts";
import { hasOwnKind as isOfOwnKind } from "./matching/request.ts";

/** The parts of the server that admission works with. */
export interface AdmissionCore {
  readonly access: {
    readonly authorizer?: Authorizer;
    readonly dynamic?: readonly DynamicAdmission[];
  };
  readonly catalogue: Catalogue;
  readonly settings: ClusterSettings;
}

/** The policies, or the webhooks, of the cluster. */
export interface DynamicAdmission {
  /** Returns quickly whether there are any; without them requests are not even described. */
  isActive(): boolean;
  /** Returns whether requests about a resource may wait for other servers; absent: they never do. */
  mayWaitFor?(resource: ServedResource): boolean;
  /** Returns the object as it is to be, in its stored form; throws a Status error to refuse it. */
  mutate(core: AdmissionCore, request: AdmissionRequest, turn: MutationTurn): Promise<Mutated>;
  /** Throws a Status error when the request is refused. */
  validate(core: AdmissionCore, request: AdmissionRequest): Promise<void>;
}

/** The state of mutation of one request. */
export interface MutationTurn {
  /** Says that others have changed the object since: only what asks for reinvocation runs again. */
  readonly isReinvocation: boolean;
  /** The names of mutators that ran before, by which they know whether they have to run again. */
  readonly ran: Map<string, ApiObject>;
}

export interface Mutated {
  readonly object: ApiObject | undefined;
  /** Says that mutators that ran before this change want to see it. */
  readonly reinvoke: boolean;
}

export interface DynamicChange {
  readonly operation: AdmissionOperation;
  readonly resource: ServedResource;
  readonly object?: ApiObject | undefined;
  readonly old?: ApiObject | undefined;
  readonly options?: ApiObject;
  readonly dryRun?: boolean;
}

export function hasDynamicAdmission({ access }: AdmissionCore): boolean {
  return access.dynamic?.some((each) => each.isActive()) ?? false;
}

/** Returns whether a request about a resource may wait for other servers. */
export function mayWaitFor(
  { access }: Pick<AdmissionCore, "access">,
  resource: ServedResource,
): boolean {
  return access.dynamic?.some((each) => each.mayWaitFor?.(resource) === true) ?? false;
}

/** Lets mutating policies and webhooks change an object; returns it as it is to be validated. */
export async function mutateDynamically(
  core: AdmissionCore,
  exchange: AskedResource,
  change: DynamicChange & { readonly object: ApiObject },
): Promise<ApiObject> {
  if (!hasDynamicAdmission(core)) return change.object;
  const { resource } = change;
  const before = describe(exchange, change);
  const ran = new Map<string, ApiObject>();
  let request = before;
  for (const isReinvocation of [false, true]) {
    let reinvoke = false;
    for (const each of core.access.dynamic ?? []) {
      if (!each.isActive()) continue;
      const mutated = await each.mutate(core, request, { isReinvocation, ran });
      if (mutated.object !== undefined && mutated.object !== request.object) {
        request = { ...request, object: fitted(resource, request, mutated.object) };
      }
      reinvoke ||= mutated.reinvoke;
    }
    if (!reinvoke) break;
  }
  if (request.object === before.object || request.object === undefined) return change.object;
  if (!isOfOwnKind(request)) return request.object;
  return facetOf(resource, exchange.target.subresource).take(change.object, request.object);
}

/** Asks validating policies and webhooks; throws when one refuses the change. */
export async function validateDynamically(
  core: AdmissionCore,
  exchange: AskedResource,
  change: DynamicChange,
): Promise<void> {
  if (!hasDynamicAdmission(core)) return;
  const request = describe(exchange, change);
  for (const each of core.access.dynamic ?? []) {
    if (each.isActive()) await each.validate(core, request);
  }
}

/** Asks mutating and validating ones about an operation that stores no object of its own. */
export async function admitDynamically(
  core: AdmissionCore,
  exchange: AskedResource,
  change: DynamicChange,
): Promise<void> {
  if (!hasDynamicAdmission(core)) return;
  const request = describe(exchange, change);
  const turn = { isReinvocation: false, ran: new Map<string, ApiObject>() };
  for (const each of core.access.dynamic ?? []) {
    if (each.isActive()) await each.mutate(core, request, turn);
  }
  await validateDynamically(core, exchange, change);
}

/** Describes a change as policies and webhooks see it. */
function describe(exchange: AskedResource, change: DynamicChange): AdmissionRequest {
  const { resource, operation, object, old } = change;
  const { target, user, warnings, annotations = {}, info } = exchange;
  const { subresource } = target;
  const served = resource.subresources.find(({ name }) => name === subresource);
  const { group, version, kind } = served ?? resource;
  const hasFacet = served !== undefined && served.kind !== resource.kind && operation === "UPDATE";
  const show = (one: ApiObject | undefined) =>
    one !== undefined && hasFacet ? facetOf(resource, subresource).show(structuredClone(one)) : one;
  const name = target.name ?? object?.metadata?.name ?? old?.metadata?.name ?? "";
  const isNamespace = resource.group === "" && resource.plural === "namespaces";
  return {
    operation,
    resource,
    subresource,
    kind: { group, version, kind },
    namespace: isNamespace ? name : resource.namespaced ? (target.namespace ?? "") : "",
    name,
    user,
    dryRun: change.dryRun ?? parseDryRun(info.query.getAll("dryRun")),
    options: change.options ?? optionsOf(exchange, operation),
    object: show(object),
    oldObject: show(old),
    warnings,
    annotations,
  };
}

const optionKinds: Readonly<Record<string, string>> = {
  create: "CreateOptions",
  update: "UpdateOptions",
  patch: "PatchOptions",
  delete: "DeleteOptions",
  deletecollection: "DeleteOptions",
};

function optionsOf({ target, info }: AskedResource, operation: AdmissionOperation): ApiObject {
  const { query } = info;
  const isCreation = operation === "CREATE" && target.verb === "patch";
  const kind = isCreation ? "CreateOptions" : optionKinds[target.verb];
  const texts = ["fieldManager", "fieldValidation"].flatMap((name): [string, string][] => {
    const value = query.get(name);
    return value === null || value === "" ? [] : [[name, value] as const];
  });
  const dryRun = query.getAll("dryRun").filter((value) => value !== "");
  return {
    apiVersion: "meta.k8s.io/v1",
    ...(kind === undefined ? {} : { kind }),
    ...Object.fromEntries(texts),
    ...(dryRun.length === 0 ? {} : { dryRun }),
  };
}

/** Drops what the schema does not know from a mutated object, and fills in defaults. */
function fitted(resource: ServedResource, request: AdmissionRequest, object: ApiObject): ApiObject {
  if (isOfOwnKind(request)) return object;
  // A schema describes the served form; that of a converted resource is checked after its conversion.
  const fitting = resource.conversion === undefined ? fit(object, resource, []) : object;
  resource.rules.default?.(fitting);
  return fitting;
}
