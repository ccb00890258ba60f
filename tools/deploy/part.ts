// A part of Tandem that runs beside a stock Kubernetes.

import type { CustomResourceDefinition } from "../../src/api/types/apiextensions.ts";
import type { DeployObject, Program } from "./objects.ts";

export interface About {
  /** The name of the image with its tag. */
  readonly image: string;
}

export interface PartObjects {
  readonly programs: readonly Program[];
  readonly rights: readonly DeployObject[];
  readonly workload: readonly DeployObject[];
  /** Services, by which metrics are collected. */
  readonly metrics: readonly DeployObject[];
}

export interface DeployedPart {
  readonly name: string;
  /** The kinds that it works on; they are not deleted with it, since that would delete every such object. */
  readonly definitions: readonly CustomResourceDefinition[];
  objects(about: About): PartObjects;
}
