// Admission webhooks: servers that may change or refuse requests. The door of this folder.
import { randomUUID } from "node:crypto";
import type { ApiObject } from "../../../../api/kinds/kind.ts";
import { applyJsonPatch } from "../../../../api/patch/json-patch.ts";
import { isObject, type JsonObject, sameJson } from "../../../../base/json/value.ts";
import { NeedsConversion } from "../../crds/version-conversion.ts";
import { badRequest, internal, type StatusError } from "../../errors.ts";
import type { ServedResource } from "../../resources/served.ts";
import type { ObjectReader } from "../../security/objects.ts";
import type { PlanningCore } from "../../write/planning.ts";
import type { DynamicAdmission, Mutated, MutationTurn } from "../dynamic.ts";
import { isExemptFromWebhooks } from "../matching/matching.ts";
import {
  type AdmissionRequest,
  type MatchedResource,
  shown,
  unshown,
} from "../matching/request.ts";
import { type Hook, Hooks } from "./hooks.ts";
import type { WebhookEvent, WebhookPort } from "./port.ts";
import { CallError, callFailure, rejection } from "./refusal.ts";
import { type ReviewAnswer, readAnswer, reviewOf, reviewVersion } from "./review.ts";

export type { WebhookPort } from "./port.ts";

export interface WebhookOptions {
  readonly objects: ObjectReader;
  readonly port: WebhookPort;
  readonly now?: () => number;
}

const defaultTimeoutSeconds = 10;
const longestTimeoutSeconds = 30;

export function webhookAdmission(options: WebhookOptions): DynamicAdmission {
  return new WebhookAdmission(options);
}

interface Invocation {
  readonly hook: Hook;
  readonly matched: MatchedResource;
}

class WebhookAdmission implements DynamicAdmission {
  readonly #hooks: Hooks;
  readonly #options: WebhookOptions;

  constructor(options: WebhookOptions) {
    this.#options = options;
    this.#hooks = new Hooks(options.objects);
  }

  isActive(): boolean {
    return this.#hooks.mutating.length > 0 || this.#hooks.validating.length > 0;
  }

  mayWaitFor(resource: ServedResource): boolean {
    return this.#hooks.concern(resource);
  }

  /** Calls the webhooks one after the other: each sees the changes of those before. */
  async mutate(
    core: PlanningCore,
    request: AdmissionRequest,
    { isReinvocation, ran }: MutationTurn,
  ): Promise<Mutated> {
    if (isExemptFromWebhooks(request)) return { object: request.object, reinvoke: false };
    let current = request;
    let reinvoke = false;
    for (const [index, hook] of this.#hooks.mutating.entries()) {
      const { webhook, id } = hook;
      const before = ran.get(id);
      if (isReinvocation && (before === undefined || isUnchanged(before, current.object))) continue;
      const matched = await this.#matched(core, current, hook);
      if (matched === undefined) continue;
      const turn = `round_${isReinvocation ? 1 : 0}_index_${index}`;
      const changed = await this.#mutateBy(current, { hook, matched }, turn);
      if (changed !== undefined) {
        current = { ...current, object: changed };
        reinvoke ||= [...ran].some(([other]) => other !== id);
      }
      const isReinvocable =
        "reinvocationPolicy" in webhook && webhook.reinvocationPolicy === "IfNeeded";
      if (isReinvocable && current.object !== undefined) ran.set(id, current.object);
    }
    return { object: current.object, reinvoke };
  }

  /** Calls the webhooks at once; the refusal of the first one counts. */
  async validate(core: PlanningCore, request: AdmissionRequest): Promise<void> {
    if (isExemptFromWebhooks(request)) return;
    const invocations: Invocation[] = [];
    for (const hook of this.#hooks.validating) {
      const matched = await this.#matched(core, request, hook);
      if (matched !== undefined) invocations.push({ hook, matched });
    }
    const results = await Promise.allSettled(
      invocations.map(async (invocation, index) => {
        const answer = await this.#ask(request, invocation, `round_0_index_${index}`);
        if (answer?.isAllowed === false) throw rejection(invocation.hook.webhook.name, answer);
      }),
    );
    const refused = results.find((each) => each.status === "rejected");
    if (refused !== undefined) throw refused.reason;
  }

