// The values of the variables that an expression about a request has, and the budget that evaluations share.

import { namespaceType, requestType } from "../../../../api/cel/admission.ts";
import { authorizerValue, resourceCheckValue } from "../../../../api/cel/authorizer.ts";
import type { Program } from "../../../../api/cel/compile.ts";
import { fromJson, lazyFields } from "../../../../api/cel/json-values.ts";
import { CelError, CostLimitExceeded, type Value } from "../../../../api/cel/values.ts";
import type { ApiObject } from "../../../../api/kinds/kind.ts";
import type { AdmissionRequest, MatchedResource } from "../matching/request.ts";
import { shown } from "../matching/request.ts";
import type { Decisions } from "./decisions.ts";

/** The most that one expression may cost. */
const callLimit = 1_000_000;
/** The most that one may cost which only the server's own thread can evaluate. */
const boundLimit = 100_000;

export interface ActivationOptions {
  readonly request: AdmissionRequest;
  readonly matched: MatchedResource;
  readonly decisions: Decisions;
  readonly params?: ApiObject | undefined;
  readonly namespace?: ApiObject | undefined;
  /** The expressions of the variables, by name, in the order of their definition. */
  readonly variables?: ReadonlyMap<string, Program>;
  /** The most that all expressions together may cost. */
  readonly budget: number;
  /** The cost from which on evaluation has to be done in another thread. */
  readonly heavy?: number | undefined;
}

/** Evaluates expressions about one request. */
export class Activation {
  readonly #options: ActivationOptions;
  readonly #values = new Map<string, Value>();
  #spent = 0;

  constructor(options: ActivationOptions) {
    this.#options = options;
  }

  /** Returns the value of an expression; a failure is an error. */
  evaluate(program: Program): Value {
    const { budget, heavy, request } = this.#options;
    if (this.#spent > budget) return outOfBudget;
    // Only writes that store an object can be planned in another thread.
    const isBound = request.operation === "DELETE" || request.operation === "CONNECT";
    const limit = heavy !== undefined && isBound ? boundLimit : callLimit;
    const left = heavy === undefined || isBound ? undefined : heavy - this.#spent;
    try {
      const { value, cost } = program.evaluate({
        variables: (name) => this.#variable(name),
        limit,
        heavy: left,
      });
      this.#spent += cost;
      return this.#spent > budget ? outOfBudget : value;
    } catch (error) {
      if (!(error instanceof CostLimitExceeded)) throw error;
      return new CelError(error.message);
    }
  }

  #variable(name: string): Value | undefined {
    const known = this.#values.get(name);
    if (known !== undefined) return known;
    const value = this.#make(name);
    if (value !== undefined) this.#values.set(name, value);
    return value;
  }

  #make(name: string): Value | undefined {
    const { request, matched, params, namespace, decisions } = this.#options;
    switch (name) {
      case "object":
        return fromJson(shown(matched, request, request.object));
      case "oldObject":
        return fromJson(shown(matched, request, request.oldObject));
      case "request":
        return fromJson(describeRequest(request, matched), requestType);
      case "params":
        return fromJson(params);
      case "namespaceObject":
        return fromJson(namespace, namespaceType);
      case "authorizer":
        return authorizerValue(decisions.ask);
      case "authorizer.requestResource": {
        const { resource, subresource = "", namespace: place, name: target } = request;
        const { group, plural } = resource;
        const where = { namespace: place, name: target, subresource };
        return resourceCheckValue(decisions.ask, { group, resource: plural, ...where });
      }
      case "variables":
        return this.#variables();
      default:
        return undefined;
    }
  }

  #variables(): Value {
    const { variables = new Map<string, Program>() } = this.#options;
    return lazyFields("kubernetes.variables", [...variables.keys()], (name) => {
      const program = variables.get(name);
      return program === undefined ? undefined : this.evaluate(program);
    });
  }
}

export const outOfBudget = new CelError(
  "validation failed due to running out of cost budget, no further validation rules will be run",
);

/** Returns the request as expressions see it. */
function describeRequest(request: AdmissionRequest, matched: MatchedResource): object {
  const { resource, kind, subresource, user, name, namespace, operation, dryRun, options } =
    request;
  const extra = Object.entries(user.extra ?? {});
  const described = ({ group, version, plural }: AdmissionRequest["resource"]) => ({
    group,
    version,
    resource: plural,
  });
  return {
    kind: matched.kind,
    resource: described(matched.resource),
    ...(subresource === undefined
      ? {}
      : { subResource: subresource, requestSubResource: subresource }),
    requestKind: kind,
    requestResource: described(resource),
    name,
    namespace,
    operation,
    userInfo: {
      username: user.name,
      ...(user.uid === undefined ? {} : { uid: user.uid }),
      groups: user.groups,
      ...(extra.length === 0 ? {} : { extra: user.extra }),
    },
    dryRun,
    options,
  };
}
