import type { Family } from "../../../base/net/family.ts";
import { Prefix } from "../../../base/net/prefix.ts";
import { dnsLabel } from "../../fields/names.ts";
import { completePair, type PairHolder, reconcilePair } from "../../pairs/pair.ts";
import { clusterIPs } from "../../pairs/pairs.ts";
import type { Service, ServiceSpec } from "../../types/core.ts";
import type { ClusterSettings, Kind } from "../kind.ts";
import { dropUnneeded, keepAllocated } from "./allocated.ts";
import {
  completeEndpointFamily,
  endpointFamilyWarnings,
  familyRequest,
} from "./endpoint-family.ts";
import { completeFamilies } from "./families.ts";
import { isExternallyAccessible } from "./needs.ts";
import { serviceTable } from "./table.ts";
import { validateService, validateServiceUpdate } from "./validate.ts";

export const service: Kind<Service> = {
  name: dnsLabel,
  hasGeneration: false,
  default: setDefaults,
  upgrade: ({ spec }) => completePair(holderOf(spec), clusterIPs),
  removable: [["spec", "endpointFamily"]],
  reconcile(object, context) {
    if (context.subresource === "status") return { errors: [], warnings: [] };
    const { old } = context;
    const request = familyRequest(object, context);
    const paired = reconcilePair(holderOf(object.spec), clusterIPs, {
      path: "spec",
      isPatch: context.patch !== undefined,
      ...(old === undefined ? {} : { old: holderOf(old.spec) }),
    });
    if (old !== undefined) {
      dropUnneeded(object, old);
      keepAllocated(object, old);
    }
    const errors = [
      ...paired.errors,
      ...completeFamilies(object, old, configuredFamilies(context.settings)),
    ];
    // The singular clusterIP follows the list again, which SingleStack may have cut short.
    completePair(holderOf(object.spec), clusterIPs);
    if (errors.length === 0) completeEndpointFamily(object, request, context);
    return { errors, warnings: endpointFamilyWarnings(object) };
  },
  prepareCreate(object) {
    object.status = { loadBalancer: {} };
  },
  prepareUpdate(object, old) {
    object.status = object.spec.type === "LoadBalancer" ? (old.status ?? {}) : { loadBalancer: {} };
  },
  prepareStatusUpdate(object, old) {
    object.spec = old.spec;
  },
  validate: validateService,
  validateUpdate: validateServiceUpdate,
  selectableFields: ["spec.clusterIP", "spec.type"],
  selectableField({ spec }, field) {
    return (field === "spec.type" ? spec.type : spec.clusterIP) ?? "";
  },
  toldTwice: [{ path: ["spec"], pair: clusterIPs }],
  table: serviceTable,
};

function configuredFamilies(settings: ClusterSettings): Family[] {
  return settings.serviceCidrs.map((cidr) => Prefix.parse(cidr).family);
}

/** Returns a spec as the holder of a pair of fields. */
function holderOf(spec: ServiceSpec): PairHolder & ServiceSpec {
  return spec as PairHolder & ServiceSpec;
}

const affinitySeconds = 10_800;

/** Fills in defaults that depend neither on the cluster nor on the stored object. */
function setDefaults(object: Service): void {
  object.spec ??= {};
  const { spec } = object;
  if (spec.sessionAffinity === "None") delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity === "ClientIP") {
    const timeoutSeconds = spec.sessionAffinityConfig?.clientIP?.timeoutSeconds ?? affinitySeconds;
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds } };
  }
  for (const port of spec.ports ?? []) {
    if (port.targetPort === undefined || port.targetPort === 0 || port.targetPort === "") {
      port.targetPort = port.port;
    }
  }
  if (isExternallyAccessible(object)) spec.externalTrafficPolicy ??= "Cluster";
  if (spec.type !== "ExternalName") spec.internalTrafficPolicy ??= "Cluster";
  if (spec.type === "LoadBalancer") spec.allocateLoadBalancerNodePorts ??= true;
}
