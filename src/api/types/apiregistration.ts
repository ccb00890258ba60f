// Made from the tables of src/api/schema by `make types`: change those.

import type { ListMeta, NamedMeta } from "./meta.ts";

/** A group and version of the API, and the server that serves it. */
export interface APIService {
  apiVersion: "apiregistration.k8s.io/v1";
  kind: "APIService";
  metadata: NamedMeta;
  spec: APIServiceSpec;
  status?: APIServiceStatus;
}

export interface APIServiceCondition {
  type: string;
  status: string;
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

export interface APIServiceList {
  apiVersion: "apiregistration.k8s.io/v1";
  kind: "APIServiceList";
  metadata: ListMeta;
  items: APIService[];
}

export interface APIServiceSpec {
  service?: ServiceReference;
  group?: string;
  version?: string;
  insecureSkipTLSVerify?: boolean;
  caBundle?: string;
  groupPriorityMinimum: number;
  versionPriority: number;
}

export interface APIServiceStatus {
  conditions?: APIServiceCondition[];
}

export interface ServiceReference {
  namespace?: string;
  name?: string;
  port?: number;
}
