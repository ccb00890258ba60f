// Made from the tables of src/api/schema by `make types`: change those.

import type { ObjectMeta } from "./meta.ts";

/** The replica count of an object, whatever its kind. */
export interface Scale {
  apiVersion?: "autoscaling/v1";
  kind?: "Scale";
  metadata?: ObjectMeta;
  spec: ScaleSpec;
  status?: ScaleStatus;
}

export interface ScaleSpec {
  replicas?: number;
}

export interface ScaleStatus {
  replicas: number;
  selector?: string;
}
