// The policies of the cluster with their bindings, compiled. They are compiled anew when one has changed.
import type {
  MatchResources,
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  ParamRef,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from "../../../../api/types/admissionregistration.ts";
import type { ObjectReader } from "../../security/objects.ts";
import { compileMatching, type Matching } from "../matching/matching.ts";
import {
  compileMutating,
  compileValidating,
  type MutatingPolicy,
  type ValidatingPolicy,
} from "./compile.ts";

export interface Bound<Binding> {
  readonly binding: Binding;
  readonly matching: Matching;
}

export interface Hook<Policy, Binding> {
  readonly policy: Policy;
  readonly bindings: readonly Bound<Binding>[];
}

export type ValidatingHook = Hook<ValidatingPolicy, ValidatingAdmissionPolicyBinding>;
export type MutatingHook = Hook<MutatingPolicy, MutatingAdmissionPolicyBinding>;

interface AnyBinding {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly policyName?: string;
    readonly paramRef?: ParamRef;
    readonly matchResources?: MatchResources;
  };
}

interface AnyPolicy {
  readonly metadata: { readonly name: string; readonly resourceVersion?: string };
}

export interface Hooks<Item> {
  /** Returns quickly whether there is a policy that is bound. */
  isActive(): boolean;
  /** Returns the policies that are bound, in the order of their names. */
  list(): readonly Item[];
}

export function validatingHooks(objects: ObjectReader): Hooks<ValidatingHook> {
  const names = ["validatingadmissionpolicies", "validatingadmissionpolicybindings"] as const;
  return hooks(objects, names, (policy) => compileValidating(policy as ValidatingAdmissionPolicy));
}

export function mutatingHooks(objects: ObjectReader): Hooks<MutatingHook> {
  const names = ["mutatingadmissionpolicies", "mutatingadmissionpolicybindings"] as const;
  return hooks(objects, names, (policy) => compileMutating(policy as MutatingAdmissionPolicy));
}

function hooks<Policy, Binding extends AnyBinding>(
  objects: ObjectReader,
  [policies, bindings]: readonly [string, string],
  compile: (policy: AnyPolicy) => Policy,
): Hooks<Hook<Policy, Binding>> {
  let known: readonly Hook<Policy, Binding>[] = [];
  let versions: readonly number[] = [];
  let compiled = new Map<string, Policy>();
  const list = () => {
    const now = [objects.version(policies), objects.version(bindings)];
    if (now[0] === versions[0] && now[1] === versions[1]) return known;
    const kept = new Map<string, Policy>();
    const bound = Map.groupBy(
      objects.list(bindings) as Iterable<Binding>,
      ({ spec }) => spec.policyName ?? "",
    );
    known = [...(objects.list(policies) as Iterable<AnyPolicy>)]
      .filter(({ metadata }) => bound.has(metadata.name))
      .map((policy) => {
        const { name, resourceVersion } = policy.metadata;
        const id = `${name} ${resourceVersion ?? ""}`;
        const made = compiled.get(id) ?? compile(policy);
        kept.set(id, made);
        return { policy: made, bindings: (bound.get(name) ?? []).map(withMatching) };
      });
    compiled = kept;
    versions = now;
    return known;
  };
  return { list, isActive: () => list().length > 0 };
}

function withMatching<Binding extends AnyBinding>(binding: Binding): Bound<Binding> {
  return { binding, matching: compileMatching(binding.spec.matchResources ?? {}) };
}
