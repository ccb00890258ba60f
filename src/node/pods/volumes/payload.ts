// The files of volumes that show objects of the API: config maps, secrets, the pod itself, tokens.

import type {
  ConfigMap,
  DownwardAPIVolumeFile,
  KeyToPath,
  Secret,
  ServiceAccountTokenProjection,
  Volume,
  VolumeProjection,
} from "../../../api/types/core.ts";
import { defined } from "../../../base/json/defined.ts";
import { slotsOf } from "../decide/slots.ts";
import { ConfigurationError } from "../environment/error.ts";
import { fieldValue, type PodFacts, resourceValue } from "../environment/facts.ts";

export interface PayloadFile {
  readonly content: Uint8Array;
  readonly mode: number;
}

/** The files of a volume, by their path in it. */
export type Payload = ReadonlyMap<string, PayloadFile>;

export interface PayloadSources {
  readonly facts: PodFacts;
  configMap(name: string): Promise<ConfigMap | undefined>;
  secret(name: string): Promise<Secret | undefined>;
  token(projection: ServiceAccountTokenProjection): Promise<string>;
}

export interface PayloadPart {
  readonly source: VolumeProjection;
  readonly mode: number;
}

const defaultMode = 0o644;

/** Returns the sources of the volume's files; undefined for volumes that show no API objects. */
export function payloadPartsOf(volume: Volume): readonly PayloadPart[] | undefined {
  const { configMap, secret, downwardAPI, projected } = volume;
  if (configMap !== undefined) {
    const { defaultMode: mode = defaultMode, ...source } = configMap;
    return [{ source: { configMap: source }, mode }];
  }
  if (secret !== undefined) {
    const { defaultMode: mode = defaultMode, secretName = "", ...source } = secret;
    return [{ source: { secret: { name: secretName, ...source } }, mode }];
  }
  if (downwardAPI !== undefined) {
    const { defaultMode: mode = defaultMode, ...source } = downwardAPI;
    return [{ source: { downwardAPI: source }, mode }];
  }
  const { defaultMode: mode = defaultMode, sources = [] } = projected ?? {};
  return projected === undefined ? undefined : sources.map((source) => ({ source, mode }));
}

/** Collects the files of a volume; `path` is the volume's field path, for messages. */
export async function payloadOf(
  parts: readonly PayloadPart[],
  sources: PayloadSources,
  path: string,
): Promise<Payload> {
  const files = new Map<string, PayloadFile>();
  for (const { source, mode } of parts) {
    const contents = await contentsOf(source, sources, path);
    for (const { path: name, content, mode: own = mode } of contents) {
      checkPlace(name, path);
      files.set(name, { content, mode: own });
    }
  }
  return files;
}

/**
 * Refuses paths outside of the volume, and names that begin with two dots, which are the agent's own. The API
 * server validates this, but not for static pods.
 */
function checkPlace(name: string, path: string): void {
  const isOutside = name === "" || name.startsWith("/") || name.split("/").includes("..");
  if (!isOutside && !name.startsWith("..")) return;
  const state = "it is not beneath the volume";
  throw new ConfigurationError(`put ${JSON.stringify(name)} into ${path}`, state);
}

interface Content {
  readonly path: string;
  readonly content: Uint8Array;
  readonly mode?: number;
}

async function contentsOf(
  { configMap, secret, downwardAPI, serviceAccountToken }: VolumeProjection,
  sources: PayloadSources,
  path: string,
): Promise<readonly Content[]> {
  if (configMap !== undefined) {
    const found = await sources.configMap(configMap.name ?? "");
    return chosen(found && dataOf(found), { ...configMap, what: "configmap", path });
  }
  if (secret !== undefined) {
    const found = await sources.secret(secret.name ?? "");
    return chosen(found && bytesOf(found.data), { ...secret, what: "secret", path });
  }
  if (downwardAPI !== undefined) {
    return (downwardAPI.items ?? []).map((item) => shown(item, sources.facts));
  }
  if (serviceAccountToken !== undefined) {
    const content = Buffer.from(await sources.token(serviceAccountToken));
    // The token lets its reader act as the service account: only the pod's own users may read it.
    return [{ path: serviceAccountToken.path, content }];
  }
  throw new ConfigurationError(`fill ${path}`, "a projected source is not supported");
}

interface Choice {
  readonly name?: string;
  readonly items?: readonly KeyToPath[];
  readonly optional?: boolean;
  readonly what: string;
  readonly path: string;
}

function chosen(data: ReadonlyMap<string, Uint8Array> | undefined, choice: Choice): Content[] {
  const { name = "", items, optional = false, what, path } = choice;
  if (data === undefined) {
    if (optional) return [];
    throw new ConfigurationError(`fill ${path}`, `${what} ${JSON.stringify(name)} not found`);
  }
  if (items === undefined || items.length === 0) {
    return [...data].map(([key, content]) => ({ path: key, content }));
  }
  return items.flatMap(({ key, path: file, mode }) => {
    const content = data.get(key);
    if (content !== undefined) return [{ path: file, content, ...defined({ mode }) }];
    if (optional) return [];
    throw new ConfigurationError(
      `fill ${path}`,
      `${what} ${JSON.stringify(name)} has no key ${JSON.stringify(key)}`,
    );
  });
}

function shown(
  { path, fieldRef, resourceFieldRef, mode }: DownwardAPIVolumeFile,
  facts: PodFacts,
): Content {
  const container = slotsOf(facts.pod.spec).find(
    ({ name }) => name === resourceFieldRef?.containerName,
  )?.container;
  const text =
    resourceFieldRef !== undefined && container !== undefined
      ? resourceValue(container, resourceFieldRef, facts)
      : fieldValue(facts, fieldRef?.fieldPath ?? "");
  return { path, content: Buffer.from(text), ...defined({ mode }) };
}

function dataOf({ data = {}, binaryData = {} }: ConfigMap): Map<string, Uint8Array> {
  const text = Object.entries(data).map(([key, value]) => [key, Buffer.from(value)] as const);
  return new Map<string, Uint8Array>([...text, ...bytesOf(binaryData)]);
}

function bytesOf(data: Readonly<Record<string, string>> = {}): Map<string, Uint8Array> {
  return new Map(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, "base64")]));
}
