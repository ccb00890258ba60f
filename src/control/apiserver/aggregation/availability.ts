// The availability of a server of an aggregated API: its service, its endpoints, and whether it answers.
import { timestamp } from "../../../api/fields/timestamp.ts";
import type { APIService, APIServiceCondition } from "../../../api/types/apiregistration.ts";
import type { Service } from "../../../api/types/core.ts";
import { isObject } from "../../../base/json/value.ts";
import { messageOf } from "../../../base/program/errors.ts";
import type { Core } from "../core.ts";
import { StatusError } from "../errors.ts";
import { collectionId } from "../keys.ts";
import { mutate } from "../write/mutate.ts";
import { getDocument, type RemoteApi } from "./remote-api.ts";
import { type RemoteDiscovery, readResources } from "./remote-discovery.ts";

export interface Availability {
  readonly isAvailable: boolean;
  readonly reason: string;
  readonly message: string;
  /** What the server serves; absent while it does not answer. */
  readonly discovery?: RemoteDiscovery;
}

const timeoutMs = 5000;

export const localAvailability: Availability = {
  isAvailable: true,
  reason: "Local",
  message: "Local APIServices are always available",
};

export async function checkAvailability(core: Core, api: RemoteApi): Promise<Availability> {
  return missingService(core, api) ?? (await askServer(core, api));
}

/** Writes the condition; other conditions, and its transition time while it stays the same, are kept. */
export async function writeAvailability(
  core: Core,
  name: string,
  { isAvailable, reason, message }: Availability,
): Promise<void> {
  const resource = core.catalogue.find("apiregistration.k8s.io", "v1", "apiservices");
  if (resource === undefined) return;
  const status = isAvailable ? "True" : "False";
  await mutate(core, {
    resource,
    namespace: "",
    name,
    dryRun: false,
    plan(item) {
      const object = item?.parse() as APIService | undefined;
      if (object === undefined) return { type: "keep" };
      const conditions = object.status?.conditions ?? [];
      const before = conditions.find(({ type }) => type === "Available");
      const isSame = before?.status === status;
      if (isSame && before.reason === reason && before.message === message) return { type: "keep" };
      const lastTransitionTime =
        (isSame ? before.lastTransitionTime : undefined) ?? timestamp(core.settings.now());
      const next: APIServiceCondition = {
        type: "Available",
        status,
        lastTransitionTime,
        reason,
        message,
      };
      const others = conditions.filter(({ type }) => type !== "Available");
      object.status = { ...object.status, conditions: [next, ...others] };
      return { type: "put", object };
    },
  });
}

function missingService(core: Core, { service }: RemoteApi): Availability | undefined {
  const { namespace = "", name = "", port = 443 } = service.spec.service ?? {};
  const what = `service/${name} in "${namespace}"`;
  const item = core.cache.collection(collectionId("", "services")).get(namespace, name);
  if (item === undefined) return unavailableBecause("ServiceNotFound", `${what} is not present`);
  const { spec } = item.parse() as Service;
  if (!spec.ports?.some((each) => each.port === port)) {
    return unavailableBecause("ServicePortError", `${what} is not listening on port ${port}`);
  }
  try {
    core.streaming?.reach?.backendOf({ namespace, name }, String(port));
    return undefined;
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const message = `endpointslices for ${what} have no addresses with port name "${spec.ports.find((each) => each.port === port)?.name ?? ""}"`;
    return unavailableBecause("MissingEndpoints", message);
  }
}

async function askServer({ log }: Core, api: RemoteApi): Promise<Availability> {
  const { group, version, service } = api;
  const path = `/apis/${group}/${version}`;
  const { groupPriorityMinimum: groupPriority, versionPriority } = service.spec;
  try {
    const resources = readResources(await getDocument(api, { path, timeoutMs }));
    const openApi = await openApiOf(api, path.slice(1)).catch((error: unknown) => {
      log.debug("an aggregated API has no OpenAPI v3 documents", { group, error });
      return undefined;
    });
    const discovery = { group, version, groupPriority, versionPriority, resources, openApi };
    return { isAvailable: true, reason: "Passed", message: "all checks passed", discovery };
  } catch (error) {
    const message = `failing or missing response from https://${api.host}${path}: ${messageOf(error)}`;
    return unavailableBecause("FailedDiscoveryCheck", message);
  }
}

/** Returns the URL of the server's OpenAPI document of a path, which it lists with its hash. */
async function openApiOf(api: RemoteApi, path: string): Promise<string | undefined> {
  const index = await getDocument(api, { path: "/openapi/v3", timeoutMs });
  const paths = isObject(index) ? index["paths"] : undefined;
  const entry = isObject(paths) ? paths[path] : undefined;
  const url = isObject(entry) ? entry["serverRelativeURL"] : undefined;
  return typeof url === "string" && url.startsWith(`/openapi/v3/${path}`) ? url : undefined;
}

function unavailableBecause(reason: string, message: string): Availability {
  return { isAvailable: false, reason, message };
}
