import { existsSync, readFileSync } from "node:fs";
import { isObject } from "../../../base/json/value.ts";
import { IpamError, messageOf } from "../errors.ts";
import { invalidField, type JsonObject } from "./fields.ts";

/** The paths of the flat file, which holds cluster-wide settings; the first that exists counts. */
const usualPlaces = [
  "/etc/kubernetes/cni/net.d/whereabouts.d/whereabouts.conf",
  "/etc/cni/net.d/whereabouts.d/whereabouts.conf",
  "/host/etc/cni/net.d/whereabouts.d/whereabouts.conf",
];

export interface FlatFile {
  readonly path: string;
  readonly fields: JsonObject;
}

/** Reads the flat file, if there is one: it fills in what a network's own configuration leaves open. */
export function readFlatFile(named: string | undefined): FlatFile | undefined {
  for (const path of named === undefined ? usualPlaces : [named, ...usualPlaces]) {
    if (existsSync(path)) return { path, fields: parse(read(path), path) };
  }
  if (named === undefined) return undefined;
  throw invalidField(`ipam.configuration_path ${JSON.stringify(named)}`, "config file not found");
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new IpamError("inputOutput", `Cannot read ${path}: ${messageOf(error)}`, error);
  }
}

function parse(text: string, path: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new IpamError("decoding", `Cannot decode ${path}: ${messageOf(error)}`, error);
  }
  if (!isObject(value)) throw new IpamError("decoding", `Cannot decode ${path}: it is no object`);
  return value;
}
