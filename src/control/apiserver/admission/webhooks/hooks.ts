// The webhooks of the cluster, compiled: they are read again when a configuration has changed.
import type {
  MutatingWebhook,
  MutatingWebhookConfiguration,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
} from "../../../../api/types/admissionregistration.ts";
import { collectionId } from "../../keys.ts";
import type { ServedResource } from "../../resources/served.ts";
import type { ObjectReader } from "../../security/objects.ts";
import {
  compileMatchConditions,
  compileWebhookMatching,
  type MatchConditions,
  type Matching,
} from "../matching/matching.ts";

export interface Hook {
  /** The id, unique among all webhooks. */
  readonly id: string;
  readonly configuration: string;
  readonly webhook: MutatingWebhook | ValidatingWebhook;
  readonly isMutating: boolean;
  readonly matching: Matching;
  readonly conditions: MatchConditions;
}

type Configuration = MutatingWebhookConfiguration | ValidatingWebhookConfiguration;

const group = "admissionregistration.k8s.io";
const collections = {
  mutating: collectionId(group, "mutatingwebhookconfigurations"),
  validating: collectionId(group, "validatingwebhookconfigurations"),
} as const;

export class Hooks {
  readonly #objects: ObjectReader;
  readonly #kinds: Record<keyof typeof collections, { version: number; hooks: readonly Hook[] }> = {
    mutating: { version: -1, hooks: [] },
    validating: { version: -1, hooks: [] },
  };

  constructor(objects: ObjectReader) {
    this.#objects = objects;
  }

  /** The mutating webhooks, in the order in which they are called: by configuration, then as listed. */
  get mutating(): readonly Hook[] {
    return this.#current("mutating");
  }

  get validating(): readonly Hook[] {
    return this.#current("validating");
  }

  /** Returns whether a webhook may be called for requests about a resource. */
  concern(resource: ServedResource): boolean {
    const names = (list: readonly string[] | undefined, wanted: string) =>
      list?.some(
        (each) => each === "*" || each.split("/", 1)[0] === "*" || each.split("/", 1)[0] === wanted,
      ) === true;
    // Rules may name another version or group of the same objects, so that the version is left out.
    return [...this.mutating, ...this.validating].some(({ webhook }) =>
      webhook.rules?.some((rule) => names(rule.resources, resource.plural)),
    );
  }

  #current(kind: keyof typeof collections): readonly Hook[] {
    const version = this.#objects.version(collections[kind]);
    const known = this.#kinds[kind];
    if (known.version === version) return known.hooks;
    const hooks = compile(this.#objects.list(collections[kind]), kind === "mutating");
    this.#kinds[kind] = { version, hooks };
    return hooks;
  }
}

function compile(objects: Iterable<unknown>, isMutating: boolean): Hook[] {
  const configurations = [...objects] as Configuration[];
  return configurations
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
    .flatMap(({ metadata, webhooks = [] }) =>
      webhooks.map((webhook: MutatingWebhook | ValidatingWebhook, index) => ({
        id: `${metadata.name}/${webhook.name}/${index}`,
        configuration: metadata.name,
        webhook,
        isMutating,
        matching: compileWebhookMatching(webhook),
        conditions: compileMatchConditions(webhook.matchConditions ?? [], {
          failurePolicy: webhook.failurePolicy ?? "Fail",
        }),
      })),
    );
}
