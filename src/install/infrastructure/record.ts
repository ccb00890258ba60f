// The record of what was in force last, an annotation of the Infrastructure object: a status can be lost (a
// create drops it, and so does a restore from a backup) or overwritten; metadata is neither.

import { isObject } from "../../base/json/value.ts";
import type { Infrastructure, PlatformStatus } from "./object.ts";

export const recordAnnotation = "tandem.internal/vips-in-force";

export interface VipRecord {
  readonly infrastructureName?: string;
  readonly type: string;
  readonly status: PlatformStatus;
}

export function recordText({ infrastructureName, type, status }: VipRecord): string {
  const { apiServerInternalIP: _, ingressIP: __, ...lists } = status;
  return JSON.stringify({ infrastructureName, type, status: lists });
}

/** The record; undefined when it makes no sense, since everybody who writes the object can write it. */
export function recordOf({ metadata }: Infrastructure): VipRecord | undefined {
  const text = metadata.annotations?.[recordAnnotation];
  const value = text === undefined ? undefined : parse(text);
  if (!isObject(value) || typeof value["type"] !== "string" || !isObject(value["status"])) {
    return undefined;
  }
  const { infrastructureName, type, status } = value;
  const texts = (name: string) => {
    const list = status[name];
    return isTexts(list) && { [name]: list };
  };
  const { loadBalancer } = status;
  return {
    ...(typeof infrastructureName === "string" && { infrastructureName }),
    type,
    status: {
      ...texts("apiServerInternalIPs"),
      ...texts("ingressIPs"),
      ...texts("machineNetworks"),
      ...(isObject(loadBalancer) &&
        typeof loadBalancer["type"] === "string" && {
          loadBalancer: { type: loadBalancer["type"] },
        }),
    },
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}