  async #matched(
    core: PlanningCore,
    request: AdmissionRequest,
    { matching, conditions, webhook }: Hook,
  ): Promise<MatchedResource | undefined> {
    const { objects } = this.#options;
    const matched = matching.match(request, { objects, catalogue: core.catalogue });
    if (matched === undefined || (webhook.matchConditions ?? []).length === 0) return matched;
    const { authorizer = nobodyMay } = core.access;
    const result = await conditions.evaluate(request, matched, { authorizer });
    if ("error" in result) {
      const name = webhook.name;
      throw internal(new Error(`failed calling webhook "${name}": ${result.error.message}`));
    }
    return result.matches ? matched : undefined;
  }

  /** Returns the object as a webhook wants it; `undefined` when it leaves it as it is. */
  async #mutateBy(
    request: AdmissionRequest,
    invocation: Invocation,
    turn: string,
  ): Promise<ApiObject | undefined> {
    const { hook, matched } = invocation;
    const { name } = hook.webhook;
    const answer = await this.#ask(request, invocation, turn);
    if (answer?.isAllowed === false) throw rejection(name, answer);
    const patch = answer?.patch;
    const changed =
      patch === undefined || (Array.isArray(patch) && patch.length === 0)
        ? undefined
        : patchedBy(name, request, { matched, patch });
    const note = (key: string, value: unknown) => {
      const text = JSON.stringify({
        configuration: hook.configuration,
        webhook: name,
        ...(value as object),
      });
      request.annotations[`${key}.webhook.admission.k8s.io/${turn}`] = text;
    };
    if (answer !== undefined) note("mutation", { mutated: changed !== undefined });
    if (changed !== undefined) note("patch", { patch, patchType: "JSONPatch" });
    return changed;
  }

  /** Asks a webhook; `undefined` when it failed and may be left out. */
  async #ask(
    request: AdmissionRequest,
    invocation: Invocation,
    turn: string,
  ): Promise<ReviewAnswer | undefined> {
    const { hook } = invocation;
    const { webhook } = hook;
    if (request.dryRun && !["None", "NoneOnDryRun"].includes(webhook.sideEffects)) {
      throw badRequest(`admission webhook "${webhook.name}" does not support dry run`);
    }
    const { now = () => performance.now(), port } = this.#options;
    const started = now();
    const observe = (outcome: WebhookEvent["outcome"], code: number) =>
      port.observe({
        name: webhook.name,
        type: hook.isMutating ? "admit" : "validating",
        operation: request.operation,
        seconds: (now() - started) / 1000,
        outcome,
        code,
      });
    try {
      const answer = await this.#call(request, invocation);
      observe(answer.isAllowed ? "allowed" : "rejected", answer.isAllowed ? 200 : codeOf(answer));
      for (const [key, value] of Object.entries(answer.annotations)) {
        request.annotations[`${webhook.name}/${key}`] = value;
      }
      request.warnings.push(...answer.warnings);
      return answer;
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      if (webhook.failurePolicy !== "Ignore") {
        observe("failed", 503);
        throw callFailure(webhook.name, error);
      }
      observe("failed-open", 503);
      const type = hook.isMutating ? "mutation" : "validating";
      request.annotations[`failed-open.${type}.webhook.admission.k8s.io/${turn}`] = webhook.name;
      return undefined;
    }
  }

  async #call(request: AdmissionRequest, { hook, matched }: Invocation): Promise<ReviewAnswer> {
    const { webhook, isMutating } = hook;
    const seconds = Math.min(
      webhook.timeoutSeconds ?? defaultTimeoutSeconds,
      longestTimeoutSeconds,
    );
    const uid = randomUUID();
    try {
      const apiVersion = reviewVersion(webhook.admissionReviewVersions);
      const body = JSON.stringify(reviewOf(request, matched, { apiVersion, uid }));
      const text = await this.#options.port
        .post({ client: webhook.clientConfig, body, timeoutMs: seconds * 1000 })
        .catch(failedTo("failed to call webhook"));
      return readAnswer(text, { apiVersion, uid, isMutating });
    } catch (error) {
      if (error instanceof CallError || error instanceof NeedsConversion) throw error;
      return failedTo("received invalid webhook response")(error);
    }
  }
}

const nobodyMay = { authorize: () => ({ allowed: false as const }) };

function failedTo(what: string): (cause: unknown) => never {
  return (cause) => {
    const state = cause instanceof Error ? cause.message : String(cause);
    throw new CallError(`${what}: ${state}`, { cause });
  };
}

function isUnchanged(before: ApiObject, object: ApiObject | undefined): boolean {
  return object !== undefined && (before === object || sameJson(before, object));
}

function codeOf({ result }: ReviewAnswer): number {
  const code = Number(result["code"] ?? 0);
  return Number.isInteger(code) && code >= 400 && code < 600 ? code : 400;
}

function patchedBy(
  name: string,
  request: AdmissionRequest,
  { matched, patch }: { matched: MatchedResource; patch: unknown },
): ApiObject | undefined {
  const object = shown(matched, request, request.object);
  if (object === undefined) throw unsupported(name);
  let result: unknown;
  try {
    result = applyJsonPatch(structuredClone(object) as JsonObject, patch);
  } catch (error) {
    throw internal(error);
  }
  if (!isObject(result)) throw internal(new Error(`webhook "${name}" left no object`));
  if (sameJson(result, object)) return undefined;
  return unshown(matched, request, result);
}

function unsupported(name: string): StatusError {
  return internal(
    new Error(
      `admission webhook "${name}" attempted to modify the object, which is not supported for this operation`,
    ),
  );
}
