// APIServices of the groups that this server answers itself: clients find all groups of the API among them.
import { timestamp } from "../../../api/fields/timestamp.ts";
import type { APIService } from "../../../api/types/apiregistration.ts";
import type { Core } from "../core.ts";
import { collectionId } from "../keys.ts";
import { planDeletion } from "../write/end-of-life.ts";
import { beginLife } from "../write/lifecycle.ts";
import { mutate } from "../write/mutate.ts";
import { localAvailability } from "./availability.ts";

const label = "kube-aggregator.kubernetes.io/automanaged";
const collection = collectionId("apiregistration.k8s.io", "apiservices");

/** The priorities of groups and versions, as in Kubernetes; custom resources come last. */
const priorities: Readonly<Record<string, number>> = {
  "": 18_000,
  apps: 17_800,
  "events.k8s.io": 17_750,
  "authentication.k8s.io": 17_700,
  "authorization.k8s.io": 17_600,
  autoscaling: 17_500,
  batch: 17_400,
  "certificates.k8s.io": 17_300,
  "networking.k8s.io": 17_200,
  policy: 17_100,
  "rbac.authorization.k8s.io": 17_000,
  "storage.k8s.io": 16_800,
  "apiextensions.k8s.io": 16_700,
  "admissionregistration.k8s.io": 16_700,
  "scheduling.k8s.io": 16_600,
  "coordination.k8s.io": 16_500,
  "node.k8s.io": 16_300,
  "discovery.k8s.io": 16_200,
  "flowcontrol.apiserver.k8s.io": 16_100,
  "resource.k8s.io": 15_900,
};
const builtinPriority = 15_000;
const customPriority = { group: 1000, version: 100 } as const;

export class LocalServices {
  readonly #core: Core;
  #kept = "";

  constructor(core: Core) {
    this.#core = core;
  }

  /** Creates APIServices that are missing, and deletes those of custom resources that are served no more. */
  async keep(): Promise<void> {
    if (this.#kept === this.#state()) return;
    const core = this.#core;
    const wanted = servedVersions(core);
    const present = core.cache.collection(collection).list();
    const names = new Set(present.map(({ name }) => name));
    for (const [name, version] of wanted) if (!names.has(name)) await create(core, name, version);
    for (const item of present) {
      const isOwn = item.parse().metadata?.labels?.[label] === "true";
      if (isOwn && !wanted.has(item.name)) await remove(core, item.name);
    }
    this.#kept = this.#state();
  }

  #state(): string {
    const { catalogue, cache } = this.#core;
    return `${catalogue.revision} ${cache.collection(collection).version}`;
  }
}

interface ServedVersion {
  readonly group: string;
  readonly version: string;
  readonly isCustom: boolean;
}

function servedVersions({ catalogue }: Core): Map<string, ServedVersion> {
  const wanted = new Map<string, ServedVersion>();
  for (const { group, version, custom } of catalogue.resources) {
    // The group that registers groups is not among them in Kubernetes either.
    if (group === "apiregistration.k8s.io") continue;
    wanted.set(`${version}.${group}`, { group, version, isCustom: custom !== undefined });
  }
  return wanted;
}

async function create(
  core: Core,
  name: string,
  { group, version, isCustom }: ServedVersion,
): Promise<void> {
  const resource = core.catalogue.find("apiregistration.k8s.io", "v1", "apiservices");
  if (resource === undefined) return;
  const { reason, message } = localAvailability;
  const object: APIService = {
    apiVersion: "apiregistration.k8s.io/v1",
    kind: "APIService",
    metadata: { name, labels: { [label]: isCustom ? "true" : "onstart" } },
    spec: {
      ...(group === "" ? {} : { group }),
      version,
      groupPriorityMinimum: isCustom
        ? customPriority.group
        : (priorities[group] ?? builtinPriority),
      versionPriority: isCustom ? customPriority.version : versionPriority(version),
    },
    status: {
      conditions: [
        {
          type: "Available",
          status: "True",
          lastTransitionTime: timestamp(core.settings.now()),
          reason,
          message,
        },
      ],
    },
  };
  await mutate(core, {
    resource,
    namespace: "",
    name,
    dryRun: false,
    plan(item) {
      if (item !== undefined) return { type: "keep" };
      beginLife(object, resource, { namespace: "", now: core.settings.now() });
      return { type: "put", object };
    },
  });
}

async function remove(core: Core, name: string): Promise<void> {
  const resource = core.catalogue.find("apiregistration.k8s.io", "v1", "apiservices");
  if (resource === undefined) return;
  await mutate(core, {
    resource,
    namespace: "",
    name,
    dryRun: false,
    plan(item) {
      if (item === undefined) return { type: "keep" };
      const now = core.settings.now();
      return planDeletion(resource, item, { options: { dryRun: false }, now });
    },
  });
}

/** Returns the priority of a version: stable ones come first. */
function versionPriority(version: string): number {
  const [, major = "1", stage] = /^v(\d+)(alpha|beta)?/.exec(version) ?? [];
  return stage === undefined ? 15 * Number(major) : stage === "beta" ? 9 : 1;
}
