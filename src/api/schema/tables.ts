import { admissionregistration } from "./tables/admissionregistration.ts";
import { apiextensions } from "./tables/apiextensions.ts";
import { apiregistration } from "./tables/apiregistration.ts";
import { apps } from "./tables/apps.ts";
import { authentication } from "./tables/authentication.ts";
import { authorization } from "./tables/authorization.ts";
import { autoscaling } from "./tables/autoscaling.ts";
import { autoscalingV2 } from "./tables/autoscaling-v2.ts";
import { batch } from "./tables/batch.ts";
import { certificates } from "./tables/certificates.ts";
import { coordination } from "./tables/coordination.ts";
import { core } from "./tables/core.ts";
import { discovery } from "./tables/discovery.ts";
import { discoveryV1beta1 } from "./tables/discovery-v1beta1.ts";
import { events } from "./tables/events.ts";
import { flowcontrol } from "./tables/flowcontrol.ts";
import { meta } from "./tables/meta.ts";
import { metrics } from "./tables/metrics.ts";
import { networking } from "./tables/networking.ts";
import { node } from "./tables/node.ts";
import { policy } from "./tables/policy.ts";
import { rbac } from "./tables/rbac.ts";
import { resource } from "./tables/resource.ts";
import { scheduling } from "./tables/scheduling.ts";
import { storage } from "./tables/storage.ts";
import { version } from "./tables/version.ts";

export interface Table {
  /** The name by which other tables refer to this one, and of the TypeScript file generated from it. */
  readonly alias: string;
  /** The prefix of the full names of its types. */
  readonly prefix: string;
  readonly group: string;
  readonly version: string;
  readonly text: string;
}

export const tables: readonly Table[] = [
  {
    alias: "meta",
    prefix: "io.k8s.apimachinery.pkg.apis.meta.v1",
    group: "meta.k8s.io",
    version: "v1",
    text: meta,
  },
  {
    alias: "version",
    prefix: "io.k8s.apimachinery.pkg.version",
    group: "",
    version: "",
    text: version,
  },
  ...[
    { alias: "core", group: "", version: "v1", text: core },
    {
      alias: "admissionregistration",
      group: "admissionregistration.k8s.io",
      version: "v1",
      text: admissionregistration,
    },
    { alias: "apps", group: "apps", version: "v1", text: apps },
    {
      alias: "authentication",
      group: "authentication.k8s.io",
      version: "v1",
      text: authentication,
    },
    { alias: "authorization", group: "authorization.k8s.io", version: "v1", text: authorization },
    { alias: "autoscaling", group: "autoscaling", version: "v1", text: autoscaling },
    { alias: "autoscaling-v2", group: "autoscaling", version: "v2", text: autoscalingV2 },
    { alias: "batch", group: "batch", version: "v1", text: batch },
    { alias: "certificates", group: "certificates.k8s.io", version: "v1", text: certificates },
    { alias: "coordination", group: "coordination.k8s.io", version: "v1", text: coordination },
    { alias: "discovery", group: "discovery.k8s.io", version: "v1", text: discovery },
    {
      alias: "discovery-v1beta1",
      group: "discovery.k8s.io",
      version: "v1beta1",
      text: discoveryV1beta1,
    },
    { alias: "events", group: "events.k8s.io", version: "v1", text: events },
    {
      alias: "flowcontrol",
      group: "flowcontrol.apiserver.k8s.io",
      version: "v1",
      text: flowcontrol,
    },
    { alias: "networking", group: "networking.k8s.io", version: "v1", text: networking },
    { alias: "policy", group: "policy", version: "v1", text: policy },
    { alias: "node", group: "node.k8s.io", version: "v1", text: node },
    { alias: "rbac", group: "rbac.authorization.k8s.io", version: "v1", text: rbac },
    { alias: "resource", group: "resource.k8s.io", version: "v1", text: resource },
    { alias: "scheduling", group: "scheduling.k8s.io", version: "v1", text: scheduling },
    { alias: "storage", group: "storage.k8s.io", version: "v1", text: storage },
  ].map((table) => ({
    ...table,
    prefix: `io.k8s.api.${table.alias.split("-")[0]}.${table.version}`,
  })),
  {
    alias: "apiextensions",
    prefix: "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1",
    group: "apiextensions.k8s.io",
    version: "v1",
    text: apiextensions,
  },
  {
    alias: "metrics",
    prefix: "io.k8s.metrics.pkg.apis.metrics.v1beta1",
    group: "metrics.k8s.io",
    version: "v1beta1",
    text: metrics,
  },
  {
    alias: "apiregistration",
    prefix: "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1",
    group: "apiregistration.k8s.io",
    version: "v1",
    text: apiregistration,
  },
];
